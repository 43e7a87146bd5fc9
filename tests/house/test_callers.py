"""A command uses the folder, environment and streams of its caller, and not those of its own process."""

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.house.repository import SOURCE, modules, place

#: The module that makes a caller of its own process.
ENTRY: Final = SOURCE / "cli/hot.py"
#: What belongs to the process, and not to the caller. Paths that depend on the current folder are among it.
OF_THE_PROCESS: Final = frozenset(
    {
        *("sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "sys.exit", "os._exit"),
        *("os.environ", "os.environb", "os.getenv", "os.putenv", "os.umask", "os.isatty", "os.ttyname"),
        *("os.getcwd", "os.getcwdb", "os.chdir", "os.path.abspath"),
        *("print", "input", "exit", "quit"),
    }
)


def uses(source: str) -> Iterator[str]:
    """Yield what a module uses of its own process."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "sys", "os.path"):
            yield from {f"{node.module}.{each.name}" for each in node.names} & OF_THE_PROCESS
        elif isinstance(node, ast.Attribute):
            yield from {ast.unparse(node)} & OF_THE_PROCESS
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from {node.func.id} & OF_THE_PROCESS


@pytest.mark.parametrize(
    "source",
    ["print('x')", "import sys\nsys.stdout.write('x')", "from os import environ", "os.path.abspath('x')"],
)
def test_a_use_of_the_own_process_is_noticed(source: str) -> None:
    assert list(uses(source))


def test_commands_use_nothing_of_their_own_process() -> None:
    found = [
        f"{place(path)}: {use}"
        for path in modules(SOURCE / "cli")
        if path != ENTRY
        for use in uses(path.read_text(encoding="utf-8"))
    ]

    assert found == []


def test_the_entry_does() -> None:
    assert {"os.environ", "os.getcwd", "sys.stdout"} <= set(uses(ENTRY.read_text(encoding="utf-8")))
