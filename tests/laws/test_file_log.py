"""The log on the disk obeys the laws: in one segment, in many small ones, and through two objects at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from palaver.log import file_watch
from palaver.log.file_log import FileLog
from palaver.log.port import Log
from palaver.model.event import Draft, Event
from palaver.model.limits import SEGMENT_BYTES
from tests.laws.backend import FOR_EVER
from tests.laws.log import LogContract


def file_log(folder: Path, segment_bytes: int = SEGMENT_BYTES) -> FileLog:
    (folder / "log").mkdir(exist_ok=True, parents=True)
    return FileLog(str(folder / "log"), lock=str(folder / "log.lock"), segment_bytes=segment_bytes)


class TestFileLog(LogContract):
    def make_log(self, folder: Path) -> Log:
        return file_log(folder)

    def blindfold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(file_watch, "WAIT_POLL_SECONDS", FOR_EVER)


class TestFileLogOfManySegments(TestFileLog):
    def make_log(self, folder: Path) -> Log:
        return file_log(folder, segment_bytes=700)


class TurnAbout(FileLog):
    """Two objects on one log that append in turn, as two processes would."""

    __slots__ = ("_other",)

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder / "log"), lock=str(folder / "log.lock"), segment_bytes=2_000)
        self._other = [file_log(folder, segment_bytes=2_000)]

    def append(
        self, drafts: list[Draft], *, since: int = 0, check_new: Callable[[], None] | None = None
    ) -> list[Event]:
        if self._other:
            other = self._other.pop()
            return other.append(drafts, since=since, check_new=check_new)
        self._other.append(file_log(Path(self._directory).parent, segment_bytes=2_000))
        return super().append(drafts, since=since, check_new=check_new)


class TestTwoFileLogsOnOneFolder(TestFileLog):
    def make_log(self, folder: Path) -> Log:
        return TurnAbout(folder)
