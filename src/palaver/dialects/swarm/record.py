"""One record of a channel into a message."""

from collections.abc import Mapping
from typing import Final

from palaver.dialects.shared.lines import LineEntry
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.swarm import act_text, extra_fields
from palaver.dialects.swarm.grammar import ABSENT, BARE, SIX
from palaver.dialects.swarm.handles import agent_of, agents_of
from palaver.model.clock_text import is_plausible, read_time
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.masking.masks import clip
from palaver.model.message import Message
from palaver.model.mounted_files import Provenance
from palaver.model.names import EVERYONE

_SIX: Final = frozenset(SIX)
_TYPES: Final = ", ".join(BARE)


def read_record(table: Mapping[str, object], director: str, provenance: Provenance) -> LineEntry:
    """Return the message of a record and what is odd about it, or raise `Unreadable`."""
    problems: list[Problem] = []
    sender = _sender(table, problems)
    to, unnamed = _recipients(table, problems)
    kind = _type(table, problems)
    text = _text(table, "content")
    if not text.strip(" \t\r\n"):
        raise Unreadable("SWA007", "the record has no content", "write the message in content")
    reasoning = _text(table, "reasoning")
    said = act_text.read(kind, text, is_director=sender == director)
    message = Message(
        sender=sender,
        to=to,
        body=said.body,
        act=said.act,
        reasoning="" if reasoning in ABSENT else reasoning,
        task=said.task,
        meta={"to": unnamed} | said.meta if unnamed else said.meta,
        tag=said.tag,
        at=_time(table, problems),
    )
    if not table.keys() <= _SIX:
        message = extra_fields.read(message, table, provenance)
    return LineEntry((message,), problems)


def _sender(table: Mapping[str, object], problems: list[Problem]) -> str:
    sender = _text(table, "from")
    if not sender:
        raise Unreadable("SWA007", "the record has no sender", "write the sender in from")
    if sender[0] == "@":
        problems.append(Problem("SWA025", "from is written with @", "write the bare name in from"))
    try:
        return agent_of(sender.removeprefix("@"))
    except BadName as fault:
        raise Unreadable.because_of_name("SWA008", fault) from fault


def _recipients(table: Mapping[str, object], problems: list[Problem]) -> tuple[list[str], str]:
    """Return the recipients and, if none are named, how they were left out."""
    to = table.get("to")
    if unnamed := unnamed_form(table):
        return [EVERYONE], unnamed
    if type(to) is str:
        problems.append(Problem("SWA025", "to is a string", 'write a list, as ["@qa"]'))
        to = [to]
    if type(to) is not list or not all(type(each) is str for each in to):
        raise Unreadable("SWA009", "to is not a list of handles", 'write handles, as ["@qa"]')
    if len(to) > RECIPIENTS:
        fix = 'write null or ["@all"] for everyone'
        raise Unreadable("SWA009", f"to has more than {RECIPIENTS} handles", fix)
    bare = next((each for each in to if each[:1] != "@"), None)
    if bare is not None:
        message = f"the handle {clip(bare, 80)!a} has no @"
        problems.append(Problem("SWA025", message, "write @ in front of a handle"))
    try:
        return list(agents_of(tuple(to))), ""
    except BadName as fault:
        raise Unreadable.because_of_name("SWA008", fault) from fault


def unnamed_form(table: Mapping[str, object]) -> str:
    """Return how a record names no recipient; empty if it names one."""
    to = table.get("to")
    if to == []:
        return "empty"
    if to is None:
        return "null" if "to" in table else "absent"
    return ""


def _type(table: Mapping[str, object], problems: list[Problem]) -> str:
    kind = table.get("type")
    if kind is None:
        problems.append(Problem("SWA024", "the record has no type", f"write one of {_TYPES}"))
        return "message"
    if type(kind) is not str or kind not in BARE:
        raise Unreadable("SWA010", f"the type {clip(ascii(kind), 40)} does not exist", f"use one of {_TYPES}")
    return kind


def _text(table: Mapping[str, object], field: str) -> str:
    value = table.get(field)
    if value is None:
        return ""
    if type(value) is not str:
        raise Unreadable("SWA007", f"{field} is not a string", f"write {field} as a string")
    return value


def _time(table: Mapping[str, object], problems: list[Problem]) -> str:
    written = table.get("ts")
    if written is None:
        problems.append(Problem("SWA021", "the record has no time", "write ts, as 2026-01-25T23:45:00.000Z"))
        return ""
    found = read_time(written) if type(written) is str else None
    if found is None:
        message = f"{clip(ascii(written), 40)} is not a time"
        problems.append(Problem("SWA022", message, "write ts as 2026-01-25T23:45:00.000Z"))
        return ""
    if not found.has_zone:
        problems.append(Problem("SWA023", "the time has no zone and is read as UTC", "append Z"))
    elif not is_plausible(found.text):
        message = f"the year {found.text[:4]} is implausible"
        problems.append(Problem("SWA023", message, "check the writer's clock"))
    return found.text
