"""The files of a mount, as its dialect sees them: sources, pieces, findings. Pure: no disk, no clock.

`parse` is total: any bytes become pieces and findings, never an exception. The pieces cover every byte
exactly once, in order, so that no byte of a foreign file is dropped unseen. `render` writes what `parse`
reads back as the same message: what the dialect has no word for is written beside the text.
"""

from base64 import b32encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import Enum, StrEnum
from hashlib import blake2b
from typing import ClassVar, NamedTuple

from palaver.model.message import Message
from palaver.model.plain import dumps


@dataclass(frozen=True, slots=True)
class Mount:
    """A dialect at a folder: its name, and its settings in the config (the manager, who is A, …)."""

    dialect: str
    name: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def mount_of(name: str, settings: Mapping[str, object]) -> Mount:
    """Return a mount by the settings that are in force."""
    known = {key: value for key, value in settings.items() if type(value) is str}
    return Mount(dialect=known.get("dialect", ""), name=name, settings=known)


class Provenance(Enum):
    """Which of the fields that palaver writes beside a text are read back; any program could write them."""

    #: All of them: only for bytes that we have written ourselves.
    ALL = "all"
    #: Ids and relations, never who speaks to whom, or with what authority.
    RELATIONS = "relations"
    #: None: the log knows what we wrote.
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes of a file, from some offset on.

    `whole` means that nothing more will come: an unfinished end is read as it is. Without it, an unfinished
    end is `pending`, and the next read starts there, with `offset` and `line` set.
    """

    path: str
    content: bytes
    mount: Mount
    offset: int = 0
    line: int = 1
    whole: bool = True
    provenance: Provenance = Provenance.ALL
    #: Whether somebody of the mount has a name. Without it, every name may be somebody's.
    is_known: Callable[[str], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A line or a file of a dialect that is not a message: the log keeps its fields."""

    #: What the log calls it.
    kind: ClassVar[str] = ""

    def plain(self) -> dict[str, object]:
        """Return its fields, in their order."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMark:
    """A line that says that its recipient has read a message."""

    message_id: str
    reader: str
    read_at: str


class Kind(StrEnum):
    """What a piece of a file is."""

    EVENT = "event"
    QUARANTINED = "quarantined"
    BLANK = "blank"
    PENDING = "pending"


class Piece(NamedTuple):
    """A run of bytes that belong together: where they are, and what they say.

    A tuple, because a file has as many of them as it has lines.
    """

    kind: Kind
    #: Offset in the file, not in the source.
    start: int
    length: int
    #: The number of its first line.
    line: int
    #: Messages, or other records of the dialect's files (work orders, assignments, events).
    values: tuple[object, ...] = ()
    #: For quarantined bytes: the code of the reason.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file: its path, the line (from 1), and the byte (from 0)."""

    path: str
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a line, and where. A value, never an exception: the line is kept."""

    code: str
    place: Place
    #: What is wrong.
    message: str
    #: The way out.
    fix: str

    def __str__(self) -> str:
        """One line, as compilers write it."""
        return f"{self.place.path}:{self.place.line}: {self.code} {self.message}; {self.fix}"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"code": self.code, **asdict(self.place), "message": self.message, "fix": self.fix}


@dataclass(frozen=True, slots=True)
class Parsed:
    """The pieces of a source, and the findings about them."""

    pieces: tuple[Piece, ...]
    findings: tuple[Finding, ...]

    @property
    def messages(self) -> Iterator[Message]:
        """Yield the messages, in order."""
        for piece in self.pieces:
            for value in piece.values:
                if type(value) is Message:
                    yield value


#: Takes a source, its pieces, and all files that are checked together, by path.
Check = Callable[[Source, Parsed, Mapping[str, Parsed]], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class LintRule:
    """A pure check of a file. Its manual is the docstring of its module: why, a bad and a good example."""

    code: str
    name: str
    manual: str
    check: Check
    #: True if a line is judged by other lines, too. The live bus applies only the other rules, line by line:
    #: it knows what the other lines have led to, and judges by that.
    needs_context: bool = False
    #: True if the lines shortly above are all that it needs: then the live bus applies it, too.
    looks_back: bool = False
    #: True if a line that answers a question does not break it.
    spares_answers: bool = False

    @property
    def why(self) -> str:
        """Return why the rule exists: the first sentence of that paragraph of its manual."""
        said = self.manual.partition("\nWhy: ")[2].partition("\n\n")[0].replace("\n", " ")
        return f"{said[:1].upper()}{said[1:].partition('. ')[0].rstrip('.')}." if said else ""


class Growth(StrEnum):
    """How a file of a protocol changes."""

    #: Lines or blocks are appended; earlier content stays.
    LOG = "log"
    #: One file is one complete message, dropped into a folder.
    DROP = "drop"
    #: One small file that is replaced: its content is the current state.
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Watched:
    """Files of a mount that are read: the folder in it, a pattern of their names, and how they change."""

    folder: str
    pattern: str
    growth: Growth


class MisnamedFile(NamedTuple):
    """A file that is meant as one of the protocol, and has a name that nobody looks for."""

    #: Who writes it, as the mount calls them; empty if that is not clear.
    author: str
    #: What is wrong, and the way out.
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MisnamedFiles:
    """How files are found that are meant as files of the protocol, and have another name."""

    #: The code of the rule that they break.
    code: str = ""
    #: The watched folder that is searched for them.
    folder: str = ""
    #: By its name and its beginning, what a file that is not watched is meant as; None if it is not.
    find: Callable[[Source], MisnamedFile | None] = lambda _: None


def content_id(message: Message) -> str:
    """Return the id of a message that has none of its own: made from what it says.

    Equal lines have equal ids. Recipients do not count, because each may have a line.
    """
    said = (message.sender, message.id, message.at, message.act, message.task, message.subject, message.body)
    more = [message.priority, message.meta] if message.meta or message.priority != "normal" else []
    digest = blake2b(dumps([*said, *more]).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return f"msg-{b32encode(digest)[:12].decode().lower()}"
