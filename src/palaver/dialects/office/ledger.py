"""What the files of one office say together: every message with its place, for rules."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from palaver.dialects.office.layout import INBOX, manager_of
from palaver.model.dialect import Parsed, Source
from palaver.model.finding import Finding, Place
from palaver.model.message import Message
from palaver.model.names import EVERYONE

_SECONDS: Final = len("2026-02-11T10:00:00")


class Filed(NamedTuple):
    """A message of the ledger, and where it stands."""

    place: Place
    message: Message


def entries(path: str, parsed: Parsed) -> Iterator[Filed]:
    """Yield the messages of one file, in order."""
    for piece in parsed.pieces:
        for value in piece.values:
            if type(value) is Message:
                yield Filed(Place(path=path, line=piece.line, offset=piece.start), value)


def reported(parsed: Parsed, code: str) -> Iterator[Finding]:
    """Yield what the parser has found already, for the rules that are its manual pages."""
    return (finding for finding in parsed.findings if finding.code == code)


def moment(at: str) -> tuple[str, str]:
    """Return a time as something that sorts: with and without a fraction of a second."""
    return at[:_SECONDS], at[_SECONDS + 1 : -1]


class Ledger:
    """The files of one folder that are judged together."""

    def __init__(self, source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> None:
        """Take the file that is judged, and all others."""
        folder = source.path.rpartition("/")[0]
        same = {path: file for path, file in together.items() if path.rpartition("/")[0] == folder}
        self._files = {**same, source.path: parsed}
        self._inbox = f"{folder}/{INBOX}" if folder else INBOX
        self._prefix = f"{folder}/" if folder else ""
        #: What the owner of the file says in it; what others put there, or the bus for them, proves nothing.
        self.own = tuple(filed for filed in entries(source.path, parsed) if filed.message.auth == "channel")
        self.manager = manager_of(source.mount)
        self._all = tuple(filed for path, file in self._files.items() for filed in entries(path, file))

    @property
    def has_inbox(self) -> bool:
        """Tell whether the manager's side is known; without it nothing can be said to be missing there."""
        return self._inbox in self._files

    def has_log(self, worker: str) -> bool:
        """Tell whether a worker's side is known."""
        return f"{self._prefix}employee-{worker}.log" in self._files

    def said(self, act: str, *, task: str | None = None, by: str = "", to: str = "") -> Iterator[Message]:
        """Yield every message of this act, about this task, from or to this agent."""
        for _, message in self._all:
            if (
                message.act == act
                and message.at
                and (task is None or is_same_task(message.task, task))
                and by in ("", message.sender)
                and (not to or to in message.to or EVERYONE in message.to)
            ):
                yield message


def is_same_task(one: str, other: str) -> bool:
    """Tell whether two ids are of one task: `1` and `001` are."""
    if one == other:
        return True
    return one.isdecimal() and other.isdecimal() and one.lstrip("0") == other.lstrip("0")


def is_before(one: Message, other: Message) -> bool:
    """Tell whether a message was said at the same time as another, or earlier."""
    return moment(one.at) <= moment(other.at)
