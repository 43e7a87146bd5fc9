"""What the test of a backend must say of it: how it is made, and how to take away what would hide a fault."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final

import pytest

from palaver.log.port import Log
from palaver.model.event import Event

# Far longer than any test may take: a wait that is not woken runs into the time limit.
FOR_EVER: Final = 3_600.0
ALL: Final = 1_000_000


def bodies(events: list[Event]) -> list[object]:
    return [event.data["body"] for event in events]


class Backend(ABC):
    """One kind of log."""

    @abstractmethod
    def make_log(self, folder: Path) -> Log:
        """Return a new, empty log."""

    @abstractmethod
    def blindfold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let nobody who waits look for himself: only a wake-up ends the wait."""
