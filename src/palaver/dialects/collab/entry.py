"""One entry of a chat log into a message: a head with time and parties, then a text, perhaps a trailer."""

from contextlib import suppress
from functools import lru_cache
from typing import Final, NamedTuple

from palaver.dialects.collab import act_text
from palaver.dialects.collab.grammar import ARROWS, ERROR, ERROR_SUFFIX, HEAD, STAMP, TEAM, USER
from palaver.dialects.collab.parties import THE_SYSTEM, Parties
from palaver.dialects.shared.pieces import Problem, Unreadable, decode
from palaver.dialects.shared.trailer import bad_trailer, without_trailer
from palaver.dialects.shared.translation import restore, trusted_fields
from palaver.model.clock_text import is_plausible, to_utc
from palaver.model.errors import BadName
from palaver.model.limits import LINE_BYTES, RECIPIENTS
from palaver.model.message import Message
from palaver.model.mounted_files import Provenance
from palaver.model.names import EVERYONE


class Head(NamedTuple):
    """The head of an entry, and the text behind it."""

    sender: str
    to: list[str]
    text: str
    at: str = ""
    problems: tuple[Problem, ...] = ()


NO_TIME: Final = Problem("COL021", "the message has no time", "begin the line with `YYYY-MM-DD HH:MM:SS`")
_BAD_TIME: Final = Problem("COL022", "there is no such time", "write `YYYY-MM-DD HH:MM:SS`")
_FAR_TIME: Final = Problem("COL023", "the time is implausible", "check the writer's clock")
_NO_SENDER: Final = Problem(
    "COL024", "the line has no sender; read as from B to A", "begin with `SENDER -> RECEIVER: `"
)
_NO_RECEIVER: Final = Problem(
    "COL025", "the line has no receiver; read as to everyone", "write `SENDER -> RECEIVER: `"
)


def decode_content(raw: bytes) -> str:
    """Return the text of a line or a file, or raise `Unreadable`."""
    if len(raw) > LINE_BYTES:
        fix = "put the text in a file, and name the file"
        raise Unreadable("COL004", f"it is longer than {LINE_BYTES} bytes", fix)
    return decode(raw, not_utf8="COL001", nul="COL002")


def decode_line(raw: bytes) -> str:
    """Return a line without its newline as text, or raise `Unreadable`."""
    text = decode_content(raw.removesuffix(b"\r"))
    if "\r" in text:
        raise Unreadable("COL003", "the line contains a carriage return", "end lines with a newline")
    return text


# ---------------------------------------------------------------- heads


def read_stamped(text: str, parties: Parties) -> Head:
    """Return the head of a line that begins with a time, or raise `Unreadable`."""
    exact = HEAD.match(text)
    if exact and (at := to_utc(f"{exact[1]}T{exact[2]}{parties.zone_suffix}")) and is_plausible(exact[1]):
        sender, to = _resolve(exact[3], exact[4], parties)
        return Head(sender, list(to), text[exact.end() :], at)
    match = STAMP.match(text)
    if match is None:
        raise _no_head()
    if len(match[1]) == 2:
        raise Unreadable("COL009", "the year has two digits", "write the year with four digits")
    at, *problems = _time(match.groups(default=""), parties)
    return _head(text[match.end() :], parties, at, *problems)


def read_unstamped(text: str, parties: Parties) -> Head:
    """Return the head of a line without a time but with a sender and receivers, or raise `Unreadable`."""
    names, _, _ = text.partition(":")
    if _split_arrow(names)[1] or names.strip().lower() == THE_SYSTEM:
        with suppress(Unreadable):
            return _head(text, parties, "", NO_TIME)
    fix = "begin it with `YYYY-MM-DD HH:MM:SS SENDER -> RECEIVER: `"
    raise Unreadable("COL007", "a line without time and sender continues no message", fix)


def begins_with_parties(text: str, parties: Parties) -> bool:
    """Return True if a line without a time begins with known parties, so that it is an entry of its own."""
    names, colon, _ = text.partition(":")
    if names.strip().lower() == THE_SYSTEM:
        return bool(colon)
    left, arrow, right = _split_arrow(names)
    return bool(colon and arrow) and all(parties.knows(name.strip()) for name in (left, *right.split(",")))


