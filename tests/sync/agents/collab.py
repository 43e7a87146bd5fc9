"""An agent of a pair: A writes and reads the chat log; B empties its inbox and writes the chat log."""

import re
import time
from pathlib import Path
from typing import Final

from tests.sync.agents.story import Heard, play, told

TAGS: Final = {
    "assign": "TASK",
    "ack": "ACK",
    "ask": "QUESTION",
    "answer": "ANSWER",
    "block": "BLOCKED",
    "resume": "RETRY",
    "deliver": "DONE",
    "handoff": "HANDOFF",
}
ACTS: Final = {tag: act for act, tag in TAGS.items()} | {"ASK": "ask"}
LINE: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (\S+) -> (\S+): (.*)")
TEXT: Final = re.compile(r"\[([A-Z]+)(?::([^\]]+))?\] (.*)")


class Collab:
    """One of the two."""

    def __init__(self, folder: str, me: str, other: str, *, wakes: bool) -> None:
        self.me, self.other = me.upper(), other.upper()
        self.chat = Path(folder) / "chat.log"
        self.inbox = Path(folder) / "inbox" if wakes else None
        self.seen = 0

    def say(self, act: str, task: str, words: str) -> None:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        with self.chat.open("a") as chat:
            chat.write(f"{at} {self.me} -> {self.other}: [{TAGS[act]}:{task}] {words}\n")

    def hear(self) -> list[Heard]:
        fresh = self._dropped() if self.inbox else self._logged()
        return [
            Heard(ACTS[match[1]], match[2] or "", match[3]) for text in fresh if (match := TEXT.match(text))
        ]

    def _dropped(self) -> list[str]:
        assert self.inbox is not None
        found = sorted(self.inbox.glob("msg_*.txt"))
        texts = [each.read_text() for each in found]
        for each in found:
            each.unlink()
        return texts

    def _logged(self) -> list[str]:
        lines = self.chat.read_text().split("\n")[:-1] if self.chat.exists() else []
        fresh = lines[self.seen :]
        self.seen = len(lines)
        parts = [match for line in fresh if (match := LINE.match(line))]
        return [part[3] for part in parts if self.me in part[2].split(",")]


if __name__ == "__main__":
    folder, me, other, role, task = told()
    play(Collab(folder, me, other, wakes=role == "worker"), role, task)
