"""Hidden characters: one set, written by numbers, and nothing that makes writing readable is in it."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.model.plain import has_hidden, number_of, spelled

FILLERS = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0"}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def test_everything_that_shows_nothing_is_hidden() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    formless = {c for c in every if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}

    assert {c for c in formless if not has_hidden(c)} == {"\t", "\n"}
    assert all(map(has_hidden, FILLERS))


@pytest.mark.parametrize(
    "text",
    [
        FAMILY, "\u2764\ufe0f\u200d\U0001f525", "1\ufe0f\u20e3", "\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937", "two\nlines\tand a tab", "日本\u3000語", "un\xa0an", "\ue0b0",
    ],
)  # fmt: skip
def test_what_makes_writing_readable_is_not_hidden(text: str) -> None:
    assert not has_hidden(text)
    assert spelled(text, number_of) == text


@pytest.mark.parametrize(
    "text",
    [
        "\u200da",
        "a\u200d",
        "a\u200db",
        "\U0001f468\u200d\u200d\U0001f469",
        "\ufe0f\u200d\ufe0f",
        "\u0645\u200c\u061c",
    ],
)
def test_a_joiner_that_joins_nothing_is_hidden(text: str) -> None:
    assert has_hidden(text)


@given(st.text(st.characters() | st.sampled_from("\u200c\u200d\ufe0f\u061c\U0001f468\u0645\x1b\u2028")))
def test_no_text_has_a_hidden_character_once_it_is_spelled(text: str) -> None:
    shown = spelled(text, number_of)

    assert not has_hidden(shown)
    assert shown.splitlines() == shown.removesuffix("\n").split("\n") or not text
    assert (shown == text) == (not has_hidden(text))