def _head(rest: str, parties: Parties, at: str, *problems: Problem) -> Head:
    if rest[:1] == "[" and act_text.has_tag(rest):
        return Head(parties.b, [parties.a], rest, at, (*problems, _NO_SENDER))
    names, colon, text = rest.partition(":")
    left, arrow, right = _split_arrow(names)
    if colon and arrow:
        sender, to = _resolve(left.strip(), right, parties)
        return Head(sender, list(to), text.removeprefix(" "), at, problems)
    word = names.strip()
    if not colon or text[:1] not in ("", " ", "\t"):
        raise _no_head()
    if word.lower() == THE_SYSTEM:
        return Head(THE_SYSTEM, [EVERYONE], text[1:], at, problems)
    if word in (ERROR, parties.b.upper() + ERROR_SUFFIX):
        return Head(parties.b, [parties.a], rest, at, (*problems, _NO_SENDER))
    if parties.knows(word) and word.upper() != TEAM:
        return Head(parties.address(word), [EVERYONE], text[1:], at, (*problems, _NO_RECEIVER))
    raise _no_head()


@lru_cache(maxsize=1_024)
def _resolve(left: str, right: str, parties: Parties) -> tuple[str, tuple[str, ...]]:
    words = right.split(",")
    if len(words) > RECIPIENTS:
        raise Unreadable("COL010", f"it has {len(words)} receivers", f"name at most {RECIPIENTS}, or TEAM")
    try:
        return parties.address(left), tuple(dict.fromkeys(parties.address(word.strip()) for word in words))
    except BadName as fault:
        raise Unreadable.because_of_name("COL008", fault) from fault


def _split_arrow(names: str) -> tuple[str, str, str]:
    for arrow in ARROWS:
        if arrow in names:
            return names.partition(arrow)
    return names, "", ""


def _time(groups: tuple[str, ...], parties: Parties) -> tuple[str] | tuple[str, Problem]:
    """Return the time that a line begins with, and what is odd about it."""
    *numbers, fraction, zone = groups
    year, month, day, hour, minute, second = numbers
    if not "".join(numbers).strip("0"):
        return "", NO_TIME
    milliseconds = f".{fraction[:3]:0<3}" if fraction else ""
    clock = f"{hour:0>2}:{minute}:{second or '00'}{milliseconds}{zone or parties.zone_suffix}"
    at = to_utc(f"{year}-{month:0>2}-{day:0>2}T{clock}")
    if not at:
        return "", _BAD_TIME
    return (at,) if is_plausible(year) else (at, _FAR_TIME)


# ---------------------------------------------------------------- texts


def read_message(
    head: Head, text: str, parties: Parties, provenance: Provenance, *, is_inbox: bool = False
) -> tuple[Message, tuple[Problem, ...]]:
    """Return the message of a head and its text, with what is odd about it; or raise `Unreadable`.

    Only a text of one line can have a trailer: the renderer writes nothing else, so a trailer below several
    lines is part of the text. In the inbox `USER:` only names the sender; in a chat log it is kept as a tag.
    """
    if not text.strip():
        raise Unreadable("COL011", "the message is empty", "write a text, or remove the line")
    beside: dict[str, object] = {}
    if "\n" not in text:
        text, beside = without_trailer(text, provenance)
    can_be_person = head.sender in (parties.a, parties.dropper) and head.to == [parties.b]
    said = act_text.read(text, parties, can_be_person=can_be_person)
    message = Message(
        sender=parties.person if said.is_by_person else head.sender,
        to=head.to,
        body=said.body,
        act=said.act,
        task=said.task,
        tag="" if is_inbox and said.tag == USER else said.tag,
        at=head.at,
        meta=said.meta,
    )
    if not beside:
        return message, head.problems
    trusted = trusted_fields(beside, message, provenance)
    message, unusable = restore(message, trusted, bad_name="COL008", crowd="COL010")
    return message, (*head.problems, bad_trailer("COL026", unusable)) if unusable else head.problems


def ends_with_trailer(text: str, provenance: Provenance) -> bool:
    """Return True if a line ends with a trailer, so that no other line can continue it."""
    return text.endswith(")") and without_trailer(text, provenance)[0] is not text


def _no_head() -> Unreadable:
    message = "no sender and receiver follow the time"
    return Unreadable("COL006", message, "write `SENDER -> RECEIVER: message`")
