"""All messages of the files of one office, for rules."""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.layout import INBOX, manager_of
from palaver.dialects.shared.located import located_messages
from palaver.model.dialect import Parsed, Source
from palaver.model.finding import Finding
from palaver.model.message import Message
from palaver.model.names import EVERYONE

_SECONDS: Final = len("2026-02-11T10:00:00")


def reported(parsed: Parsed, code: str) -> Iterator[Finding]:
    """Yield the findings of the parser with this code, for the rules that document them."""
    return (finding for finding in parsed.findings if finding.code == code)


def moment(at: str) -> tuple[str, str]:
    """Return a time as a key for sorting, with or without a fraction of a second."""
    return at[:_SECONDS], at[_SECONDS + 1 : -1]


class Ledger:
    """The files of one folder that are checked together."""

    def __init__(self, source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> None:
        """Take the file to check, and all others."""
        folder = source.path.rpartition("/")[0]
        same = {path: file for path, file in together.items() if path.rpartition("/")[0] == folder}
        self._files = {**same, source.path: parsed}
        self._inbox = f"{folder}/{INBOX}" if folder else INBOX
        self._prefix = f"{folder}/" if folder else ""
        #: What the owner of the file wrote; entries by others, or by the bus, prove nothing.
        self.own = tuple(
            each for each in located_messages(source.path, parsed) if each.message.auth == "channel"
        )
        self.manager = manager_of(source.mount)
        self._all = tuple(each for path, file in self._files.items() for each in located_messages(path, file))

    @property
    def has_inbox(self) -> bool:
        """Return True if the manager's inbox is known; otherwise nothing can be missing there."""
        return self._inbox in self._files

    def has_log(self, worker: str) -> bool:
        """Return True if a worker's log is known."""
        return f"{self._prefix}employee-{worker}.log" in self._files

    def said(self, act: str, *, task: str | None = None, by: str = "", to: str = "") -> Iterator[Message]:
        """Yield the messages with this act, about this task, from or to this agent."""
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
    """Return True if two ids name the same task, as `1` and `001` do."""
    if one == other:
        return True
    return one.isdecimal() and other.isdecimal() and one.lstrip("0") == other.lstrip("0")


def is_before(one: Message, other: Message) -> bool:
    """Return True if a message is as old as another, or older."""
    return moment(one.at) <= moment(other.at)
