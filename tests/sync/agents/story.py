"""What a boss and a worker say to each other about one task, whatever files they say it in.

Each reacts to what it reads in its own files, and to nothing else:

    boss    assign                       answer          resume           handoff
    worker          ack, ask                     block          deliver            ack

A run of either ends when its part is over, with exit code 0; who hears nothing for too long gives up.
"""

import re
import sys
import time
from typing import Final, NamedTuple, Protocol

from tests.patience import PATIENCE

#: What the boss says after what it heard; the second `ack` ends the story.
BOSS: Final = {
    "ask": [("answer", "The second one.")],
    "block": [("resume", "The network is back.")],
    "deliver": [("handoff", "Please look after it from now on.")],
}
WORKER: Final = {
    "assign": [("ack", "On it."), ("ask", "Which grammar do you want?")],
    "answer": [("block", "No network here.")],
    "resume": [("deliver", "All cases pass.")],
    "handoff": [("ack", "It is mine now.")],
}
FIRST: Final = ("assign", "Write the parser.")
_BRACKETED: Final = re.compile(r"\[([A-Z]+)(?::#?([^\]]+))?\] ?(.*)", re.DOTALL)


class Heard(NamedTuple):
    """One thing that was said to us: what it does, the task it is about if it says so, and the words."""

    act: str
    task: str
    words: str


class Speaker(Protocol):
    """An agent of one dialect."""

    def say(self, act: str, task: str, words: str) -> None:
        """Write into our own file."""
        ...

    def hear(self) -> list[Heard]:
        """Read what is new in our own files, and for us."""
        ...


def bracketed(text: str, act: str, task: str = "") -> Heard:
    """Read a text that may start with the name of an act in brackets."""
    match = _BRACKETED.match(text)
    return Heard(match[1].lower(), match[2] or task, match[3]) if match else Heard(act, task, text)


def play(speaker: Speaker, role: str, task: str) -> None:
    """Play one part to its end."""
    table, last = (BOSS, "ack") if role == "boss" else (WORKER, "handoff")
    left = 2 if role == "boss" else 1
    if role == "boss":
        speaker.say(FIRST[0], task, FIRST[1])
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for heard in speaker.hear():
            task = heard.task or task
            for act, words in table.get(heard.act, []):
                speaker.say(act, task, words)
            left -= heard.act == last
            if not left:
                return
        time.sleep(0.005)
    sys.exit(f"{role} waited in vain")


def told() -> list[str]:
    """Return what we were started with: folder, our name, the name of the other, our role, the task."""
    assert not any(each.partition(".")[0] == "palaver" for each in sys.modules), "we know nothing of it"
    return sys.argv[1:]
