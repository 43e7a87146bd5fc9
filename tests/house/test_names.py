"""A name says what a thing is; words that fit everything say nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.house.repository import SOURCE, classes, functions, modules, place

EMPTY_WORDS: Final = frozenset({"util", "helper", "manager", "handler", "base", "data", "info", "misc"})
OFFICE: Final = SOURCE / "dialects" / "office"  # whose protocol has a role of that name

GIVEN: Final = frozenset({"data_received"})  # asyncio calls it so


def words(name: str) -> list[str]:
    """Split a name at its underscores and capitals, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def is_empty_name(name: str) -> bool:
    """Say whether a name has an empty word, also in the plural, or only says that something is fetched."""
    said = words(name)
    only_fetches = len(said) > 1 and said[0] == "get"
    return only_fetches or any(word.removesuffix("s") in EMPTY_WORDS for word in said)


def names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every name that a module gives, with its place: folders, the module, functions and classes."""
    for part in path.relative_to(SOURCE).with_suffix("").parts:
        yield part, place(path)
    for node in (*functions(path), *classes(path)):
        if not node.name.startswith("__"):
            yield node.name, place(path, node)


def is_allowed(name: str, path: Path) -> bool:
    return name in GIVEN or (path.is_relative_to(OFFICE) and "manager" in words(name))


@pytest.mark.parametrize("name", ["get_mail", "_get_mail", "file_utils", "DataStore", "HTTPHandler"])
def test_a_name_that_says_nothing_is_found(name: str) -> None:
    assert is_empty_name(name)


@pytest.mark.parametrize("name", ["get", "database", "base32", "inform", "append", "budget_left", "forget"])
def test_a_name_that_only_looks_so_is_not_found(name: str) -> None:
    assert not is_empty_name(name)


def test_no_name_in_the_source_says_nothing() -> None:
    empty = [
        f"{where} {name}"
        for path in modules(SOURCE)
        for name, where in names(path)
        if is_empty_name(name) and not is_allowed(name, path)
    ]

    assert empty == []
