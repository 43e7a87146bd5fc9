"""The fields that every translation keeps, and which of them a dialect's own words do not bring back.

A renderer writes a message in the words of its dialect, parses the result, and writes exactly the fields that
were lost beside the text, where its dialect has a place for them. The parser restores them. So a plain
message is the protocol's own line, byte for byte, and every other message survives a round trip.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from palaver.dialects.shared.pieces import Unreadable
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, Message
from palaver.model.mounted_files import Mount, Parsed, Provenance, Source
from palaver.model.names import EVERYONE, address, short
from palaver.model.strict_json import DEPTH, nesting

#: Name beside the text → attribute of the message. These fields, and only these, survive every translation.
FIELDS: Final = {
    "id": "id",
    "act": "act",
    "from": "sender",
    "to": "to",
    "task": "task",
    "subject": "subject",
    "body": "body",
    "priority": "priority",
    "re": "reply_to",
    "reasoning": "reasoning",
    "run": "run",
    "files": "files",
    "artifacts": "artifacts",
    "meta": "meta",
    "tag": "tag",
}
#: The fields that are no texts.
STRUCTURED: Final = frozenset(["to", "files", "artifacts", "meta"])
_CLOSED: Final[Mapping[str, Iterable[str]]] = {"act": ACTS, "priority": PRIORITIES}

# Acts that need authority and that people read in the line itself; a field beside a text never gives one.
_PRIVILEGED: Final = frozenset(["approve", "accept", "rework", "refuse", "autonomy", "shutdown"])

#: Writes a message in some words of the dialect, with these fields beside them.
Writer = Callable[[dict[str, object]], bytes]


def trusted_fields(
    beside: Mapping[str, object],
    message: Message,
    provenance: Provenance,
    *,
    shortens: bool = True,
    implied: Iterable[str] = (),
) -> dict[str, object]:
    """Return the fields beside a text that are read back: none contradicts what a reader of the line sees.

    A dialect that shortens names may have the full ones beside the text. `implied` are those of `from` and
    `to` that its lines do not show.
    """
    if provenance is Provenance.ALL:
        return dict(beside)
    if provenance is Provenance.NONE:
        return {}
    untrusted = {"act"} if beside.get("act") in _PRIVILEGED else set()
    for name, seen in (("from", [message.sender]), ("to", message.to)):
        said = [beside.get(name)] if name == "from" else beside.get(name)
        named = {_as_seen(each, shortens=shortens) for each in said} if type(said) is list else set()
        if name not in implied and named != {_as_seen(each, shortens=shortens) for each in seen}:
            untrusted.add(name)
    return {name: value for name, value in beside.items() if name not in untrusted}


def _as_seen(name: object, *, shortens: bool) -> str:
    return short(str(name)).removeprefix("@") if shortens else str(name)


def missing_fields(wanted: Message, found: Message) -> dict[str, object]:
    """Return every field of `wanted` that `found` does not bring back.

    The id counts only for a message that is in no log: of the others, the log knows where it is written.
    """
    missing = {}
    for name, attribute in FIELDS.items():
        value = getattr(wanted, attribute)
        if getattr(found, attribute) != value:
            missing[name] = value
    if wanted.event_id or not wanted.id:
        missing.pop("id", None)
    return missing


def render_complete(
    message: Message,
    writers: Iterable[Writer],
    read: Callable[[bytes], Message | None],
    words: frozenset[str],
) -> bytes | None:
    """Return the bytes of the first writer that brings back the fields `words`, or else of the best one.

    What it does not bring back is written beside. None means that none of the bytes can be read as a message.
    """
    best: tuple[Writer, dict[str, object]] | None = None
    for write in writers:
        content = write({})
        found = read(content)
        if found is None:
            continue
        missing = missing_fields(message, found)
        if not missing:
            return content
        is_complete = words.isdisjoint(missing)
        if is_complete or best is None or len(missing) < len(best[1]):
            best = write, missing
        if is_complete:
            break
    if best is None:
        return None
    write, missing = best
    content = write(missing)
    found = read(content)
    assert found is None or not missing_fields(message, found), content
    return content if found is not None else None


def read_back(content: bytes, parse: Callable[[Source], Parsed], mount: Mount, path: str) -> Message | None:
    """Return the message that our own parser finds in rendered bytes; None if they are not exactly one."""
    pieces = parse(Source(path=path, content=content, mount=mount)).pieces
    values = pieces[0].values if len(pieces) == 1 else ()
    return values[0] if len(values) == 1 and isinstance(values[0], Message) else None


def restore(
    message: Message, beside: Mapping[str, object], *, bad_name: str, crowd: str
) -> tuple[Message, list[str]]:
    """Return the message with the fields beside it, and the names of those that cannot be used.

    Names are checked as everywhere, and refused with the codes for a bad name and for too many recipients.
    """
    fields = dict(beside)
    sender, to = fields.get("from"), fields.get("to")
    if type(sender) is str:
        fields["from"] = read_sender(sender, bad_name)
    if type(to) is list and all(type(each) is str for each in to):
        fields["to"] = read_recipients(to, bad_name, crowd)
    return with_fields(message, fields)


def with_fields(message: Message, fields: Mapping[str, object]) -> tuple[Message, list[str]]:
    """Return the message with these fields, and the names of those that cannot be used and were left out."""
    changes: dict[str, object] = {}
    unusable: list[str] = []
    for name, value in fields.items():
        if is_usable(name, value):
            changes[FIELDS[name]] = value
        else:
            unusable.append(name)
    return message.replace(**changes), unusable


def is_usable(name: str, value: object) -> bool:
    """Return True if a field of this name may have this value."""
    if name not in FIELDS:
        return False
    if name not in STRUCTURED:
        return type(value) is str and (name not in _CLOSED or value in _CLOSED[name])
    if name == "meta":
        return type(value) is dict and _is_plain(value)
    kind = dict if name == "files" else str
    return type(value) is list and all(type(item) is kind for item in value) and _is_plain(value)


def _is_plain(value: object) -> bool:
    """Return True if a value can be written as JSON: finite numbers, whole characters, bounded depth."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return nesting(value) <= DEPTH


def read_address(written: str, bad_name: str) -> str:
    """Return the canonical form of an address, or raise `Unreadable` with this code."""
    try:
        return address(written)
    except BadName as fault:
        raise Unreadable.because_of_name(bad_name, fault) from fault


def is_address(value: object) -> bool:
    """Return True if a value can be the address of an agent."""
    try:
        return isinstance(value, str) and bool(address(value))
    except BadName:
        return False


def read_sender(written: str, bad_name: str) -> str:
    """Return the canonical name of a sender, or raise `Unreadable` with this code."""
    try:
        found = address(written)
    except BadName as fault:
        raise Unreadable.because_of_name(bad_name, fault) from fault
    if found == EVERYONE:
        raise Unreadable(bad_name, "everyone cannot be a sender", "name the agent")
    return found.removeprefix("@")


def read_recipients(written: list[str], bad_name: str, crowd: str) -> list[str]:
    """Return the canonical names of recipients, or raise `Unreadable` with one of the codes."""
    if len(written) > RECIPIENTS:
        raise Unreadable(
            crowd, f"it has {len(written)} recipients", f"name at most {RECIPIENTS}, or everyone"
        )
    try:
        return list(map(address, written))
    except BadName as fault:
        raise Unreadable.because_of_name(bad_name, fault) from fault
