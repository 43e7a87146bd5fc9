"""Bytes of an office log into messages.

    [2026-02-11T10:00:00Z] [INFO] by: emp-a1 | Which port?     -> ask, emp-a1 to the manager
    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: 8080.            -> answer, the manager to emp-a1

One line, one entry. A line that cannot be read is quarantined with the reason, and reading goes on. If two
writers collided and a complete entry follows a torn one on the same line, the complete entry is read.
"""

from dataclasses import replace
from functools import partial
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.entry import is_exact, read_entry
from palaver.dialects.office.grammar import Desk
from palaver.dialects.office.layout import OfficeLog, log_of
from palaver.dialects.office.model_names import is_model_name
from palaver.dialects.shared.lines import LineEntry, parse_lines
from palaver.dialects.shared.pieces import Problem, Unreadable, decode
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Parsed, Provenance, Source

_TOO_LONG: Final = Problem(
    "OFF002", f"the line is longer than {LINE_BYTES} bytes", "put the text in a file, and name the file"
)
_GLUED: Final = Problem(
    "OFF011",
    "a torn entry is followed by another on the same line",
    "write each entry at once, with its newline",
)
#: The problem of a text that could be taken for two entries.
ENTRY_INSIDE: Final = Problem(
    "OFF025",
    "the text contains a complete entry",
    "if two writers collided, write the second entry again on its own line",
)


def parse(source: Source) -> Parsed:
    """Read every line; report why a line cannot be read."""
    log = log_of(source.path, source.mount)
    log = replace(log, provenance=source.provenance, is_known=source.is_known)
    is_live = source.provenance is Provenance.NONE
    read = _read_of_nobody if is_live and is_model_name(log.owner) else read_line
    return parse_lines(source, partial(read, log=log), _TOO_LONG)


def _read_of_nobody(line: bytes, log: OfficeLog) -> LineEntry:
    """Refuse what a model says in a log that is named after one: that is nobody."""
    entry = read_line(line, log)
    if any(is_model_name(value.sender) for value in entry.values if isinstance(value, Message)):
        message = f"{log.owner} is a model name; the log of an employee is employee-<employeeId>.log"
        raise Unreadable("OFF105", message, "name the log after the employeeId")
    return entry


def read_line(line: bytes, log: OfficeLog) -> LineEntry:
    """Return what a line of a log says, or raise `Unreadable`."""
    text = decode(line, not_utf8="OFF001", nul="OFF003").removesuffix("\r")
    if "\r" in text:
        message = "the line contains a carriage return"
        raise Unreadable("OFF003", message, "write plain text, one entry per line")
    if log.desk is Desk.WORKER:
        text = grammar.narrowed(text)
    inside = _entry_inside(text)
    if inside and text[inside - 1] not in grammar.QUOTING:
        return _behind_torn(text, inside, log)
    try:
        messages, problems = read_entry(text, log)
    except Unreadable:
        if inside:
            return _behind_torn(text, inside, log)
        raise
    return LineEntry(messages, [*problems, ENTRY_INSIDE] if inside else problems)


def _entry_inside(text: str) -> int:
    """Return where the last complete entry inside a line begins; 0 if there is none."""
    if "[20" not in text[1:] or not text.startswith("["):
        return 0
    starts = [found.start() for found in grammar.INSIDE.finditer(text, 1)]
    return starts[-1] if starts and is_exact(text[starts[-1] :]) else 0


def _behind_torn(text: str, start: int, log: OfficeLog) -> LineEntry:
    messages, problems = read_entry(text[start:], log)
    return LineEntry(messages, problems, len(text[:start].encode()), _GLUED)
