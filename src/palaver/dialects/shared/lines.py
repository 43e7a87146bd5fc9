"""Files in which a line is an entry: split, bounded, and read one by one.

A line that is longer than an entry may be is quarantined in parts of that length, and its rest is read as a
line of its own. So an endless line costs no more memory than a long one, and it is cut at the same places
however it arrives.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.model.limits import LINE_BYTES, LINE_ENTRIES
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Parsed, Source


class LineEntry(NamedTuple):
    """What a line says: its values, and what is odd about them."""

    values: tuple[object, ...]
    problems: list[Problem]
    #: Bytes in front of the entry that an interrupted writer left behind, and what to say about them.
    torn: int = 0
    torn_problem: Problem | None = None
    #: Where the next entry begins, if its writer has left out the newline; 0 if the line ends with this one.
    next_entry: int = 0


def parse_lines(source: Source, read: Callable[[bytes], LineEntry], too_long: Problem) -> Parsed:
    """Return a source whose lines `read` understands; it raises `Unreadable` for a line that says nothing."""
    builder = PieceBuilder(source)
    for line, end, is_complete in split_lines(source):
        while len(line) > LINE_BYTES:
            builder.quarantine(builder.end + LINE_BYTES, too_long)
            line = line[LINE_BYTES:]
        if not is_complete and not source.whole:
            builder.add(Kind.PENDING, end)
            continue
        mark = source.offset + builder.end == 0 and line.startswith(BYTE_ORDER_MARK)
        text = line[len(BYTE_ORDER_MARK) :] if mark else line
        if not text.strip(b" \t\r"):
            builder.add(Kind.BLANK, end)
        elif not _add_entries(builder, text, builder.end + len(line) - len(text), end, read):
            builder.quarantine(end, too_long)
    return builder.parsed()


def _add_entries(
    builder: PieceBuilder, text: bytes, start: int, end: int, read: Callable[[bytes], LineEntry]
) -> bool:
    """Add the entries of a line: nearly always one. Return False if there are too many, and some are left."""
    for _ in range(LINE_ENTRIES):
        try:
            entry = read(text)
        except Unreadable as fault:
            builder.quarantine(end, fault.problem)
            return True
        if entry.torn_problem is not None:
            builder.quarantine(start + entry.torn, entry.torn_problem)
        if entry.values:
            builder.add(
                Kind.EVENT,
                start + entry.next_entry if entry.next_entry else end,
                entry.values,
                entry.problems,
            )
        if not entry.next_entry:
            return True
        text, start = text[entry.next_entry :], start + entry.next_entry
    return False


def read_back_line(content: bytes, read: Callable[[bytes], LineEntry]) -> Message | None:
    """Return the message that `read` finds in a rendered line; None if there is not exactly one of each."""
    line, _, behind = content.partition(b"\n")
    if behind or len(line) > LINE_BYTES:
        return None
    try:
        entry = read(line)
    except Unreadable:
        return None
    is_alone = len(entry.values) == 1 and not entry.torn and not entry.next_entry
    found = entry.values[0] if is_alone else None
    return found if isinstance(found, Message) else None


def split_lines(source: Source) -> Iterator[tuple[bytes, int, bool]]:
    """Yield each line without its newline, where it ends in the content, and whether it has a newline."""
    *lines, tail = source.content.split(b"\n")
    end = 0
    for line in lines:
        end += len(line) + 1
        yield line, end, True
    if tail:
        yield tail, end + len(tail), False
