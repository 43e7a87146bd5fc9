"""One line into one message, with all that may be odd about it.

This is what a line means. `swift.py` is a shortcut to the same message for lines that have nothing odd about
them.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Mapping

from palaver.dialects.swarm import words
from palaver.dialects.swarm.desk import Desk, known
from palaver.dialects.swarm.fault import Fault
from palaver.dialects.swarm.grammar import ABSENT, BARE, SIX
from palaver.dialects.swarm.usual import is_usual
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import Message
from palaver.model.names import EVERYONE

_SIX = frozenset(SIX)


class Unreadable(Exception):
    """Raised while a line is read; `careful` turns it into the reason of its quarantine."""

    def __init__(self, fault: Fault) -> None:
        """Take what is wrong."""
        super().__init__(fault)
        self.fault = fault


def careful(line: bytes, desk: Desk) -> tuple[Message | None, list[Fault]]:
    """Return the message of a line and what is odd about it, or no message and why there is none."""
    try:
        table = _table(line)
    except Unreadable as no:
        return None, [no.fault]
    return told(table, desk)


def told(table: Mapping[str, object], desk: Desk) -> tuple[Message | None, list[Fault]]:
    """Do the same with what the JSON of a line says."""
    notes: list[Fault] = []
    try:
        return _message(table, desk, notes), notes
    except Unreadable as no:
        return None, [no.fault]


def _table(line: bytes) -> dict[str, object]:
    # Who only writes a line reads what it says, not its bytes.
    from palaver.dialects.swarm import strict

    if (flat := strict.flat(line)) is not None:
        return flat
    try:
        text = line.decode()
    except UnicodeDecodeError as why:
        raise Unreadable(
            Fault(
                "SWA001",
                f"the line is not UTF-8: byte {why.start} is {line[why.start]:#04x}",
                "write the file in UTF-8",
            )
        ) from None
    table = strict.table(text)
    if isinstance(table, Fault):
        raise Unreadable(table)
    return table


def _message(table: Mapping[str, object], desk: Desk, notes: list[Fault]) -> Message:
    sender = _sender(table, desk, notes)
    to, unnamed = _recipients(table, desk, notes)
    kind = _kind(table, notes)
    content = _text(table, "content")
    if not content.strip(" \t\r\n"):
        raise Unreadable(Fault("SWA007", "the line has no content", "say something in content"))
    reasoning = _text(table, "reasoning")
    meta: dict[str, object] = {"to": unnamed} if unnamed else {}
    act, tag, task, body, agent, level = words.read(kind, content, directs=sender == desk.director)
    if level:
        update = _update(agent, level)
        meta |= update
        body = body if update else content
    message = Message(
        sender=sender,
        to=to,
        body=body,
        act=act,
        reasoning="" if reasoning == ABSENT else reasoning,
        task=task,
        meta=meta,
        tag=tag,
        at=_time(table, notes),
    )
    if not table.keys() <= _SIX:
        from palaver.dialects.swarm import beside

        beside.put(message, table)
    return message


def _update(agent: str, level: str) -> dict[str, object]:
    """Return whose autonomy becomes what; an update of nobody says nothing."""
    try:
        return {"agent": known(agent), "level": level}
    except BadName:
        return {}


def _sender(table: Mapping[str, object], desk: Desk, notes: list[Fault]) -> str:
    sender = _text(table, "from")
    if (known_one := desk.senders.get(sender)) is not None:
        return known_one
    if not sender:
        raise Unreadable(Fault("SWA007", "the line has no sender", "say who writes, in from"))
    if sender[0] == "@":
        notes.append(Fault("SWA025", "from is written with @", "write the bare name in from"))
    try:
        return desk.sender(sender)
    except BadName as no:
        raise _misnamed(no) from None


def _recipients(table: Mapping[str, object], desk: Desk, notes: list[Fault]) -> tuple[list[str], str]:
    """Return the recipients and, where none are named, how."""
    to = table.get("to")
    if to is None:
        return [EVERYONE], "null" if "to" in table else "absent"
    if type(to) is str:
        notes.append(Fault("SWA025", "to is a string", 'write a list, as ["@qa"]'))
        to = [to]
    if type(to) is not list or not all(type(each) is str for each in to):
        raise Unreadable(Fault("SWA009", "to is no list of handles", 'write handles, as ["@qa"]'))
    if not to:
        raise Unreadable(Fault("SWA009", "to is empty: nobody would read it", "name somebody, or write null"))
    if len(to) > RECIPIENTS:
        raise Unreadable(
            Fault("SWA009", f"to has more than {RECIPIENTS} handles", 'write null or ["@all"] for everyone')
        )
    if (route := desk.routes.get(tuple(to))) is not None:
        return route.copy(), ""
    return _handles(to, desk, notes), ""


def _handles(to: list[str], desk: Desk, notes: list[Fault]) -> list[str]:
    bare = next((each for each in to if each[:1] != "@"), None)
    if bare is not None:
        notes.append(Fault("SWA025", f"the handle {bare!a:.80} has no @", "write @ in front of a handle"))
    try:
        return desk.recipients(to)
    except BadName as no:
        raise _misnamed(no) from None


def _kind(table: Mapping[str, object], notes: list[Fault]) -> str:
    kind = table.get("type")
    if kind is None:
        notes.append(Fault("SWA024", "the line has no type", f"write one of {', '.join(BARE)}"))
        return "message"
    if type(kind) is not str or kind not in BARE:
        shown = f"{kind!a:.40}"
        raise Unreadable(
            Fault("SWA010", f"the type {shown} is none of the seven", f"use one of {', '.join(BARE)}")
        )
    return kind


def _text(table: Mapping[str, object], field: str) -> str:
    value = table.get(field)
    if value is None:
        return ""
    if type(value) is not str:
        raise Unreadable(Fault("SWA007", f"{field} is no text", f"write {field} as a string"))
    return value


def _time(table: Mapping[str, object], notes: list[Fault]) -> str:
    text = table.get("ts")
    if text is None:
        notes.append(Fault("SWA021", "the line has no time", "write ts, as 2026-01-25T23:45:00.000Z"))
        return ""
    if type(text) is str and is_usual(text):
        return text
    from palaver.dialects.swarm.times import likely, normalised

    found = normalised(text) if type(text) is str else None
    if found is None:
        notes.append(
            Fault("SWA022", f"there is no time {text!a:.40}", "write ts as 2026-01-25T23:45:00.000Z")
        )
        return ""
    at, has_zone = found
    if not has_zone:
        notes.append(Fault("SWA023", "the time has no zone; it is read as UTC", "write Z behind it"))
    elif not likely(at):
        notes.append(Fault("SWA023", f"the year {at[:4]} is unlikely", "look at the writer's clock"))
    return at


def _misnamed(no: BadName) -> Unreadable:
    return Unreadable(Fault("SWA008", f"{no.what}: {no.why}", no.way_out))
