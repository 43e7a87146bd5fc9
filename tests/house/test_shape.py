"""The tree can be learned: small folders, nouns for modules, and one name for one thing."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.house.ratchets import (
    FOLDER_MODULES,
    GERUND_MODULES,
    LARGE_FOLDERS,
    MODULE_LINES_MEDIAN,
    SHARED_CLASS_NAMES,
    SHARED_MODULE_NAMES,
)
from tests.house.repository import SOURCE, classes, modules

#: A folder of these has one module for each command or rule, named after it.
ONE_EACH: Final = frozenset({"commands", "rules"})
DIALECT: Final = re.compile(r"^dialects/(?!shared/)\w+/")
#: Words in -ing that are not gerunds.
NOUNS: Final = frozenset({"binding", "finding", "outstanding", "string", "wiring", "wording"})
#: Module names that occur twice, each with the reason.
VIEW_AND_OPERATIONS: Final = "a view, and the operations on it"
SHARED_MODULES: Final[dict[str, str]] = {
    "etiquette": VIEW_AND_OPERATIONS,
    "quarantine": VIEW_AND_OPERATIONS,
}
#: Class names that occur twice, each with the reason.
SHARED_CLASSES: Final[dict[str, str]] = {}


def is_gerund(name: str) -> bool:
    last = name.rpartition("_")[2]
    return last.endswith("ing") and last not in NOUNS


def named_modules() -> list[Path]:
    """Return the modules that somebody had to find a name for."""
    return [
        path
        for path in modules(SOURCE)
        if not path.stem.startswith("__") and path.parent.name not in ONE_EACH
    ]


def is_of_a_protocol(path: Path) -> bool:
    """Return True for a module of a dialect: these are alike, and named in the words of their protocol."""
    return bool(DIALECT.match(inside(path)))


def inside(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def shared(pairs: Iterable[tuple[str, str]], reasons: dict[str, str]) -> dict[str, list[str]]:
    """Return the names that occur at several places, with the places; a name with a reason is left out.

    Dialects are alike inside, so what has one name in several of them has it once.
    """
    places: dict[str, set[str]] = defaultdict(set)
    for name, where in pairs:
        places[name].add(DIALECT.sub("dialects/*/", where))
    return {name: sorted(found) for name, found in places.items() if len(found) > 1 and name not in reasons}


@pytest.mark.parametrize("name", ["passing", "file_reading", "waiting"])
def test_a_gerund_is_found(name: str) -> None:
    assert is_gerund(name)


@pytest.mark.parametrize("name", ["wiring", "finding", "pass", "ring_buffer", "passes"])
def test_a_noun_is_no_gerund(name: str) -> None:
    assert not is_gerund(name)


def test_a_name_is_shared_if_it_occurs_twice_and_has_no_reason() -> None:
    pairs = [("Row", "a.py"), ("Row", "b.py"), ("Bus", "c.py"), ("Place", "d.py"), ("Place", "e.py")]

    assert shared(pairs, {"Place": "because"}) == {"Row": ["a.py", "b.py"]}


def test_a_name_that_several_dialects_have_is_not_shared() -> None:
    alike = [("entry", "dialects/office/entry.py"), ("entry", "dialects/collab/entry.py")]
    mixed = [("board", "dialects/office/board.py"), ("board", "views/board.py")]

    assert shared(alike, {}) == {}
    assert shared(mixed, {}) == {"board": ["dialects/*/board.py", "views/board.py"]}


def test_the_median_module_is_short() -> None:
    assert median(path.read_bytes().count(b"\n") for path in named_modules()) < MODULE_LINES_MEDIAN


def test_folders_hold_about_fifteen_modules() -> None:
    sizes = Counter(inside(path.parent) for path in named_modules())
    large = {folder: size for folder, size in sizes.items() if size > FOLDER_MODULES}

    assert len(large) <= LARGE_FOLDERS, large


def test_modules_are_named_by_nouns() -> None:
    gerunds = [inside(path) for path in named_modules() if is_gerund(path.stem)]

    assert len(gerunds) <= GERUND_MODULES, gerunds


def test_a_module_name_occurs_once() -> None:
    ours = (path for path in named_modules() if not is_of_a_protocol(path))
    found = shared(((path.stem, inside(path)) for path in ours), SHARED_MODULES)

    assert len(found) <= SHARED_MODULE_NAMES, found


def test_a_class_name_occurs_once() -> None:
    public = (
        (node.name, inside(path))
        for path in modules(SOURCE)
        for node in classes(path)
        if not node.name.startswith("_")
    )
    found = shared(public, SHARED_CLASSES)

    assert len(found) <= SHARED_CLASS_NAMES, found


def test_a_reason_is_given_only_for_a_name_that_occurs_twice() -> None:
    stems = Counter(path.stem for path in named_modules())
    names = Counter(node.name for path in modules(SOURCE) for node in classes(path))

    assert [name for name in SHARED_MODULES if stems[name] < 2] == []
    assert [name for name in SHARED_CLASSES if names[name] < 2] == []
