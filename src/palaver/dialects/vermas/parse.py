"""Bytes of a vermas file into messages, work orders, assignments and events.

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"…",…}

One line, one message; adjacent lines that differ only in `to` are one message to several recipients. A line
that cannot be read is quarantined, and reading goes on.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from palaver.dialects.shared.lines import split_lines
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.dialects.shared.translation import with_fields
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.mail import read_mail
from palaver.dialects.vermas.records import read_assignment, read_event, read_work_order
from palaver.model.dialect import Kind, Parsed, Source
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.strict_json import NotAnObject, loads_object

_Fields = dict[str, object]


class _Line(NamedTuple):
    """One or more lines that were read as one message; blank if it has neither values nor a fault."""

    end: int
    values: tuple[object, ...] = ()
    problems: Sequence[Problem] = ()
    #: What its first line says.
    fields: _Fields | None = None
    #: Why it cannot be read.
    fault: Problem | None = None


def parse(source: Source) -> Parsed:
    """Read a vermas file; its name tells what it holds."""
    name = source.path.rpartition("/")[2]
    if name.startswith(grammar.ASSIGNMENT):
        return _parse_assignment(source, name)
    if name == "work_orders.jsonl":
        return _parse_records(source, read_work_order)
    if name in ("events.jsonl", "feed.jsonl"):
        return _parse_records(source, read_event)
    return _parse_mail(source)


def _parse_records(source: Source, read: Callable[[_Fields, list[Problem]], object]) -> Parsed:
    builder = PieceBuilder(source)
    for line, end, is_complete in split_lines(source):
        if not is_complete and not source.whole:
            builder.add(Kind.PENDING, end)
            continue
        problems: list[Problem] = []
        try:
            fields = _load(line, source.offset + builder.end)
            values = (read(fields, problems),) if fields is not None else ()
        except Unreadable as fault:
            builder.quarantine(end, fault.problem)
        else:
            builder.add(Kind.EVENT if values else Kind.BLANK, end, values, problems)
    return builder.parsed()


def _parse_mail(source: Source) -> Parsed:
    builder = PieceBuilder(source)
    lines: list[_Line] = []
    for line in _mail_lines(source):
        joined = _join(lines[-1], line) if lines else None
        if joined:
            lines[-1] = joined
        else:
            lines.append(line)
    if not source.whole and lines and lines[-1].values:
        # The next line may be the same message to another recipient.
        lines.pop()
    for line in lines:
        if line.fault:
            builder.quarantine(line.end, line.fault)
        else:
            builder.add(Kind.EVENT if line.values else Kind.BLANK, line.end, line.values, line.problems)
    if builder.end < len(source.content):
        builder.add(Kind.PENDING, len(source.content))
    return builder.parsed()


def _mail_lines(source: Source) -> Iterator[_Line]:
    start = source.offset
    for line, end, is_complete in split_lines(source):
        if is_complete or source.whole:
            yield _read_line(line, start, end)
        start = source.offset + end


def _read_line(line: bytes, offset: int, end: int) -> _Line:
    problems: list[Problem] = []
    try:
        fields = _load(line, offset)
        if fields is None:
            return _Line(end)
        message, mark = read_mail(fields, problems)
    except Unreadable as fault:
        return _Line(end, fault=fault.problem)
    return _Line(end, (message, mark) if mark else (message,), problems, fields)


def _join(first: _Line, second: _Line) -> _Line | None:
    """Return two lines as one message to all their recipients; None if they are two messages."""
    if first.fields is None or second.fields is None:
        return None
    one, other = first.values[0], second.values[0]
    assert type(one) is Message
    assert type(other) is Message
    if not one.id or one.id != other.id or set(one.to) & set(other.to):
        return None
    if _unaddressed(first.fields) != _unaddressed(second.fields):
        return None
    message, unusable = with_fields(one, {"to": one.to + other.to})
    assert not unusable, unusable
    values = (message, *first.values[1:], *second.values[1:])
    return _Line(second.end, values, first.problems, first.fields)


def _unaddressed(fields: _Fields) -> _Fields:
    """Return what is the same on every line of a message to several recipients."""
    return {name: value for name, value in fields.items() if name not in ("to", "read_at")}


def _parse_assignment(source: Source, name: str) -> Parsed:
    builder = PieceBuilder(source)
    content = source.content
    if not content:
        return builder.parsed()
    if not source.whole:
        # A second line may still come, and then the file is not an assignment.
        builder.add(Kind.PENDING, len(content))
    elif not content.strip():
        builder.add(Kind.BLANK, len(content))
    else:
        try:
            found = read_assignment(name, content.strip(b" \t\r\n\xef\xbb\xbf"))
            builder.add(Kind.EVENT, len(content), (found,))
        except Unreadable as fault:
            builder.quarantine(len(content), fault.problem)
    return builder.parsed()


def _load(line: bytes, offset: int) -> _Fields | None:
    """Return the object of a line, or None if the line is blank."""
    content = line.strip(b" \t\r")
    if offset == 0:
        content = content.removeprefix(BYTE_ORDER_MARK).strip(b" \t\r")
    if not content:
        return None
    if len(content) > LINE_BYTES:
        raise Unreadable("VER002", f"the line has {len(content)} bytes", f"keep it under {LINE_BYTES}")
    try:
        return loads_object(content)
    except NotAnObject as fault:
        raise Unreadable("VER001", str(fault), "write one JSON object per line") from fault
