"""One line into messages, carefully: every way in which writers stray, with what to say about it.

The fields come from the template if the line fits it to the letter, else from `loose.py`. Then the text is
freed of its trailer and its T, the speaker and the recipients are found, and what is in the wrong file is
noted. Nothing is guessed: a line that could mean two things is refused, and its bytes are kept.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from palaver.dialects.office import grammar, loose
from palaver.dialects.office.grammar import BY_NAME, EXACT, Desk, Tag
from palaver.dialects.office.layout import Pen
from palaver.dialects.office.loose import Note, Stray
from palaver.dialects.office.times import is_odd, utc
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, WORDLESS, Message
from palaver.model.names import EVERYONE, address, short
from palaver.model.saying import heard
from palaver.model.trailer import without_trailer
from palaver.model.translation import completed

_OPENING: Final = "(palaver"
_MANAGERS_WORDS: Final = frozenset(tag.name for tag in grammar.TAGS if tag.desk is Desk.MANAGER)


@dataclass(slots=True)
class Entry:
    """What a line says: its messages, or why it says nothing; and what is to be said about it."""

    messages: list[Message] = field(default_factory=list)
    reason: str = ""
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a line, before anybody is named."""

    tag: Tag
    #: The tag as the message keeps it: empty for the tag that is the act's own.
    kept: str
    values: dict[str, str]
    beside: dict[str, object]
    escaped: bool


def understand(text: str, pen: Pen) -> Entry:
    """Read one line, without its line end."""
    entry = Entry()
    try:
        said, at = _parts(text, pen, entry.notes)
        entry.messages = _messages(said, at, pen, entry.notes)
    except Stray as stray:
        code, message, fix = stray.note
        return Entry(reason=code, notes=[(code, message, fix)])
    return entry


def split_trailer(rest: str) -> tuple[str, dict[str, object], bool]:
    """Return what stands before the trailer as it is written, the fields, and whether the text is escaped."""
    cut = rest.rfind(_OPENING) if rest.endswith(")") else -1
    if cut < 0:
        return rest, {}, False
    left, beside = without_trailer(rest[cut:])
    if left:
        return rest, {}, False
    return rest[:cut].removesuffix(" "), beside, re.search(r" esc=[^ )]", rest[cut:]) is not None


def _parts(text: str, pen: Pen, notes: list[Note]) -> tuple[_Said, str]:
    head = grammar.HEAD.fullmatch(text)
    if head is None:
        raise loose.no_entry(text)
    word = re.sub("[ -]", "_", head["tag"].upper())
    tag = BY_NAME.get(word)
    at = utc(head["time"] or "")
    if tag is None and not at:
        raise loose.no_entry(text)
    _judge_time(head["time"], at, notes)
    raw, beside, escaped = split_trailer(head["rest"] or "")
    if tag is None:
        notes.append(
            (
                grammar.UNKNOWN_TAG,
                f"the office has no tag {word}",
                "write INFO (workers) or REPLY (the manager), or one of the tags in the manual",
            )
        )
        return _Said(*_unknown(raw, pen), beside, escaped), at
    exact = EXACT[tag.name].fullmatch(raw)
    values = dict(zip(tag.fields, exact.groups(""), strict=True)) if exact else loose.fields(tag, raw, notes)
    return _Said(tag, tag.name if tag.variant else "", values, beside, escaped), at


def _unknown(raw: str, pen: Pen) -> tuple[Tag, str, dict[str, str]]:
    raise NotImplementedError
