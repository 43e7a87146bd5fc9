"""Bytes of a channel into messages.

    {"ts":"2026-01-25T23:45:00.000Z","from":"qa","to":["@td"],"type":"status","reasoning":"…","content":"…"}

One line, one message. A line that we cannot read is kept whole, with the reason, and reading goes on. A line
that is longer than any message may be is cut: so a reader needs to hold no more than one such length.
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.swarm.careful import careful
from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.fault import Fault
from palaver.dialects.swarm.salvage import salvaged
from palaver.dialects.swarm.swift import swift
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES

_MARK: Final = b"\xef\xbb\xbf"
_TOO_LONG: Final = Fault(
    "SWA005", f"the line is longer than {LINE_BYTES} bytes", "send a long text as a file, and name it"
)
_TORN: Final = Fault(
    "SWA011", "a torn record stands in front of a whole one", "end every record with a newline"
)


def parse(source: Source) -> Parsed:
    """Read every line; say of every line that we cannot read why."""
    pieces: list[Piece] = []
    findings: list[Finding] = []
    desk = Desk(source.mount)
    event, start, number = Kind.EVENT, source.offset, source.line
    lines = source.content.split(b"\n")
    tail = lines.pop()
    for raw in lines:
        length = len(raw) + 1
        message = swift(raw, desk)
        if message is not None:
            pieces.append(Piece(event, start, length, number, (message,)))
        else:
            for piece, faults in _line(raw, desk, start, number, ended=1):
                pieces.append(piece)
                findings += _findings(source, piece, faults)
        start += length
        number += 1
    unfinished = _line(tail, desk, start, number, ended=0) if source.whole else _pending(tail, start, number)
    for piece, faults in unfinished if tail else ():
        pieces.append(piece)
        findings += _findings(source, piece, faults)
    return Parsed(tuple(pieces), tuple(findings))


def _line(
    raw: bytes, desk: Desk, start: int, number: int, *, ended: int
) -> Iterator[tuple[Piece, list[Fault]]]:
    """Yield what a line is made of, with what is odd about it; `ended` is the length of its newline."""
    if len(raw) > LINE_BYTES:
        cut = (len(raw) - 1) // LINE_BYTES * LINE_BYTES
        yield from _cut(cut, start, number)
        raw, start = raw[cut:], start + cut
    length = len(raw) + ended
    line = raw.removeprefix(_MARK) if start == 0 else raw
    line = line.strip(b" \t\r")
    if not line:
        yield Piece(Kind.BLANK, start, length, number), []
        return
    message, faults = careful(line, desk)
    if message is not None:
        yield Piece(Kind.EVENT, start, length, number, (message,)), faults
        return
    found = salvaged(raw, desk) if faults[0].code in ("SWA001", "SWA002") else None
    if found is None:
        yield _quarantined(start, length, number, faults[0])
        return
    torn, message, notes = found
    yield _quarantined(start, torn, number, _TORN)
    yield Piece(Kind.EVENT, start + torn, length - torn, number, (message,)), notes


def _pending(tail: bytes, start: int, number: int) -> Iterator[tuple[Piece, list[Fault]]]:
    """Yield a tail that is still being written; of one that is too long already, only the end is awaited."""
    cut = (len(tail) - 1) // LINE_BYTES * LINE_BYTES
    yield from _cut(cut, start, number)
    yield Piece(Kind.PENDING, start + cut, len(tail) - cut, number), []


def _cut(length: int, start: int, number: int) -> Iterator[tuple[Piece, list[Fault]]]:
    for place in range(start, start + length, LINE_BYTES):
        yield _quarantined(place, LINE_BYTES, number, _TOO_LONG)


def _quarantined(start: int, length: int, number: int, fault: Fault) -> tuple[Piece, list[Fault]]:
    return Piece(Kind.QUARANTINED, start, length, number, (), fault.code), [fault]


def _findings(source: Source, piece: Piece, faults: list[Fault]) -> Iterator[Finding]:
    if faults:
        place = Place(path=source.path, line=piece.line, offset=piece.start)
        for fault in faults:
            yield Finding(code=fault.code, place=place, message=fault.message, fix=fault.fix)
