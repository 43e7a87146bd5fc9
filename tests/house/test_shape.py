"""The tree can be learned: small folders, nouns for modules, and one name for one thing."""

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
#: Every dialect has the same parts, so that who knows one dialect finds their way in all of them.
DIALECT_PARTS: Final = frozenset({"grammar", "layout", "parse", "render", "spec"})
#: Words in -ing that are not gerunds.
NOUNS: Final = frozenset({"binding", "finding", "outstanding", "string", "wiring", "wording"})
#: Module names that occur twice, each with the reason.
SHARED_MODULES: Final[dict[str, str]] = {}
#: Class names that occur twice, each with the reason.
SHARED_CLASSES: Final[dict[str, str]] = {}


def is_gerund(name: str) -> bool:
    last = name.rpartition("_")[2]
    return last.endswith("ing") and last not in NOUNS


def is_dialect_part(path: Path) -> bool:
    parts = path.relative_to(SOURCE).parts
    return parts[0] == "dialects" and len(parts) == 3 and path.stem in DIALECT_PARTS


def named_modules() -> list[Path]:
    """Return the modules that somebody had to find a name for."""
    return [
        path
        for path in modules(SOURCE)
        if not path.stem.startswith("__") and path.parent.name not in ONE_EACH and not is_dialect_part(path)
    ]


def inside(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def shared(pairs: Iterable[tuple[str, str]], reasons: dict[str, str]) -> dict[str, list[str]]:
    """Return the names that occur at several places, with the places; a name with a reason is left out."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, where in pairs:
        places[name].append(where)
    return {name: found for name, found in places.items() if len(found) > 1 and name not in reasons}


@pytest.mark.parametrize("name", ["passing", "file_reading", "waiting"])
def test_a_gerund_is_found(name: str) -> None:
    assert is_gerund(name)


@pytest.mark.parametrize("name", ["wiring", "finding", "pass", "ring_buffer", "passes"])
def test_a_noun_is_no_gerund(name: str) -> None:
    assert not is_gerund(name)


def test_a_name_is_shared_if_it_occurs_twice_and_has_no_reason() -> None:
    pairs = [("Row", "a.py"), ("Row", "b.py"), ("Bus", "c.py"), ("Place", "d.py"), ("Place", "e.py")]

    assert shared(pairs, {"Place": "because"}) == {"Row": ["a.py", "b.py"]}


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
    found = shared(((path.stem, inside(path)) for path in named_modules()), SHARED_MODULES)

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
