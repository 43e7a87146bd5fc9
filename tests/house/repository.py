"""The repository as the house tests read it: its files, and the syntax trees of its modules."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCE: Final = ROOT / "src" / "palaver"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(*folders: Path) -> list[Path]:
    """Return every Python file under `folders`; finding none would make a law empty, so it fails."""
    found = [path for folder in folders for path in sorted(folder.rglob("*.py"))]

    assert found, f"no modules under {folders}"
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


def functions(path: Path) -> Iterator[Function]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))


def place(path: Path, node: ast.stmt | ast.expr | None = None) -> str:
    """Name a place so that an editor can jump to it."""
    name = path.relative_to(ROOT).as_posix()
    return name if node is None else f"{name}:{node.lineno}"


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def kept_files() -> list[Path]:
    """Return what git tracks, and what it would track if it were added now."""
    git = ("git", "-c", "safe.directory=*", "ls-files", "-z")
    wanted = ("--cached", "--others", "--exclude-standard")
    listed = subprocess.run(
        [*git, *wanted], cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE
    ).stdout
    paths = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    return [path for path in paths if path.is_file()]
