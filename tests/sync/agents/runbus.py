"""An agent of a run: appends blocks to MESSAGE-BUS.md, and reads the blocks of everybody else."""

import re
import time
from pathlib import Path
from typing import Final

from tests.sync.agents.story import Heard, bracketed, play, told

#: The type of a message, and its text.
SAYS: Final = {
    "assign": ("TASK", "@{other} {words}"),
    "ack": ("FACT", "[ACK] {words}"),
    "ask": ("QUESTION", "{words}"),
    "answer": ("ANSWER", "{words}"),
    "block": ("FACT", "[BLOCK] {words}"),
    "resume": ("FACT", "[RESUME] {words}"),
    "deliver": ("COMPLETE", "{words}"),
    "handoff": ("FACT", "[HANDOFF] @{other} {words}"),
}
ACTS: Final = {
    "TASK": "assign",
    "QUESTION": "ask",
    "ANSWER": "answer",
    "ERROR": "block",
    "COMPLETE": "deliver",
    "FACT": "inform",
}
BLOCK: Final = re.compile(r"^---\n(messageId: .*?)\n---\n\n(?:(.*?)\n\n)?---\n", re.DOTALL | re.MULTILINE)
#: "All messages below this line": what is above it explains the protocol.
MARK: Final = "<!-- All messages below this line"
#: What answers a message names it.
REPLIES: Final = ("ack", "answer", "resume")


class Runbus:
    """One agent of the run."""

    def __init__(self, folder: str, me: str, other: str) -> None:
        self.me, self.other = me, other
        self.bus = Path(folder) / "MESSAGE-BUS.md"
        self.seen = 0
        self.said = 0
        self.last = ""

    def say(self, act: str, task: str, words: str) -> None:
        self.said += 1
        kind, text = SAYS[act]
        now = time.gmtime()
        fields = [
            f"messageId: MSG-{time.strftime('%Y%m%d-%H%M%S', now)}-{self.me}-{self.said:03}",
            f"type: {kind}",
            f"agent: {self.me}",
            f"timestamp: {time.strftime('%Y-%m-%dT%H:%M:%SZ', now)}",
            "runId: run_001",
            f"taskId: TASK-{task}",
        ]
        fields += [f"relatesTo: {self.last}"] if act in REPLIES else []
        fields += ["files: parser.py"] if act == "deliver" else []
        block = "\n".join(
            ["---", *fields, "---", "", text.format(words=words, other=self.other), "", "---", ""]
        )
        with self.bus.open("a") as bus:
            bus.write(block)

    def hear(self) -> list[Heard]:
        text = self.bus.read_text() if self.bus.exists() else ""
        heard: list[Heard] = []
        for block in BLOCK.finditer(text, max(self.seen, text.find(MARK))):
            self.seen = block.end()
            fields = dict(line.split(": ", 1) for line in block[1].split("\n"))
            if fields["agent"] in (self.me, "template"):
                continue
            self.last = fields["messageId"]
            task = fields["taskId"].removeprefix("TASK-").removeprefix("000")
            heard.append(bracketed(block[2] or "", ACTS[fields["type"]], task))
        return heard


if __name__ == "__main__":
    folder, me, other, role, task = told()
    play(Runbus(folder, me, other), role, task)
