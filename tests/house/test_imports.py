"""An import is an import for everybody: what the type checker sees, the interpreter sees."""

import ast
from pathlib import Path
from typing import Final

from tests.house.repository import ROOT, SOURCE, modules, place, tree

HIDDEN: Final = "TYPE_CHECKING"


def is_hidden_import(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name == HIDDEN
        case _:
            return False


def hidden_imports(path: Path) -> list[str]:
    return [place(path) for node in ast.walk(tree(path)) if is_hidden_import(node)]


def test_nothing_is_imported_for_the_type_checker_alone() -> None:
    hidden = [where for path in modules(SOURCE, ROOT / "tests") for where in hidden_imports(path)]

    assert hidden == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()
