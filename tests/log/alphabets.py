"""Texts and values to draw from, with all that breaks programs made likely."""

from typing import Final

from hypothesis import strategies as st

from palaver.model.event import Draft
from tests.laws.drafts import NOON

# Line ends that are none, controls, a byte order mark, surrogates, marks of direction, what JSON escapes.
NASTY: Final = (
    "\n\r\t\x00\x07\x08\x0b\x0c\x1b\x1c\x1d\x1e\x1f\x7f\x80\x85\x9b\x9f\xa0\xad"
    "\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\uffff"
    "\ud800\udbff\udc00\udfff\"\\/{}[],:'0ä語😀\U000e0001\U0010ffff"
)


def joined(text: str) -> str:
    """Return the text with each pair of surrogates as the one character it stands for, as JSON has it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


characters = st.one_of(st.sampled_from(NASTY), st.characters(exclude_categories=()))
texts = st.text(characters, max_size=40).map(joined)
numbers = st.one_of(
    st.integers(),
    st.integers(min_value=-(2**80), max_value=2**80),
    st.floats(allow_nan=False, allow_infinity=False),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
tables = st.dictionaries(texts, values, max_size=6)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Return a draft with anything in it that a log may be given."""
    letters = draw(st.text("abcdefghijklmnopqrstuvwxyz234567", min_size=12, max_size=12))
    return Draft(
        draw(st.sampled_from(("mail.sent", "task.claimed", "log.sealed"))),
        actor=draw(texts),
        data=draw(tables),
        event_id=f"evt-{letters}",
        timestamp=NOON,
        auth=draw(st.sampled_from(("token", "channel", "claimed"))),
        key=draw(texts),
        src=draw(st.one_of(st.none(), tables)),
        correlation_id=draw(texts),
        caused_by=draw(texts),
    )
