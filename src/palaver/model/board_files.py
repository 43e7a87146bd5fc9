"""Files that show the board and that programs other than the bus may edit; a codec for each kind of them.

A codec reads the edits that a file asks for, and writes the file so that it shows the board. Both are pure:
`sync/board_files/` opens, compares and replaces the files.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar, NamedTuple, Protocol

from palaver.model.event import Event
from palaver.model.mounted_files import Mount, Watched
from palaver.model.task import Task


class NameForms(Protocol):
    """The names of a mount, and the names that the bus has for them."""

    def shown(self, agent: str) -> str:
        """Return what an agent is called in the mount."""

    def speaker(self, written: str) -> str:
        """Return the agent that a name of the mount means, or refuse the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTask:
    """A task with its dependencies."""

    task: Task
    needs: tuple[str, ...] = ()
    #: Those of its needs that are not done.
    waits_for: tuple[str, ...] = ()
    #: When it was last moved or changed; empty if it was only opened.
    changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMove:
    """A move of a task that was tried."""

    at: str
    actor: str
    act: str
    task: str
    #: Why it had no effect; empty if it had one.
    why: str
    #: The first words of the message.
    gist: str
    #: The state of the task before and after.
    before: str = ""
    after: str = ""
    #: The agent that got the task by it; empty if none did.
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the files of a mount show."""

    mount: Mount
    names: NameForms
    #: All tasks by id, the oldest first.
    tasks: Mapping[str, BoardTask]
    #: The agents of the mount, as they are called there, and what is assigned to them: `work_order:wo-1`.
    assignments: Mapping[str, str]
    #: The moves of a task that were tried, in order.
    moves: Callable[[str], list[BoardMove]] = lambda _: []


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEdit:
    """The state of a task that a file asks for. Ids and names are as they are written in the file."""

    task: str
    #: The dialect's word for the state; empty if the file does not say.
    status: str
    #: The agent that has the task; empty for nobody, None if the file does not say.
    assignee: str | None
    #: Other fields, by the names that the bus has for them.
    fields: Mapping[str, object]
    #: Fields of a task that the bus does not know yet, where `fields` has none.
    defaults: Mapping[str, object] = field(default_factory=dict)
    #: The writer, if the file belongs to one agent.
    by: str = ""
    #: The time of the state that the edit starts from; empty if the file does not say.
    at: str = ""
    #: True if the edit counts for unknown tasks only, because the file may be out of date.
    is_only_for_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentEdit:
    """What a file assigns to an agent, nothing if `ref_type` is empty."""

    #: The agent as a file name calls it, with `-` for `/`.
    agent: str
    ref_type: str = ""
    ref_id: str = ""

    @property
    def line(self) -> str:
        """Return it as one line, empty if nothing is assigned."""
        return f"{self.ref_type}:{self.ref_id}" if self.ref_type else ""


Edit = TaskEdit | AssignmentEdit


class IllegibleError(Exception):
    """A file that its codec cannot read."""

    def __init__(self, code: str, why: str, *, may_grow: bool = False) -> None:
        """Take the code, the reason, and whether the file may only be incomplete."""
        super().__init__(why)
        self.code = code
        self.why = why
        self.may_grow = may_grow


class BoardFile(ABC):
    """A codec: one kind of file that shows the board."""

    #: The files: of growth STATE, or LOG for files of lines that others append to.
    watched: ClassVar[Watched]
    #: What the log calls such a file.
    kind: ClassVar[str]
    #: True if taking the file away has the same effect as emptying it.
    is_cleared_by_removal: ClassVar[bool] = False
    #: True if the file exists even while the board is empty.
    is_always_there: ClassVar[bool] = False

    def files(self, board: Board) -> Iterable[str]:  # noqa: ARG002 - one file shows the whole board
        """Return the files that the board needs, relative to the mount: by default the watched one."""
        folder, name = self.watched.folder, self.watched.pattern
        return (f"{folder}/{name}" if folder else name,)

    @abstractmethod
    def read(self, file: str, content: bytes, mount: Mount) -> tuple[Edit, ...]:
        """Return the edits that a file, or a line of a file of lines, asks for; or raise `IllegibleError`."""

    @abstractmethod
    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the content that shows the board, keeping what others wrote; the same if nothing differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """A file that every move of a task is appended to."""

    file: str
    #: The line of a move; empty for one that is left out.
    line: Callable[[BoardMove, Board], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFiles:
    """The files of a dialect that show the board."""

    codecs: tuple[BoardFile, ...] = ()
    #: A mount has them if one of these files or folders exists; without any, every mount does.
    signs: tuple[str, ...] = ()
    #: The setting of a mount that decides it instead: `ours` or `theirs`.
    setting: str = ""
    timeline: Timeline | None = None
    #: True if agents look for their assignments here.
    show_assignments: bool = False

    def codec(self, file: str) -> BoardFile | None:
        """Return the codec of a file of the mount, None if it is not one of these."""
        folder, _, name = file.rpartition("/")
        for each in self.codecs:
            if each.watched.folder == folder and fnmatchcase(name, each.watched.pattern):
                return each
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventEffects:
    """What an event did."""

    #: The agents that a message reached.
    delivered: tuple[str, ...] = ()
    #: The move of a task.
    move: BoardMove | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFile:
    """A file that every event of the bus is appended to."""

    file: str
    #: The lines of an event.
    render: Callable[[Event, EventEffects], bytes]
    #: Prefixes of event types that are left out. A line about this file would ask for another.
    omitted: tuple[str, ...] = ("file.", "log.")


class MailLine(NamedTuple):
    """A line of a mail file: its id, its recipient, and what it says about them."""

    id: str
    to: str
    is_read: bool
    is_undeliverable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MailFile:
    """A file of all mail of a mount, which shows what the log has, though agents append to it too.

    Its lines say whether a message was read, and whether it could be delivered.
    """

    file: str
    #: What a line is; None if it is no message.
    read: Callable[[bytes], MailLine | None]
    #: The line with another id, `undeliverable` or `read_at`.
    correct: Callable[[bytes, Mapping[str, object]], bytes]
