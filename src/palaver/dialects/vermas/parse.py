"""Bytes of a vermas file into messages, work orders, assignments and events.

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"…",…}

One line, one message; neighbouring lines that differ only in `to` are one message to several. A line that
cannot be read is quarantined and reading goes on: an agent continues without it, and nobody loses it.
"""

from collections.abc import Callable

from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.lines import Notebook, Wrong, bounded, lines, pending
from palaver.dialects.vermas.mail import message
from palaver.dialects.vermas.records import assignment, work_event, work_order
from palaver.dialects.vermas.swift import swift
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.strict import Unreadable, loads_object


def parse(source: Source) -> Parsed:
    """Read one of the files of vermas; which one, its name says."""
    name = source.path.rpartition("/")[2]
    if name.startswith(grammar.ASSIGNMENT):
        return _assignment(source, name)
    if name == "work_orders.jsonl":
        return _records(source, work_order)
    if name in ("events.jsonl", "feed.jsonl"):
        return _records(source, work_event)
    return _mail(source)


def _records(source: Source, value: Callable[[dict[str, object], Notebook], object]) -> Parsed:
    notes = Notebook(source.path)
    pieces: list[Piece] = []
    for start, length, number, content in lines(source):
        notes.at(number, start)
        if not content:
            pieces.append(Piece(Kind.BLANK, start, length, number))
            continue
        try:
            bounded(content)
            found = value(loads_object(content), notes)
        except (Wrong, Unreadable) as fault:
            pieces.append(notes.quarantine(_wrong(fault), start, length))
        else:
            pieces.append(Piece(Kind.EVENT, start, length, number, (found,)))
    return _finished(source, pieces, notes)


def _mail(source: Source) -> Parsed:
    notes = Notebook(source.path)
    pieces: list[Piece] = []
    # The line before, if it was a message: the next one may say the same to somebody else.
    before, before_id = b"", ""
    for start, length, number, content in lines(source):
        plain = swift(content) if length <= LINE_BYTES else None
        if plain is not None and plain.id != before_id:
            pieces.append(Piece(Kind.EVENT, start, length, number, (plain,)))
            before, before_id = content, plain.id
            continue
        notes.at(number, start)
        piece = _letter(content, notes, Piece(Kind.BLANK, start, length, number))
        letter = piece.values[0] if piece.values else None
        if type(letter) is not Message:
            pieces.append(piece)
            before, before_id = b"", ""
            continue
        if (
            letter.id
            and letter.id == before_id
            and _says_the_same(before, content)
            and _disjoint(pieces[-1], letter)
        ):
            pieces[-1] = _joined(pieces[-1], piece, letter.to)
        else:
            pieces.append(piece)
        before, before_id = content, letter.id
    return _held(source, _finished(source, pieces, notes))


def _letter(content: bytes, notes: Notebook, place: Piece) -> Piece:
    """Return a line as a piece, the careful way."""
    if not content:
        return place
    try:
        bounded(content)
        letter, mark = message(loads_object(content), notes)
    except (Wrong, Unreadable) as fault:
        return notes.quarantine(_wrong(fault), place.start, place.length)
    return place._replace(kind=Kind.EVENT, values=(letter, mark) if mark else (letter,))


def _says_the_same(before: bytes, content: bytes) -> bool:
    """Tell whether two lines differ only in whom they address, and whether it was read."""
    return _said(before) == _said(content)


def _said(content: bytes) -> dict[str, object]:
    return {name: value for name, value in loads_object(content).items() if name not in ("to", "read_at")}


def _disjoint(piece: Piece, letter: Message) -> bool:
    """Tell whether a line names nobody that the lines before it have named."""
    first = piece.values[0]
    assert type(first) is Message
    return not set(first.to) & set(letter.to)


def _joined(first: Piece, next_one: Piece, to: list[str]) -> Piece:
    """Return one piece for two lines of one message."""
    letter = first.values[0]
    assert type(letter) is Message
    letter.to = letter.to + to
    length = first.length + next_one.length
    return Piece(first.kind, first.start, length, first.line, first.values + next_one.values[1:])


def _held(source: Source, parsed: Parsed) -> Parsed:
    """Hold the last message back while another line of it may still come."""
    if source.whole or not parsed.pieces:
        return parsed
    pieces = list(parsed.pieces)
    tail = pieces.pop() if pieces[-1].kind is Kind.PENDING else None
    if not pieces or pieces[-1].kind is not Kind.EVENT:
        return parsed
    last = pieces.pop()
    length = last.length + (tail.length if tail else 0)
    pieces.append(Piece(Kind.PENDING, last.start, length, last.line))
    findings = tuple(f for f in parsed.findings if f.place.offset < last.start)
    return Parsed(tuple(pieces), findings)


def _assignment(source: Source, name: str) -> Parsed:
    notes = Notebook(source.path)
    notes.at(source.line, source.offset)
    content = source.content
    if not source.whole:
        # One file, one assignment: a second line may still come, and then the whole file is none.
        pieces = [Piece(Kind.PENDING, source.offset, len(content), source.line)] if content else []
        return Parsed(tuple(pieces), ())
    if not content:
        return Parsed((), ())
    if not content.strip():
        return Parsed((Piece(Kind.BLANK, source.offset, len(content), source.line),), ())
    try:
        found = assignment(name, content.strip(b" \t\r\n\xef\xbb\xbf"))
    except Wrong as wrong:
        return Parsed((notes.quarantine(wrong, source.offset, len(content)),), tuple(notes.findings))
    piece = Piece(Kind.EVENT, source.offset, len(content), source.line, (found,))
    return Parsed((piece,), tuple(notes.findings))


def _wrong(fault: Wrong | Unreadable) -> Wrong:
    return fault if isinstance(fault, Wrong) else Wrong("VER001", str(fault), "write one JSON object a line")


def _finished(source: Source, pieces: list[Piece], notes: Notebook) -> Parsed:
    tail = pending(source)
    return Parsed((*pieces, tail) if tail else tuple(pieces), tuple(notes.findings))
