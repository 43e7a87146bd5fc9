"""All messages of the files of one office, for rules."""

from collections.abc import Iterable, Iterator
from typing import Final

from palaver.dialects.office.layout import INBOX, manager_of
from palaver.dialects.shared.rule import CheckedFile, Located
from palaver.model.message import Message
from palaver.model.names import EVERYONE

_SECONDS: Final = len("2026-02-11T10:00:00")


def moment(at: str) -> tuple[str, str]:
    """Return a time as a key for sorting, with or without a fraction of a second."""
    return at[:_SECONDS], at[_SECONDS + 1 : -1]


class MessageIndex:
    """The files of one folder that are checked together."""

    def __init__(self, file: CheckedFile) -> None:
        """Take the file to check, which names all others."""
        folder, slash, _ = file.source.path.rpartition("/")
        self._prefix = f"{folder}{slash}"
        same = {path: each for path, each in file.together.items() if path.rpartition("/")[0] == folder}
        self._files = {**same, file.source.path: file.parsed}
        #: What the owner of the file wrote; entries by others, or by the bus, prove nothing.
        self.own = tuple(each for each in file.messages() if each.message.auth == "channel")
        self.manager = manager_of(file.source.mount)
        self._all = tuple(message for each in self._files.values() for message in each.messages)

    @property
    def has_inbox(self) -> bool:
        """Return True if the manager's inbox is known; otherwise nothing can be missing there."""
        return f"{self._prefix}{INBOX}" in self._files

    def has_log(self, worker: str) -> bool:
        """Return True if a worker's log is known."""
        return f"{self._prefix}employee-{worker}.log" in self._files

    def written(self, act: str) -> Iterator[Located]:
        """Yield the entries of the owner of the file with this act."""
        return (each for each in self.own if each.message.act == act and each.message.at)

    def said(self, *acts: str, task: str | None = None, by: str = "", to: str = "") -> Iterator[Message]:
        """Yield the messages with one of these acts, about this task, from or to this agent."""
        for message in self._all:
            if (
                message.act in acts
                and message.at
                and (task is None or is_same_task(message.task, task))
                and by in ("", message.sender)
                and (not to or to in message.to or EVERYONE in message.to)
            ):
                yield message

    def without_earlier(self, needed: str, *, before: str) -> Iterator[tuple[Located, str]]:
        """Yield the entries with the act `before`, and each of their workers without an earlier `needed`.

        Only workers whose log is known: otherwise the entry may exist.
        """
        for each in self.written(before):
            for worker in each.message.to:
                earlier = self.said(needed, task=each.message.task, by=worker)
                if self.has_log(worker) and not any(is_before(one, each.message) for one in earlier):
                    yield each, worker


def is_same_task(one: str, other: str) -> bool:
    """Return True if two ids name the same task, as `1` and `001` do."""
    if one == other:
        return True
    return one.isdecimal() and other.isdecimal() and one.lstrip("0") == other.lstrip("0")


def lasts(begin: Message, until: Message, ends: Iterable[Message]) -> bool:
    """Return True if none of these messages ended before `until` what an earlier message began."""
    return not any(is_before(begin, end) and is_before(end, until) for end in ends)


def is_before(one: Message, other: Message) -> bool:
    """Return True if a message is as old as another, or older."""
    return moment(one.at) <= moment(other.at)
