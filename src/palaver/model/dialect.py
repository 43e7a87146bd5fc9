"""A dialect: how one file protocol is read and written. Pure: no disk, no clock, no chance.

`parse` is total: any bytes become pieces and findings, never an exception. The pieces cover every byte
exactly once, in order, so that nothing of a foreign file can be dropped unseen. `render` writes what
`parse` reads back as the same message: what the dialect has no word for travels beside the text.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections import _tuplegetter  # type: ignore[import-not-found]  # typeshed leaves it out
from _collections_abc import Callable, Iterable, Iterator, Mapping

from palaver.model.finding import Finding
from palaver.model.message import Message
from palaver.model.value import Value


class Mount(Value):
    """A dialect at a folder: its name, and what its config says (who is the manager, who is A, …)."""

    __slots__ = ("dialect", "name", "settings")

    def __init__(self, dialect: str, name: str = "", settings: Mapping[str, str] | None = None) -> None:
        """Take the dialect, what the mount is called, and its settings."""
        self.dialect = dialect
        self.name = name
        self.settings: Mapping[str, str] = settings or {}


class Source(Value):
    """Bytes of a file, from some offset on.

    `whole` says that nothing more will come: what is unfinished at the end counts as it stands. Without
    it, an unfinished end is `pending`, and whoever reads on starts there, with `offset` and `line` set.
    """

    __slots__ = ("content", "line", "mount", "offset", "path", "whole")

    def __init__(  # noqa: PLR0917 - the order is that of a file: which, what, where
        self,
        path: str,
        content: bytes,
        mount: Mount,
        offset: int = 0,
        line: int = 1,
        whole: bool = True,  # noqa: FBT001, FBT002 - always named
    ) -> None:
        """Take the path and the bytes, and where in the file they stand."""
        self.path = path
        self.content = content
        self.mount = mount
        self.offset = offset
        self.line = line
        self.whole = whole


class Kind(str):
    """What a piece of a file is."""

    __slots__ = ()

    EVENT: "Kind"
    QUARANTINED: "Kind"
    BLANK: "Kind"
    PENDING: "Kind"


Kind.EVENT = Kind("event")
Kind.QUARANTINED = Kind("quarantined")
Kind.BLANK = Kind("blank")
Kind.PENDING = Kind("pending")


class Piece(tuple[Kind, int, int, int, tuple[object, ...], str]):
    """A run of bytes that belong together: where they are, and what they say.

    A tuple, because a file has as many as it has lines, and nothing is made faster.
    """

    __slots__ = ()

    kind: Kind = _tuplegetter(0, "What it is.")
    start: int = _tuplegetter(1, "Where it starts, in the file, not in the source.")
    length: int = _tuplegetter(2, "How many bytes it has.")
    line: int = _tuplegetter(3, "The line that it starts in.")
    #: Messages, or what else the dialect's files hold (work orders, assignments, events of its own).
    values: tuple[object, ...] = _tuplegetter(4, "What it says.")
    reason: str = _tuplegetter(5, "For quarantined bytes: the code of the reason.")

    def __new__(  # noqa: PLR0917 - names would make it slower
        cls,
        kind: Kind,
        start: int,
        length: int,
        line: int,
        values: tuple[object, ...] = (),
        reason: str = "",
    ) -> "Piece":
        """Take all of it."""
        return tuple.__new__(cls, (kind, start, length, line, values, reason))

    def _replace(
        self, *, kind: Kind | None = None, values: tuple[object, ...] | None = None, reason: str | None = None
    ) -> "Piece":
        """Return the same bytes, as something else."""
        return Piece(
            self.kind if kind is None else kind,
            self.start,
            self.length,
            self.line,
            self.values if values is None else values,
            self.reason if reason is None else reason,
        )


class Parsed(Value):
    """What a source says."""

    __slots__ = ("findings", "pieces")

    def __init__(self, pieces: tuple[Piece, ...], findings: tuple[Finding, ...]) -> None:
        """Take what stands there, and what is odd about it."""
        self.pieces = pieces
        self.findings = findings

    @property
    def messages(self) -> Iterator[Message]:
        """Yield the messages, in order."""
        for piece in self.pieces:
            for value in piece.values:
                if type(value) is Message:
                    yield value


class Rule(Value):
    """A pure judge. Its manual is the docstring of its file: why, a bad and a good example."""

    __slots__ = ("check", "code", "manual", "name")

    def __init__(
        self,
        code: str,
        name: str,
        manual: str,
        check: Callable[[Source, Parsed, Mapping[str, Parsed]], Iterator[Finding]],
    ) -> None:
        """Take its names and its check.

        That takes the file and all files that are judged together, by path, and yields what it found.
        """
        self.code = code
        self.name = name
        self.manual = manual
        self.check = check


class Growth(str):
    """How a file of a protocol changes."""

    __slots__ = ()

    #: Lines or blocks are appended; what stands there stays.
    LOG: "Growth"
    #: One file is one whole message, dropped into a folder.
    DROP: "Growth"
    #: One small file that is replaced: its content is what holds now.
    STATE: "Growth"


Growth.LOG = Growth("log")
Growth.DROP = Growth("drop")
Growth.STATE = Growth("state")


class Watched(Value):
    """Files of a mount that are read: the folder in it, a pattern of their names, and how they change."""

    __slots__ = ("folder", "growth", "pattern")

    def __init__(self, folder: str, pattern: str, growth: Growth) -> None:
        """Take the three."""
        self.folder = folder
        self.pattern = pattern
        self.growth = growth


def nowhere(message: Message, mount: Mount, file: str) -> tuple[str, ...]:  # noqa: ARG001 - one of many
    """Return no file: what stands in one file of the mount is seen by everyone there."""
    return ()


def nobody(mount: Mount, files: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG001 - one of many
    """Return no agent: nobody is known before he says something."""
    return ()


class Dialect(Value):
    """One file protocol, as `wiring.py` lists it."""

    __slots__ = (
        *("codes", "files", "judges", "name", "onward", "parse", "recognises", "render", "residents"),
        "watched",
    )

    def __init__(
        self,
        *,
        name: str,
        parse: Callable[[Source], Parsed],
        render: Callable[[Message, Mount, str], bytes],
        files: Callable[[Message, Mount], tuple[str, ...]],
        recognises: Callable[[str, bytes], int],
        judges: Callable[[], tuple[Rule, ...]],
        codes: Mapping[str, str] | None = None,
        watched: tuple[Watched, ...] = (),
        onward: Callable[[Message, Mount, str], tuple[str, ...]] = nowhere,
        residents: Callable[[Mount, Iterable[str]], tuple[str, ...]] = nobody,
    ) -> None:
        """Take all that a dialect is."""
        self.name = name
        self.parse = parse
        #: The bytes of a message in one file of the mount; pure, so the same message gives the same bytes.
        self.render = render
        #: The files, relative to the mount, in which a message stands.
        self.files = files
        #: How surely a file is of it, by its path and first bytes: 0 no, 1 perhaps, 2 likely, 3 sure.
        self.recognises = recognises
        #: Brings the rules: only lint asks for them.
        self.judges = judges
        #: What the parser itself finds: code → one line.
        self.codes: Mapping[str, str] = codes or {}
        #: The files that are read, the first to be looked at first.
        self.watched = watched
        #: The other files of the same mount in which a message that was found in one must still stand: by its
        #: sender, recipients and auth alone.
        self.onward = onward
        #: Who lives in a mount before saying anything, by its settings and the names of its files.
        self.residents = residents

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return what its files are judged by."""
        return self.judges()
