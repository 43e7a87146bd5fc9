"""The log in memory obeys the laws."""

from pathlib import Path

import pytest

from palaver.log.memory_log import MemoryLog
from palaver.log.port import Log
from tests.laws.log import LogContract


class TestMemoryLog(LogContract):
    def make_log(self, folder: Path) -> Log:
        return MemoryLog()

    def blindfold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing to do: a condition never looks for itself."""
