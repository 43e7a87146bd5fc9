"""What the rules of runbus share: messages with their front matter, ids, and short examples.

In the manual page of a rule

    codex ANSWER (no runId; relatesTo: MSG-20260126-101500-claude-5f2): The second one.

stands for a whole block. Its author has the fields below; those in parentheses replace them, follow them, or
are left out (`no runId`). A text of several lines begins on the next line and takes the rest of the example.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from palaver.dialects.runbus.blocks import Blocks
from palaver.dialects.runbus.front_matter import Fields, read_fields
from palaver.dialects.runbus.grammar import BESIDE, ID, OUR_ID
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.message import Message
from palaver.model.mounted_files import Place

_AUTHORS: Final = {
    "claude": ("MSG-20260126-101500-claude-5f2", "claude-research-1", "2026-01-26T10:15:00Z"),
    "codex": ("MSG-20260126-101700-codex-a1b", "codex-impl-1", "2026-01-26T10:17:00Z"),
}
_EXAMPLE: Final = re.compile(
    rf"^    ({'|'.join(_AUTHORS)}) ([A-Z]+)(?: \(([^()\n]*)\))?:(?: (.+\n)|\n((?:    .*\n|\n)+))", re.M
)


@dataclass(frozen=True, slots=True)
class BusEntry:
    """A message in its file. A line in an older form has no front matter."""

    place: Place
    message: Message
    front: Fields | None

    @property
    def is_translated(self) -> bool:
        """Return True if it was first written in another dialect."""
        return self.front is not None and any(name.startswith(BESIDE) for name in self.front)

    @property
    def kind(self) -> str:
        """Return its type in capitals, as written."""
        return self.field("type").upper()

    def field(self, name: str) -> str:
        """Return a field of the front matter as written, or an empty text."""
        return (self.front or {}).get(name, ("", ""))[1]

    def violation(self, message: str, fix: str) -> Violation:
        """Return a violation at this message."""
        return Violation(self.place, message, fix)


def entries(file: CheckedFile) -> Iterator[BusEntry]:
    """Yield every message of a file, in order."""
    for place, message, raw in file.messages():
        yield BusEntry(place, message, _front(raw.removeprefix(BYTE_ORDER_MARK)))


def check_has_field(file: CheckedFile, *, field: str, key: str, form: str) -> Violations:
    """Yield the messages whose front matter lacks a required field; `form` says what to write."""
    for entry in entries(file):
        if entry.front is not None and not entry.field(field):
            yield entry.violation(f"it has no {key}", f"write {key}: {form} for none")


def known_as(written: Iterable[str]) -> frozenset[str]:
    """Return all ids of messages in a file: those written there, and ours."""
    ids = set(written)
    return frozenset(ids | {f"{OUR_ID}{each.rpartition('-')[2]}" for each in ids if ID.fullmatch(each)})


def expand_examples(manual: str) -> str:
    """Return a manual page with its short examples written out as blocks."""
    return _EXAMPLE.sub(_block, manual)


@lru_cache(maxsize=4_096)
def _front(content: bytes) -> Fields | None:
    if not content.startswith(b"---"):
        return None
    block = Blocks(content, whole=True).block(0)
    assert block is not None, "a message was read here before"
    return read_fields(content[block.front : block.rule].decode().replace("\r\n", "\n"))


def _block(match: re.Match[str]) -> str:
    author, kind, changes, line, lines = match.groups()
    message_id, agent, at = _AUTHORS[author]
    fields = {"messageId": message_id, "type": kind, "agent": agent, "timestamp": at}
    fields |= {"runId": "run_001", "taskId": "TASK-parser"}
    for change in changes.split("; ") if changes else ():
        key, _, value = change.partition(": ")
        if value:
            fields[key] = value
        else:
            del fields[key.removeprefix("no ")]
    head = "".join(f"    {key}: {value}\n" for key, value in fields.items())
    text = f"    {line}" if line else f"{lines.rstrip()}\n"
    return f"    ---\n{head}    ---\n\n{text}\n    ---\n"
