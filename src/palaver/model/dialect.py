"""A dialect: how one file protocol is read and written. Pure: no disk, no clock, no chance.

`parse` is total: any bytes become pieces and findings, never an exception. The pieces cover every byte
exactly once, in order, so that nothing of a foreign file can be dropped unseen. `render` writes what
`parse` reads back as the same message: what the dialect has no word for travels beside the text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from palaver.model.finding import Finding
from palaver.model.message import Message


class Mount(NamedTuple):
    """A dialect at a folder: its name, and what its config says (who is the manager, who is A, …)."""

    dialect: str
    name: str = ""
    settings: Mapping[str, str] = MappingProxyType({})


class Source(NamedTuple):
    """Bytes of a file, from some offset on.

    `whole` says that nothing more will come: what is unfinished at the end counts as it stands. Without
    it, an unfinished end is `pending`, and whoever reads on starts there, with `offset` and `line` set.
    """

    path: str
    content: bytes
    mount: Mount
    offset: int = 0
    line: int = 1
    whole: bool = True


class Kind(StrEnum):
    """What a piece of a file is."""

    EVENT = "event"
    QUARANTINED = "quarantined"
    BLANK = "blank"
    PENDING = "pending"


class Piece(NamedTuple):
    """A run of bytes that belong together: where they are, and what they say.

    A tuple, because a file has as many as it has lines, and nothing is made faster.
    """

    kind: Kind
    #: In the file, not in the source.
    start: int
    length: int
    line: int
    #: Messages, or what else the dialect's files hold (work orders, assignments, events of its own).
    values: tuple[object, ...] = ()
    #: For quarantined bytes: the code of the reason.
    reason: str = ""


class Parsed(NamedTuple):
    """What a source says."""

    pieces: tuple[Piece, ...]
    findings: tuple[Finding, ...]

    @property
    def messages(self) -> Iterator[Message]:
        """Yield the messages, in order."""
        for piece in self.pieces:
            for value in piece.values:
                if type(value) is Message:
                    yield value


class Rule(NamedTuple):
    """A pure judge. Its manual is the docstring of its file: why, a bad and a good example."""

    code: str
    name: str
    manual: str
    #: Takes the file and all files that are judged together, by path; yields what it found.
    check: Callable[[Source, Parsed, Mapping[str, Parsed]], Iterator[Finding]]


class Growth(StrEnum):
    """How a file of a protocol changes."""

    #: Lines or blocks are appended; what stands there stays.
    LOG = "log"
    #: One file is one whole message, dropped into a folder.
    DROP = "drop"
    #: One small file that is replaced: its content is what holds now.
    STATE = "state"


class Watched(NamedTuple):
    """Files of a mount that are read: the folder in it, a pattern of their names, and how they change."""

    folder: str
    pattern: str
    growth: Growth


def nowhere(message: Message, mount: Mount, file: str) -> tuple[str, ...]:  # noqa: ARG001 - one of many
    """Return no file: what stands in one file of the mount is seen by everyone there."""
    return ()


def nobody(mount: Mount, files: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG001 - one of many
    """Return no agent: nobody is known before he says something."""
    return ()


class Dialect(NamedTuple):
    """One file protocol, as `wiring.py` lists it."""

    name: str
    parse: Callable[[Source], Parsed]
    #: The bytes of a message in one file of the mount; pure, so the same message gives the same bytes.
    render: Callable[[Message, Mount, str], bytes]
    #: The files, relative to the mount, in which a message stands.
    files: Callable[[Message, Mount], tuple[str, ...]]
    #: How surely a file is of this dialect, by its path and first bytes: 0 no, 1 perhaps, 2 likely, 3 sure.
    recognises: Callable[[str, bytes], int]
    #: Brings the rules: only lint asks for them.
    judges: Callable[[], tuple[Rule, ...]]
    #: What the parser itself finds: code → one line.
    codes: Mapping[str, str] = MappingProxyType({})
    #: The files that are read, the first to be looked at first.
    watched: tuple[Watched, ...] = ()
    #: The other files of the same mount in which a message that was found in one must still stand: by its
    #: sender, recipients and auth alone.
    onward: Callable[[Message, Mount, str], tuple[str, ...]] = nowhere
    #: Who lives in a mount before saying anything, by its settings and the names of its files.
    residents: Callable[[Mount, Iterable[str]], tuple[str, ...]] = nobody

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return what its files are judged by."""
        return self.judges()
