"""Bytes of mounted files: where they are, what they are, and the events that they become."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import blake2b
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from palaver.log.clock import new_id, now
from palaver.model.event import Draft, number, text
from palaver.model.limits import FINDINGS, FOUND_CHARS
from palaver.model.masking.masks import masked_after
from palaver.model.message import Message
from palaver.model.mounted_files import Finding
from palaver.model.names import BUS
from palaver.model.secrets import mask_value, masked
from palaver.model.task import TASK_ACTS
from palaver.model.waits import WAITS
from palaver.views.files.findings import findings_of
from palaver.views.files.line_notices import LINE_TWICE

# Acts of lines that have no effect a second time.
_EFFECTIVE = TASK_ACTS | {"autonomy", "leave"} | {act for kind in WAITS for act in kind.asked_by}


def hashed(content: bytes) -> str:
    """Return the hash of a piece of a file; blanks around it do not count."""
    return blake2b(content.strip(), digest_size=8).hexdigest()


def words_of(content: bytes) -> str:
    """Return the hash of the text of a dropped file, whatever its line ends are."""
    return hashed(content.replace(b"\r\n", b"\n"))


class EntryKind(Enum):
    """What a run of bytes is, seen from the log."""

    #: A rendering of ours, found in its place.
    OURS = "ours"
    #: Bytes that the log has already: they were there before the file was rewritten, or were copied.
    KEPT = "kept"
    #: Something another program wrote.
    NEW = "new"
    #: Bytes that could not be parsed.
    JUNK = "junk"
    #: A long stretch of blanks.
    BLANK = "blank"


class FileBlock(NamedTuple):
    """Bytes that were read at once, and their offset in the file."""

    start: int
    content: bytes

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets in the file."""
        return self.content[start - self.start : end - self.start]


