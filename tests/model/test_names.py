"""Names: no name can leave its folder, look like an option, or pass for another."""

import os
import random
import re
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.model.errors import BadName
from palaver.model.names import EVERYONE, address, name, role, short
from tests.agent_names import is_name

CANONICAL: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}(/[a-z0-9][a-z0-9._-]{0,63}){0,3}")
FORBIDDEN: Final = (
    "../../etc/passwd", "/abs", "", ".", "..", " ", "a b", "a/", "/", "a//b", "a/../b", "a/./b", "a" * 65,
    "CON", "con.txt", "nul", "NUL", "aux", "com1", "lpt9.log", "a/prn/b", "a:b", "a.", "a./b", "-rf", "--as",
    "*", "?", ">", "a.*", "a\\b", "a\0b", "a\nb", "a\tb", "\x1b[2J", "а", "bоb", "bob\u202e", "a\u200db",
    "ｂob", "\u212aim", "ſam", "ı", "é", "a/b/c/d/e", "~", "~root", "$HOME", "`id`", "a|b", "a;b", "'", '"',
    "%2e%2e", "a@b", "@", "@@a", "all", "palaver", "ALL", "Palaver", "\ud800", "\U0001f600", "a,b", "#a", "!",
    "a=b",
)  # fmt: skip
PIECES: Final = (
    "a", "Bob", "slot1", "slot10", "..", ".", "-", "_", "/", "//", "con", "а", "\u202e", "\u200d", "\0", " ",
    "*", "@", "9", "x" * 64, "x" * 65, "\\", "é", ":", "emp-copilot-a3f2", "workers", "\n", "\u212a",
)  # fmt: skip


def generated(seed: int, count: int) -> Iterator[str]:
    dice = random.Random(seed)
    for _ in range(count):
        yield "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 5)))


def assert_refused_or_canonical(text: str) -> None:
    if not is_name(text):
        with pytest.raises(BadName) as bad:
            name(text)
        assert (bad.value.code, bad.value.exit) == ("bad-name", 2)
        assert bad.value.why
        assert bad.value.way_out
        assert str(bad.value).isprintable()
        return
    found = name(text)
    assert CANONICAL.fullmatch(found), text
    assert found == text.lower()
    assert name(found) == found
    assert name(found.upper()) == found
    assert os.path.normpath(f"/bus/{found}") == f"/bus/{found}"
    assert not any(part.endswith(".") for part in found.split("/"))


@pytest.mark.parametrize("text", FORBIDDEN)
def test_a_name_that_could_do_harm_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(BadName) as bad:
        name(text)

    assert bad.value.why
    assert bad.value.way_out
    assert not is_name(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ada", "ada"),
        ("Ada", "ada"),
        ("emp-copilot-a3f2", "emp-copilot-a3f2"),
        ("project-a/workers/slot0", "project-a/workers/slot0"),
        ("t2/Project-A/Workers/Slot0", "t2/project-a/workers/slot0"),
        ("9", "9"),
        ("a..b", "a..b"),
        ("console", "console"),
        ("x" * 64, "x" * 64),
    ],
)
def test_a_good_name_has_one_canonical_form(text: str, canonical: str) -> None:
    assert name(text) == canonical
    assert is_name(text)


def test_of_three_hundred_generated_names_each_is_refused_or_canonical() -> None:
    names = [*FORBIDDEN, *generated(seed=37, count=300)]

    for text in names:
        assert_refused_or_canonical(text)

    assert sum(map(is_name, names)) > 10


@given(st.text(max_size=80))
def test_any_text_is_refused_or_canonical(text: str) -> None:
    assert_refused_or_canonical(text)


@given(st.from_regex(CANONICAL, fullmatch=True))
def test_an_address_is_a_name_or_a_handle_and_stays_the_same_when_read_again(text: str) -> None:
    if not is_name(text):
        return

    assert address(text) == name(text)
    assert address("@" + text) == "@" + name(text)
    assert address(address("@" + text)) == address("@" + text)


@pytest.mark.parametrize("text", ["all", "ALL", "@all", "@All"])
def test_everyone_has_one_address(text: str) -> None:
    assert address(text) == EVERYONE


def test_a_name_falls_into_what_people_call_it_and_its_role() -> None:
    assert (short("project-a/workers/slot0"), role("project-a/workers/slot0")) == (
        "slot0",
        "project-a/workers",
    )
    assert (short("ada"), role("ada")) == ("ada", "")


def test_a_name_that_was_refused_is_refused_again_and_a_good_one_stays_good() -> None:
    for _ in range(2):
        for wrong in ("all", "palaver", "-x", ""):
            with pytest.raises(BadName):
                name(wrong)
    for n in range(3_000):
        assert name(f"Ada{n}") == f"ada{n}"
        assert address(f"@Ada{n}") == f"@ada{n}"

    assert name("Ada0") == "ada0"
    assert address("ALL") == "@all"
