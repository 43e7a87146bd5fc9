"""The line of a message as its author would write it: with blanks to fill in, and proved by reading it.

Pure: no disk, no clock, no randomness.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from palaver.model.message import Message
from palaver.model.mounted_files import Mount, Provenance, Source
from palaver.model.names import EVERYONE
from palaver.model.spec import DialectSpec
from palaver.model.task import canonical_id

_SENTENCE: Final = "<a few words>"
_REASON: Final = "<why you do this>"
_FILES: Final[tuple[dict[str, object], ...]] = ({"path": "<file1>"}, {"path": "<file2>"})
#: What to write for the words of a move.
_WORDS: Final = {
    "assign": "<what to do>",
    "block": "<why>",
    "deliver": "<the result, in one line>",
    "handoff": "<what is left to do>",
    "refuse": "<why>",
    "rework": "<what is missing>",
}


def words_of_move(act: str) -> str:
    """Return a blank for the words of a move; empty if it needs none."""
    return _WORDS.get(act, "")


def offered_line(dialect: DialectSpec, message: Message, mount: Mount, file: str) -> str:
    """Return the line that says a message in a file; empty if a live reader would not take it for that."""
    for wanted in _with_blanks(message):
        for each in _wordings(dialect, wanted):
            content = dialect.render(each, mount, file)
            if _says(dialect, wanted, Source(file, content, mount, provenance=Provenance.NONE)):
                return content.decode().strip()
    return ""


def _with_blanks(message: Message) -> Iterator[Message]:
    """Yield a message with blanks for what it lacks, then with fewer: not every dialect has the fields."""
    reasons = dict.fromkeys((message.reasoning or _REASON, message.reasoning))
    files = (message.files, message.files or [*_FILES])
    words = dict.fromkeys((message.body, message.body or _SENTENCE))
    optional = (dict.fromkeys((given, "")) for given in (message.id, message.subject))
    for message_id, subject, reasoning, named, body in product(*optional, reasons, files, words):
        yield message.replace(id=message_id, subject=subject, reasoning=reasoning, files=named, body=body)


def _wordings(dialect: DialectSpec, message: Message) -> Iterator[Message]:
    """Yield the forms in which a message names its task and its recipients: in a field, or in its words."""
    yield message
    words = [message.body, *([f"task #{message.task} {message.body}".strip()] if message.task else ())]
    yield from (message.replace(body=body) for body in words[1:])
    if dialect.addressing.mentions_add_recipients:
        mentions = " ".join(f"@{each.removeprefix('@')}" for each in message.to if each != EVERYONE)
        yield from (message.replace(to=[EVERYONE], body=f"{mentions} {body}".strip()) for body in words)


def _says(dialect: DialectSpec, wanted: Message, source: Source) -> bool:
    """Return True if a live reader of these bytes gets the message that is meant, and objects to nothing."""
    parsed = dialect.parse(source)
    found = [*parsed.messages]
    rules = (rule for rule in dialect.rules if not rule.needs_context)
    if len(found) != 1 or parsed.findings or any(any(rule.check(source, parsed, {})) for rule in rules):
        return False
    if dialect.is_closed is not None and not dialect.is_closed(parsed, source.content):
        return False
    [read] = found
    has_recipients = read.to == wanted.to or all(f"@{each}" in read.body for each in wanted.to)
    has_fields = wanted.id in ("", read.id) and wanted.subject in ("", read.subject)
    return has_recipients and has_fields and _meaning(read) == _meaning(wanted)


def _meaning(message: Message) -> tuple[object, ...]:
    files = [file.get("path") for file in message.files]
    return (message.sender, message.act, canonical_id(message.task), message.reasoning, files)
