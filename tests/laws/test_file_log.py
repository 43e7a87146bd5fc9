"""The log on the disk obeys the laws: in one segment, in many small ones, and through two objects at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.log import watch
from palaver.log.files import FileLog
from palaver.log.port import Log
from palaver.model.event import Draft, Event
from palaver.model.stretch import Stretch
from tests.laws.backend import FOR_EVER
from tests.laws.log import LogContract


def file_log(folder: Path, **sizes: int) -> FileLog:
    (folder / "log").mkdir(exist_ok=True)
    return FileLog(str(folder / "log"), lock=str(folder / "log.lock"), **sizes)


class TestFileLog(LogContract):
    def make_log(self, folder: Path) -> Log:
        return file_log(folder)

    def blindfold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(watch, "WAIT_POLL_SECONDS", FOR_EVER)


class TestFileLogOfManySegments(TestFileLog):
    def make_log(self, folder: Path) -> Log:
        return file_log(folder, segment_bytes=700)


class TurnAbout:
    """Two objects on one log, asked in turn, as two processes would be."""

    def __init__(self, folder: Path) -> None:
        self._logs = [file_log(folder, segment_bytes=2_000) for _ in range(2)]

    def _next(self) -> FileLog:
        self._logs.reverse()
        return self._logs[0]

    def append(self, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        return self._next().append(drafts, since=since)

    def append_one(self, draft: Draft) -> int:
        return self._next().append_one(draft)

    def append_plain(self, drafts: list[Draft]) -> list[int]:
        return self._next().append_plain(drafts)

    def sync(self) -> None:
        self._next().sync()

    def last_seq(self) -> int:
        return self._next().last_seq()

    def read(self, after: int, limit: int) -> list[Event]:
        return self._next().read(after, limit)

    def stretches(self, segment: int, offset: int) -> Iterator[Stretch]:
        return self._next().stretches(segment, offset)

    def end(self) -> tuple[int, int]:
        return self._next().end()

    def at(self, segment: int, offset: int, length: int) -> Event | None:
        return self._next().at(segment, offset, length)

    def wait(self, after: int, timeout: float) -> bool:
        return self._next().wait(after, timeout)

    def unsafe(self, seq: int) -> bool:
        return self._next().unsafe(seq)


class TestTwoFileLogsOnOneFolder(TestFileLog):
    def make_log(self, folder: Path) -> Log:
        return TurnAbout(folder)
