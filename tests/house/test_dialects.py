"""A dialect is known by its spec: no code outside its folder names it or imports its modules."""

import ast
from pathlib import Path
from typing import Final

from palaver.dialects import DIALECTS
from tests.house.repository import SOURCE, modules, place, tree

#: The dialects themselves, and the commands that belong to one protocol.
OWN_PLACES: Final = (
    "dialects",
    # The commands of vermas: co and wo.
    "cli/company",
    # The command of swarm: palaver channel.
    "cli/channel",
)


def is_own_place(path: Path) -> bool:
    inside = path.relative_to(SOURCE).as_posix()
    return any(inside == each or inside.startswith(f"{each}/") for each in OWN_PLACES)


def is_leak(node: ast.AST) -> bool:
    """Return True if a node names a dialect in a string, or imports more of the dialects than their specs."""
    match node:
        case ast.Constant(value=str(text)):
            return text in DIALECTS or text.startswith("palaver.dialects.")
        case ast.ImportFrom(module=str(name)) | ast.alias(name=name):
            return name.startswith("palaver.dialects.")
        case _:
            return False


def test_only_a_dialect_and_its_own_commands_name_it() -> None:
    found = [
        f"{place(path)}: {ast.unparse(node)}"
        for path in modules(SOURCE)
        if not is_own_place(path)
        for node in ast.walk(tree(path))
        if is_leak(node)
    ]

    assert found == []


def test_a_name_in_a_string_and_an_import_are_leaks() -> None:
    lines = ("from palaver.dialects.swarm import grammar", "import palaver.dialects.swarm", 'x == "collab"')

    assert all(any(map(is_leak, ast.walk(ast.parse(line)))) for line in lines)
    assert not any(map(is_leak, ast.walk(ast.parse("from palaver.dialects import spec"))))


def test_the_places_of_the_dialects_exist() -> None:
    assert [each for each in OWN_PLACES if not (SOURCE / each).exists()] == []
