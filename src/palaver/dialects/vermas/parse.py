"""Bytes of a vermas file into messages, work orders, assignments and events.

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"…",…}

One line, one message; adjacent lines that differ only in `to` are one message to several recipients. A line
that cannot be read is quarantined, and reading goes on.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from palaver.dialects.shared.lines import LineEntry, parse_lines
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.mail import read_mail
from palaver.dialects.vermas.records import read_assignment, read_event, read_work_order
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Parsed, Piece, ReadMark, Source
from palaver.model.strict_json import NotAnObject, loads_object, split_objects

_Read = Callable[[dict[str, object], list[Problem]], tuple[object, ...]]
#: The fields by which a record belongs in its file, whatever else it has.
_OWN_FIELDS: Final = {
    grammar.MAIL: frozenset(["from", "to"]),
    grammar.ORDERS: frozenset(["title", "status"]),
    grammar.EVENTS: frozenset(["event_id", "event_type"]),
}
_ONE_EACH: Final = "write one JSON object per line, and end it with a newline"
_TOO_LONG: Final = Problem("VER002", f"the line is longer than {LINE_BYTES} bytes", "put the text in a file")


def parse(source: Source) -> Parsed:
    """Read a vermas file; its name tells what it holds."""
    name = source.path.rpartition("/")[2]
    if name.startswith(grammar.ASSIGNMENT):
        return _parse_assignment(source, name)
    if name == "work_orders.jsonl":
        return _parse_lines(
            source, grammar.ORDERS, lambda fields, problems: (read_work_order(fields, problems),)
        )
    if name in ("events.jsonl", "feed.jsonl"):
        return _parse_lines(source, grammar.EVENTS, lambda fields, problems: (read_event(fields, problems),))
    read = partial(read_mail, provenance=source.provenance)
    return _join_recipients(_parse_lines(source, grammar.MAIL, read), source)


def _parse_lines(source: Source, file: str, read: _Read) -> Parsed:
    def read_line(line: bytes) -> LineEntry:
        problems: list[Problem] = []
        line = line.strip(b" \t\r").removeprefix(BYTE_ORDER_MARK)
        try:
            fields = loads_object(line)
            _check_file(fields, file)
            return LineEntry(read(fields, problems), problems)
        except NotAnObject as fault:
            parts = split_objects(line)
            if len(parts) > 1:
                return _read_glued(parts, read)
            raise Unreadable("VER001", str(fault), _ONE_EACH) from fault

    return parse_lines(source, read_line, _TOO_LONG)


def _check_file(fields: dict[str, object], file: str) -> None:
    """Raise `Unreadable` for a record that lacks what the records of its file have, and is one of another."""
    home = grammar.file_of(fields)
    if home and home != file and _OWN_FIELDS[file].isdisjoint(fields):
        raise Unreadable("VER009", f"this record belongs in {home}", f"append it to {home}")


def _read_glued(parts: list[bytes], read: _Read) -> LineEntry:
    """Return the mail of a line that lacks only newlines; each work order must have a line of its own."""
    what = f"{len(parts)} records are on one line"
    problems = [Problem("VER001", f"{what}; they are read as {len(parts)} messages", _ONE_EACH)]
    values = [value for part in parts for value in read(loads_object(part), problems)]
    if not all(isinstance(value, Message | ReadMark) for value in values):
        raise Unreadable("VER001", what, _ONE_EACH)
    return LineEntry(tuple(values), problems)


def _join_recipients(parsed: Parsed, source: Source) -> Parsed:
    """Return the pieces of a mail file, with the lines of a message to several recipients as one piece."""
    pieces: list[Piece] = []
    for piece in parsed.pieces:
        joined = _join(pieces[-1], piece) if pieces else None
        if joined:
            pieces[-1] = joined
        else:
            pieces.append(piece)
    if not source.whole:
        # The next line may be the same message to another recipient.
        rest = [pieces.pop()] if pieces and pieces[-1].kind is Kind.PENDING else []
        rest += [pieces.pop()] if pieces and pieces[-1].kind is Kind.EVENT else []
        if rest:
            start, line = rest[-1].start, rest[-1].line
            pieces.append(Piece(Kind.PENDING, start, source.offset + len(source.content) - start, line))
    reported = {piece.start for piece in pieces if piece.kind is not Kind.PENDING}
    return Parsed(tuple(pieces), tuple(each for each in parsed.findings if each.place.offset in reported))


def _join(first: Piece, second: Piece) -> Piece | None:
    """Return two adjacent lines as one message to all their recipients; None if they are two messages."""
    messages = [[value for value in piece.values if type(value) is Message] for piece in (first, second)]
    if [len(each) for each in messages] != [1, 1]:
        return None
    (one,), (other,) = messages
    if not one.id or one.id != other.id or set(one.to) & set(other.to):
        return None
    message = one.replace(to=one.to + other.to)
    if message != other.replace(to=message.to):
        return None
    values = (message, *first.values[1:], *second.values[1:])
    return first._replace(length=first.length + second.length, values=values)


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
            found = read_assignment(name, content.strip(b" \t\r\n" + BYTE_ORDER_MARK))
            builder.add(Kind.EVENT, len(content), (found,))
        except Unreadable as fault:
            builder.quarantine(len(content), fault.problem)
    return builder.parsed()
