"""An agent of a swarm: appends lines to the channel, and reads what is for its handle."""

import json
import re
import time
from pathlib import Path
from typing import Final

from tests.sync.agents.story import Heard, bracketed, play, told

SAYS: Final = {
    "assign": ("task", "Task #{task}: {words}"),
    "ack": ("task", "ACK: Claimed task #{task}. {words}"),
    "ask": ("request", "{words}"),
    "answer": ("message", "[ANSWER] {words}"),
    "block": ("status", "BLOCKED: Task #{task} waits. {words}"),
    "resume": ("message", "[RESUME:#{task}] {words}"),
    "deliver": ("task", "Completed task #{task}. {words}"),
    "handoff": ("task", "HANDOFF: Task #{task}. {words}"),
}
WORDS: Final = {"ACK:": "ack", "BLOCKED:": "block", "HANDOFF:": "handoff", "Completed": "deliver"}
TASK: Final = re.compile(r"[Tt]ask #([\w-]+)")


class Swarm:
    """One handle of a team."""

    def __init__(self, folder: str, me: str, other: str) -> None:
        self.me, self.other = me, other
        self.channel = Path(folder) / "channel.jsonl"
        self.seen = 0

    def say(self, act: str, task: str, words: str) -> None:
        kind, content = SAYS[act]
        line = {
            "ts": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
            "from": self.me,
            "to": [f"@{self.other}"],
            "type": kind,
            "reasoning": "It is the next step.",
            "content": content.format(task=task, words=words),
        }
        with self.channel.open("a") as channel:
            channel.write(json.dumps(line) + "\n")

    def hear(self) -> list[Heard]:
        lines = self.channel.read_text().split("\n")[:-1] if self.channel.exists() else []
        fresh = [json.loads(line) for line in lines[self.seen :]]
        self.seen = len(lines)
        return [_heard(line) for line in fresh if f"@{self.me}" in (line["to"] or [])]


def _heard(line: dict[str, str]) -> Heard:
    content = line["content"]
    named = TASK.search(content)
    task = named[1] if named else line.get("task", "")
    plain = {"request": "ask", "task": "assign"}.get(line["type"], "inform")
    act = next((act for word, act in WORDS.items() if content.startswith(word)), plain)
    return bracketed(content, act, task)


if __name__ == "__main__":
    folder, me, other, role, task = told()
    play(Swarm(folder, me, other), role, task)
