"""One thing that a poll tells an agent to do, or to know."""

from dataclasses import dataclass
from typing import Final

from palaver.bus.operations.result import PlainFields

#: How many polls a claim waits for its approval, and a silent worker keeps its task.
PATIENCE: Final = 3


@dataclass(frozen=True, slots=True)
class PollItem(PlainFields):
    """One thing to do, or to know."""

    part: str
    words: str
    command: str = ""
    task: str = ""
    #: What the agent can write into its file instead of running the command.
    line: str = ""
