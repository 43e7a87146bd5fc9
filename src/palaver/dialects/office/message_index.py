"""All messages of the files of one office, in the order in which the live bus takes them in, for rules.

That is the order of their times; lines of one file keep their order, and a line without a time, or with an
earlier one, counts as written at the time of the line before. Only lines in the sender's own file count.
"""

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Final

from palaver.dialects.office.layout import INBOX, manager_of
from palaver.dialects.office.task_replay import TaskReplay
from palaver.dialects.shared.rule import CheckedFile, Located
from palaver.model.message import Message
from palaver.model.mounted_files import Parsed

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
        self._own = {id(each.message): each for each in file.messages()}
        self.manager = manager_of(file.source.mount)
        self._allows_parallel = file.source.mount.settings.get("parallel") == "true"

    @property
    def has_inbox(self) -> bool:
        """Return True if the manager's inbox is known; otherwise nothing can be missing there."""
        return self._inbox in self._files

    @property
    def _inbox(self) -> str:
        return f"{self._prefix}{INBOX}"

    def has_log(self, worker: str) -> bool:
        """Return True if a worker's log is known."""
        return f"{self._prefix}employee-{worker}.log" in self._files

    def in_order(self) -> Iterator[tuple[Message, Located | None]]:
        """Yield the messages of all files, and where they are if they are in the file to check."""
        # The inbox comes last: questions come before the answers of the manager.
        paths = sorted(self._files, key=lambda path: (path == self._inbox, path))
        timed = (
            zip(repeat(rank), _timed(self._files[path]), strict=False) for rank, path in enumerate(paths)
        )
        # Within a file times never go back, so its lines keep their order.
        for _, (_, message) in sorted(chain.from_iterable(timed), key=lambda each: (each[1][0], each[0])):
            yield message, self._own.get(id(message))

    def moves(self, act: str) -> Iterator[tuple[Located, TaskReplay]]:
        """Yield the entries of the file with this act, each with the tasks as they were before it."""
        replay = TaskReplay(manager=self.manager, allows_parallel=self._allows_parallel)
        for message, own in self.in_order():
            if own is not None and message.act == act:
                yield own, replay
            replay.apply(message)


def _timed(parsed: Parsed) -> Iterator[tuple[tuple[str, str], Message]]:
    """Yield the messages that are in their sender's own file, with times that never go back."""
    latest = ("", "")
    for message in parsed.messages:
        latest = max(latest, moment(message.at))
        if message.auth == "channel":
            yield latest, message
