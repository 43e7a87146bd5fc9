"""Showing: whatever the text, what is shown only prints; whatever the terminal, JSON stays JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.cli.show import block, clipped, json_line, safe
from tests.cli.hostile import TEXTS
from tests.cli.spoken import TRICKS

# All of Unicode, with what does not print drawn as often as what does.
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from(sorted(set("".join(TEXTS.values()))))))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=8,
)


@given(HOSTILE)
def test_a_line_only_prints(text: str) -> None:
    shown = safe(text)

    assert not TRICKS.search(shown)
    assert "\n" not in shown
    shown.encode()


@given(HOSTILE)
def test_what_is_safe_stays_as_it_is(text: str) -> None:
    assert safe(safe(text)) == safe(text)


@given(HOSTILE)
def test_a_block_keeps_its_lines(text: str) -> None:
    assert block(text).count("\n") == text.count("\n")
    assert not TRICKS.search(block(text))


@given(HOSTILE, st.integers(min_value=1, max_value=50))
def test_a_clipped_line_is_never_longer(text: str, width: int) -> None:
    assert len(clipped(text, width)) <= width


@pytest.mark.parametrize(
    "text", ["", "plain", "größe", "中文\u3000字", "5\xa0km", "✔\ufe0f", "🎉", "a\\b", "e\u0301"]
)
def test_what_people_write_is_left_alone(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b", r"\x9b"),
        ("\u202e", r"\u202e"),
        ("\U000e0041", r"\U000e0041"),
        ("a\tb", "a    b"),
        ("a\rb", r"a\x0db"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_does_not_print_is_shown_by_its_number(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
@given(value=PLAIN)
def test_json_is_json_on_every_terminal(encoding: str, value: object) -> None:
    line = json_line(value, encoding)

    assert json.loads(line) == value
    assert not TRICKS.search(line)
    assert "\n" not in line
    line.encode(encoding)
