"""An agent of an office: the manager writes its inbox file, a worker its own log; each reads the other's."""

import re
import time
from pathlib import Path
from typing import Final

from tests.sync.agents.story import Heard, bracketed, play, told

MANAGER: Final = {
    "assign": "[REPLY] To {other}: [ASSIGN:{task}] {words}",
    "answer": "[REPLY] To {other}: {words}",
    "resume": "[REPLY] To {other}: [RESUME:{task}] {words}",
    "handoff": "[REPLY] To {other}: [HANDOFF:{task}] {words}",
}
WORKER: Final = {
    "ack": "[INFO] by: {me} | [ACK:{task}] {words}",
    "ask": "[INFO] by: {me} | @{other} {words}",
    "block": "[BLOCKED] task-{task} | by: {me} | reason: {words}",
    "deliver": "[DELIVERY] task-{task} | by: {me} | files: parser.py | criteria-met: all",
}
ENTRY: Final = re.compile(r"\[[^\]]+\] \[([A-Z_]+)\] (.*)")
TO: Final = re.compile(r"To ([^:]+): (.*)")
ACTS: Final = {"BLOCKED": "block", "DELIVERY": "deliver"}


class Office:
    """The manager, or one employee."""

    def __init__(self, folder: str, me: str, other: str, *, manages: bool) -> None:
        self.me, self.other, self.manages = me, other, manages
        self.messages = Path(folder) / "messages"
        self.seen: dict[Path, int] = {}

    def say(self, act: str, task: str, words: str) -> None:
        template = (MANAGER if self.manages else WORKER)[act]
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        said = template.format(me=self.me, other=self.other, task=task, words=words)
        name = "manager-inbox.log" if self.manages else f"employee-{self.me}.log"
        with (self.messages / name).open("a") as log:
            log.write(f"[{at}] {said}\n")

    def hear(self) -> list[Heard]:
        files = self.messages.glob("employee-*.log" if self.manages else "manager-inbox.log")
        heard: list[Heard] = []
        for file in sorted(files):
            lines = file.read_text().split("\n")[:-1]
            fresh = lines[self.seen.get(file, 0) :]
            self.seen[file] = len(lines)
            entries = [match for line in fresh if (match := ENTRY.match(line))]
            read = _of_worker if self.manages else self._of_manager
            heard += [found for entry in entries if (found := read(entry[1], entry[2]))]
        return heard

    def _of_manager(self, tag: str, text: str) -> Heard | None:
        to = TO.match(text)
        if tag != "REPLY" or to is None or self.me not in to[1].split(", "):
            return None
        return bracketed(to[2], "answer")


def _of_worker(tag: str, text: str) -> Heard:
    fields = text.split(" | ")
    if tag == "INFO":
        return bracketed(fields[1], "ask" if "?" in fields[1] else "inform")
    return Heard(ACTS.get(tag, "inform"), fields[0].removeprefix("task-"), fields[-1])


if __name__ == "__main__":
    folder, me, other, role, task = told()
    play(Office(folder, me, other, manages=role == "boss"), role, task)
