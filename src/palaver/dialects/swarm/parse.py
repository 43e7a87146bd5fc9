"""Bytes of a channel into messages.

    {"ts":"2026-01-25T23:45:00.000Z","from":"qa","to":["@td"],"type":"status","reasoning":"…","content":"…"}

One line, one message. A line that cannot be read is quarantined with the reason, and reading goes on.

A writer may die in the middle of a line, and the next writer then continues on the same line:

    {"ts":"2026-01-25T23:45:00.000Z","from":"progr{"ts":"2026-01-25T23:46:00.000Z","from":"qa",…}

Inside a JSON text every quote is escaped, so `{"ts":` can only begin an object. The second record is read and
the torn one is quarantined, unless the torn record could be quoting the second as one of its values. If only
the newline is missing, all records of the line are read.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Final

from palaver.dialects.shared.lines import LineEntry, parse_lines
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, Problem, Unreadable
from palaver.dialects.shared.translation import FIELDS
from palaver.dialects.swarm.grammar import SIX
from palaver.dialects.swarm.layout import director_of
from palaver.dialects.swarm.record import read_record
from palaver.model.limits import LINE_BYTES, META_FIELDS
from palaver.model.mounted_files import Parsed, Provenance, Source
from palaver.model.strict_json import (
    Ambiguous,
    NotAnObject,
    NotUtf8,
    OtherValue,
    begins_with_value,
    loads_object,
)

_Read = Callable[[dict[str, object]], LineEntry]
#: The six fields, the ones written beside them, and as many of other programs as a message may have.
_KEYS_MAX: Final = len(SIX) + len(FIELDS) + META_FIELDS
#: `{`, `}`, `"from": "qa",`: the lines of an object that was printed over several lines.
_PRETTY_PRINTED: Final = re.compile(
    r'\s*(?:[{}\[\]],?|"(?:[^"\\]|\\.)*",?|"[\w.-]+"\s*:\s*(?:[\[{]|.*[^}\s]))\s*', re.S
)
_CONFLICT_MARKER: Final = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?|={7}")
_RECORD_START: Final = re.compile(rb'\{ ?"(?:ts|from)" ?:')
#: A line is torn once, perhaps twice. More attempts would make a bad line cost more than a good one.
_ATTEMPTS: Final = 8
_ONE_LINE: Final = "write each message as one JSON object on one line, as jq -c does"
_TOO_LONG: Final = Problem(
    "SWA005",
    f"the line is longer than {LINE_BYTES} bytes, or has too many records",
    "send a long text as a file, and name the file",
)
_TORN: Final = Problem("SWA011", "a torn record precedes a complete one", "end every record with a newline")


def parse(source: Source) -> Parsed:
    """Read every line; report why a line cannot be read."""
    return parse_lines(
        source,
        partial(read_line, director=director_of(source.mount), provenance=source.provenance),
        _TOO_LONG,
    )


def read_line(line: bytes, director: str, provenance: Provenance = Provenance.ALL) -> LineEntry:
    """Return what a line of a channel says, or raise `Unreadable`."""
    read = partial(read_record, director=director, provenance=provenance)
    try:
        return read(_load(line))
    except Unreadable as fault:
        if fault.problem.code in ("SWA001", "SWA002"):
            found = _read_first(line, read) or _read_behind_torn(line, read)
            if found:
                return found
        raise


def _read_first(line: bytes, read: _Read) -> LineEntry | None:
    """Return the first record of a line on which another record begins behind it."""
    for end in _starts(line):
        try:
            table = _load(line[:end])
        except Unreadable:
            continue
        try:
            return read(table)._replace(next_entry=end)
        except Unreadable as fault:
            return LineEntry((), [], end, fault.problem, next_entry=end)
    return None


def _read_behind_torn(line: bytes, read: _Read) -> LineEntry | None:
    """Return the complete record behind a torn one, if there is one."""
    starts = _starts(line)
    if not starts or begins_with_value(line.decode("utf-8", "replace")):
        return None
    for start in starts:
        # Behind one of these the second record may be a value of the first.
        if line[:start].rstrip()[-1:] not in (b":", b",", b"["):
            with suppress(Unreadable):
                return read(_load(line[start:]))._replace(torn=start, torn_problem=_TORN)
    return None


def _starts(line: bytes) -> list[int]:
    """Return where further records may begin on a line."""
    return [match.start() for match in islice(_RECORD_START.finditer(line, 1), _ATTEMPTS)]


def _load(line: bytes) -> dict[str, object]:
    line = line.strip(b" \t\r").removeprefix(BYTE_ORDER_MARK)
    try:
        table = loads_object(line)
    except Ambiguous as fault:
        raise _ambiguous(str(fault)) from fault
    except NotUtf8 as fault:
        raise Unreadable("SWA001", f"the line is not UTF-8: {fault}", "write the file in UTF-8") from fault
    except OtherValue as fault:
        if _PRETTY_PRINTED.fullmatch(line.decode()):
            raise _not_an_object(line.decode()) from fault
        raise Unreadable("SWA002", f"the line is not one JSON object: {fault}", _ONE_LINE) from fault
    except NotAnObject as fault:
        raise _not_an_object(line.decode("utf-8", "replace")) from fault
    if len(table) > _KEYS_MAX:
        raise _ambiguous(f"it has more than {_KEYS_MAX} keys")
    return table


def _ambiguous(why: str) -> Unreadable:
    return Unreadable("SWA006", f"the JSON is ambiguous: {why}", "use plain values, and each key once")


def _not_an_object(text: str) -> Unreadable:
    if _CONFLICT_MARKER.fullmatch(text):
        fix = "merge the file, keeping the lines of both sides"
        return Unreadable("SWA004", "the line is a git conflict marker", fix)
    if _PRETTY_PRINTED.fullmatch(text):
        return Unreadable("SWA003", "the line is part of an object printed over several lines", _ONE_LINE)
    return Unreadable("SWA002", "the line is not one JSON object", _ONE_LINE)