class FileEntry(NamedTuple):
    """A run of bytes of one file that becomes one event, or a part of one."""

    kind: EntryKind
    block: FileBlock
    start: int
    end: int
    #: By what it is ordered among the entries of other files; never earlier than that of the entry before.
    time: str = ""
    #: What it says: messages, or records of a dialect.
    values: tuple[object, ...] = ()
    #: The messages among them.
    messages: tuple[Message, ...] = ()
    #: OURS: the event that was rendered. KEPT: the event that took the line in from a replaced file, or 0.
    seq: int = 0
    #: JUNK: a code and a sentence.
    reason: tuple[str, str] = ("", "")
    findings: tuple[Finding, ...] = ()
    #: KEPT: whether the log knows the message by its id, not its line by its bytes.
    is_repeated: bool = False

    @property
    def raw(self) -> bytes:
        """Return the bytes."""
        return self.block.slice(self.start, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlace:
    """A file, and which of its generations: a rewritten file begins another one."""

    mount: str
    file: str
    gen: int
    #: The identity of a file that is read as a whole.
    mark: str = ""
    #: Whether its bytes were written before the mount existed.
    history: bool = False
    #: Where the bytes end that were in it when another program rewrote it; 0 if none did.
    rewritten: int = 0

    def is_rewritten(self, src: dict[str, object]) -> bool:
        """Return True if these bytes were in the file when another program rewrote it."""
        return number(src, "off") < self.rewritten

    def src(self, offset: int, length: int, sha: str) -> dict[str, object]:
        """Return the bytes that an event came from, as the event names them."""
        found: dict[str, object] = {
            "mount": self.mount,
            "file": self.file,
            "gen": self.gen,
            "off": offset,
            "len": length,
            "sha": sha,
        }
        if self.mark:
            found["mark"] = self.mark
        if self.history:
            found["history"] = 1
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LineNote:
    """What is odd about a line that was recorded, and the agents that are told of it."""

    code: str
    said: str
    fix: str = "take it out"
    line: int = 0
    #: How many lines it is about, if they are counted together.
    lines: int = 0
    #: The name of the rule, if there is one for the code.
    rule: str = ""
    author: str = ""
    #: Agents that must know of it, too.
    others: tuple[str, ...] = ()
    #: The message of the line, if it has one.
    message_id: str = ""
    #: A word of the line that is wrong, or the name of the file, and the one that was meant.
    wrong: str = ""
    meant: str = ""

    def by(self, author: str) -> "LineNote":
        """Return the same note about a line of this author."""
        return replace(self, author=author)

    def about(self, message_id: str) -> "LineNote":
        """Return the same note about a message."""
        return replace(self, message_id=message_id)

    def fields(self) -> dict[str, object]:
        """Return what its event holds."""
        more: dict[str, object] = {"lines": self.lines, "rule": self.rule}
        more |= {"author": self.author, "message_id": self.message_id}
        more |= {"wrong": self.wrong, "meant": self.meant}
        data: dict[str, object] = {
            "code": self.code,
            "message": self.said,
            "fix": self.fix,
            "line": self.line,
        }
        data |= {name: value for name, value in more.items() if value}
        return data | ({"others": [*self.others]} if self.others else {})


def mention_note(stranger: str, close: Sequence[str], *, is_for_all: bool) -> LineNote:
    """Return the note about a mention of an agent that does not exist, and the names that may be meant."""
    meant = [f"@{name}" for name in close]
    said = f"nobody is called {stranger}" + (", so it is for everyone" if is_for_all else "")
    return LineNote(
        code="unknown-mention",
        said=f"{said}; did you mean {' or '.join(meant)}?" if meant else said,
        fix="an agent is known once it has written a message",
        wrong=stranger,
        meant=meant[0] if meant else "",
    )


def effective(values: Sequence[object]) -> list[Message]:
    """Return the messages of a line that move a task, ask something, or change what an agent may do."""
    return [each for each in values if type(each) is Message and each.act in _EFFECTIVE]


def said_by(message: Message) -> str:
    """Return what a line with an effect is known by besides its bytes: who says what when, about which task.

    An editor may write a line in another form, and words may follow it. Empty if the line has no time, which
    would be nothing to know it by, or an id, which is.
    """
    if not message.at or message.id or message.act not in _EFFECTIVE:
        return ""
    second, _, fraction = message.at.rstrip("Z").partition(".")
    at = f"{second}.{fraction.rstrip('0')}"
    first_line = masked(message.body).strip().partition("\n")[0]
    words = " ".join(first_line.casefold().split()).rstrip(".!")
    parts = (message.sender, at, message.act, message.task, *sorted(message.to), words)
    return hashed("\0".join(parts).lower().encode())


def kept(src: dict[str, object]) -> Draft:
    """Return the event of a line that has no effect because it was read before."""
    return draft("file.kept", {"shas": [text(src, "sha")], "copy": True}, src)


def copy_note(message: Message, sender: str, to: Sequence[str]) -> LineNote:
    """Return the note about such a line: for its author, and for the first agent that must not rely on it."""
    others = [each for each in to if not each.startswith("@") and each != sender]
    wanted = "the time of now and an id of its own" if message.id else "the time of now"
    return LineNote(
        code=LINE_TWICE,
        said=f"this line of {sender} was read before, and a line counts once: it has no effect now",
        fix=f"if you mean it again, write a new line with {wanted}",
        author=sender,
        others=tuple(others[:1]),
    )


def plain_value(value: object) -> object:
    """Return a value of a record as an event holds it."""
    if isinstance(value, dict):
        return {str(key): plain_value(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)


def secret_note(families: Sequence[str]) -> LineNote:
    """Return the note about a line that held secrets of these families."""
    named = ", ".join(dict.fromkeys(families))
    said = f"it held a secret ({named}); the log has it masked"
    return LineNote(code="secret", said=said, fix="replace the secret, and take it out of the file")


def shown_text(content: bytes, above: bytes = b"") -> str:
    """Return the text of a line as an event may hold it: bounded, and without secrets.

    `above` is what precedes it in its file: the line may be a part of a key.
    """
    shown = content.decode("utf-8", "replace").strip()
    # Masked before it is cut, so that half a secret never stays.
    return masked_after(above.decode("utf-8", "replace"), shown)[:FOUND_CHARS]


class BlockFindings:
    """Adds findings to events, up to a number for each block of a file.

    Without a limit, a program that writes a million odd lines would get a million of them.
    """

    def __init__(self) -> None:
        """Begin a block."""
        self._count = 0

    def has_room(self) -> bool:
        """Count one finding more; return False if it is one too many."""
        self._count += 1
        return self._count <= FINDINGS

    def attach(self, event: Draft, notes: Iterable[LineNote], content: bytes) -> None:
        """Add findings to the event of their line, so that the log has both or neither (docs/adr/0050)."""
        known = findings_of(event)
        found = [_fields(note) for note in notes if self.has_room()]
        if not found:
            return
        event.data["found"] = [*known, *found]
        is_told = any("author" in each for each in found) and not number(event.src or {}, "history")
        if is_told:
            event.data["text"] = shown_text(content)

    def note(self, place: FilePlace, note: LineNote) -> list[Draft]:
        """Return the event of a finding about a file as a whole; nothing if there were too many."""
        if not self.has_room():
            return []
        src: dict[str, object] = {"mount": place.mount, "file": place.file}
        if place.history:
            src["history"] = 1
        return [draft("file.found", {**_fields(note), "src": src})]


def _fields(note: LineNote) -> dict[str, object]:
    """Return what an event holds of a finding: what it quotes of the line may be a secret."""
    fields, _ = mask_value(note.fields())
    assert isinstance(fields, dict), fields
    return fields


@dataclass(slots=True)
class IntakeBatch:
    """Events on their way into the log, those of one file in the order of its bytes."""

    drafts: list[Draft] = field(default_factory=list)
    #: The messages among them.
    messages: list[Message] = field(default_factory=list)

    def add(self, drafts: Iterable[Draft], messages: Iterable[Message] = ()) -> None:
        """Add events, and the messages among them."""
        self.drafts += drafts
        self.messages += messages

    def recipients(self) -> list[str]:
        """Return the addresses of its messages."""
        return sorted(set(chain.from_iterable(map(attrgetter("to"), self.messages))))


def draft(
    event_type: str, data: dict[str, object], src: dict[str, object] | None = None, **more: str
) -> Draft:
    """Return an event by the bus itself."""
    return Draft(
        event_type,
        actor=more.pop("actor", BUS),
        data=data,
        event_id=new_id("evt"),
        timestamp=now(),
        auth=more.pop("auth", "token"),
        src=src,
        **more,
    )
