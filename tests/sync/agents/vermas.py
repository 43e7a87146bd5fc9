"""An agent of a company: appends mail to `.work/messages.jsonl`, and reads what is for its address."""

import json
import time
from pathlib import Path
from typing import Any, Final

from tests.sync.agents.story import Heard, bracketed, play, told

TYPES: Final = {"ask": "HELP", "block": "HELP", "deliver": "WORKER_DONE", "handoff": "HANDOFF"}
SUBJECTS: Final = {"ask": "A question", "deliver": "Done", "handoff": "🤝 HANDOFF: the parser"}
ACTS: Final = {"HELP": "ask", "WORKER_DONE": "deliver", "HANDOFF": "handoff"}


class Vermas:
    """One address of the company."""

    def __init__(self, folder: str, me: str, other: str) -> None:
        self.me, self.other = me, other
        self.mail = Path(folder) / ".work" / "messages.jsonl"
        self.seen = 0
        self.said = 0

    def say(self, act: str, task: str, words: str) -> None:
        self.said += 1
        line = {
            "id": f"msg-{self.me.rpartition('/')[2]}-{self.said}",
            "from": self.me,
            "to": self.other,
            "subject": SUBJECTS.get(act, f"[{act.upper()}] The parser"),
            "body": words,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "priority": "normal",
            "metadata": {"work_order_id": task},
        }
        if act in TYPES:
            line["type"] = TYPES[act]
        with self.mail.open("a") as mail:
            mail.write(json.dumps(line) + "\n")

    def hear(self) -> list[Heard]:
        lines = self.mail.read_text().split("\n")[:-1] if self.mail.exists() else []
        fresh = [json.loads(line) for line in lines[self.seen :]]
        self.seen = len(lines)
        return [_heard(line) for line in fresh if line["to"] == self.me]


def _heard(line: dict[str, Any]) -> Heard:
    act = bracketed(line["subject"], ACTS.get(line.get("type", ""), "inform")).act
    return Heard(act, line.get("metadata", {}).get("work_order_id", ""), line["body"])


if __name__ == "__main__":
    folder, me, other, role, task = told()
    play(Vermas(folder, me, other), role, task)
