"""The head of a line, the careful way: when, who, to whom. What cannot be read has a reason."""

from dataclasses import dataclass
from typing import Final

from palaver.dialects.collab import times
from palaver.dialects.collab.cast import THE_SYSTEM, Cast
from palaver.dialects.collab.grammar import ARROWS, ERROR, ERROR_SUFFIX, STAMP, TEAM
from palaver.dialects.collab.words import has_tag
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.names import EVERYONE


@dataclass(frozen=True, slots=True)
class Note:
    """Something to be said about a line: its code, what is wrong, and the way out."""

    code: str
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The head of a message, and the text behind it."""

    sender: str
    to: list[str]
    text: str
    at: str = ""
    notes: tuple[Note, ...] = ()


NO_HEAD: Final = Note(
    "COL006", "no sender and receiver behind the time", "write `SENDER -> RECEIVER: message`"
)
NO_MESSAGE: Final = Note(
    "COL007",
    "a line without time and sender that belongs to no message",
    "start it with `YYYY-MM-DD HH:MM:SS SENDER -> RECEIVER: `",
)
NO_TIME: Final = Note("COL021", "a message without a time", "start the line with `YYYY-MM-DD HH:MM:SS`")
_BAD_TIME: Final = Note("COL022", "the time cannot be", "write `YYYY-MM-DD HH:MM:SS` as a clock shows it")
_FAR_TIME: Final = Note("COL023", "the time is far from today", "set the clock of the writer")
_TWO_DIGITS: Final = Note("COL009", "the year has two digits", "write the year with four")
_NO_SENDER: Final = Note("COL024", "no sender; read as said by B to A", "write `SENDER -> RECEIVER: ` first")
_NO_RECEIVER: Final = Note("COL025", "no receiver; read as said to everyone", "write `SENDER -> RECEIVER: `")


def stamped(text: str, cast: Cast) -> Opening | Note:
    """Return the head of a line that begins with a time, or why there is none."""
    match = STAMP.match(text)
    if match is None:
        return NO_HEAD
    if len(match[1]) == 2:
        return _TWO_DIGITS
    at, note = _time(match.groups(default=""), cast)
    return _opening(text[match.end() :], cast, at, note)


def unstamped(text: str, cast: Cast) -> Opening | None:
    """Return the head of a line without a time, if it has a sender and receivers that can be."""
    head, _, _ = text.partition(":")
    if not _arrow(head)[1] and head.strip().lower() != THE_SYSTEM:
        return None
    found = _opening(text, cast, "", NO_TIME)
    return found if isinstance(found, Opening) else None


def is_known(text: str, cast: Cast) -> bool:
    """Tell whether a line without a time starts with names of this mount, so that it stands for itself."""
    head, colon, _ = text.partition(":")
    if head.strip().lower() == THE_SYSTEM:
        return bool(colon)
    left, arrow, right = _arrow(head)
    names = [left, *right.split(",")]
    return bool(colon and arrow) and all(cast.knows(name.strip()) for name in names)


def _opening(rest: str, cast: Cast, at: str, note: Note | None) -> Opening | Note:
    found = _parties(rest, cast)
    if isinstance(found, Note):
        return found
    sender, to, text, further = found
    notes = tuple(each for each in (note, further) if each is not None)
    return Opening(sender=sender, to=to, text=text, at=at, notes=notes)


def _parties(rest: str, cast: Cast) -> tuple[str, list[str], str, Note | None] | Note:
    if rest[:1] == "[" and has_tag(rest):
        return cast.b, [cast.a], rest, _NO_SENDER
    head, colon, text = rest.partition(":")
    left, arrow, right = _arrow(head)
    if colon and arrow:
        found = _between(left.strip(), right.split(","), cast)
        return found if isinstance(found, Note) else (*found, text.removeprefix(" "), None)
    word = head.strip()
    if not colon or text[:1] not in ("", " ", "\t"):
        return NO_HEAD
    if word.lower() == THE_SYSTEM:
        return THE_SYSTEM, [EVERYONE], text[1:], None
    if word in (ERROR, cast.b.upper() + ERROR_SUFFIX):
        return cast.b, [cast.a], rest, _NO_SENDER
    if cast.knows(word) and word.upper() != TEAM:
        return cast.address(word), [EVERYONE], text[1:], _NO_RECEIVER
    return NO_HEAD


def _between(left: str, right: list[str], cast: Cast) -> tuple[str, list[str]] | Note:
    if len(right) > RECIPIENTS:
        return Note("COL010", f"{len(right)} receivers", f"name at most {RECIPIENTS}, or TEAM")
    try:
        to = [cast.address(word.strip()) for word in right]
        return cast.address(left), list(dict.fromkeys(to))
    except BadName as refused:
        return Note("COL008", f"{refused.what}: {refused.why}", refused.way_out)


def _arrow(head: str) -> tuple[str, str, str]:
    for arrow in ARROWS:
        if arrow in head:
            return head.partition(arrow)
    return head, "", ""


def _time(groups: tuple[str, ...], cast: Cast) -> tuple[str, Note | None]:
    *numbers, fraction, zone = groups
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers)
    if not any((year, month, day, hour, minute, second)):
        return "", NO_TIME
    found = times.moment((year, month, day), (hour, minute, second))
    east = times.offset(zone) if zone else cast.east
    at = "" if found is None else times.iso(found - east, fraction)
    if not at:
        return "", _BAD_TIME
    return at, None if year in times.YEARS else _FAR_TIME
