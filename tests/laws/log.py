"""The laws of a log: what every backend obeys. A backend's test is a subclass that makes its log."""

import threading
import time
from abc import ABC, abstractmethod
from typing import Final

import pytest

from palaver.log.port import Log
from palaver.model.errors import TooLarge
from palaver.model.event import Event
from palaver.model.limits import ENVELOPE_BYTES, LINE_BYTES
from tests.laws.drafts import HOSTILE_TEXTS, said

# Far longer than anything here takes: a wait that gets there was never woken, and the test fails by its time limit.
FOR_EVER: Final = 3_600.0


def bodies(events: list[Event]) -> list[object]:
    return [event.data["body"] for event in events]


def everything(log: Log) -> list[Event]:
    return log.read(0, 1_000_000)


class LogContract(ABC):
    """Every test here is a law."""

    @pytest.fixture
    def log(self, make_log: Log) -> Log:
        return make_log

    @abstractmethod
    def never_looks_for_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Switch off whatever would end a wait without a wake-up."""
