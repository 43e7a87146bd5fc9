"""A company under policy `strict`: tasks in every state, and ways to try an act on a surface with a proof.

boss owns the tasks and leads, bob holds them, carol has nothing to do with them, ada is the person.
"""

import json
from pathlib import Path
from typing import Final

from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.acceptance.trust.service import Service

# Act: the state in which it is tried, who may do it, and whom it names.
TASK_ACTS: Final = {
    "approve": ("claimed", "boss", "bob"),
    "refuse": ("claimed", "boss", "bob"),
    "assign": ("open", "boss", "bob"),
    "accept": ("delivered", "boss", "bob"),
    "rework": ("delivered", "boss", "bob"),
    "handoff": ("working", "bob", "carol"),
    "release": ("working", "boss", "bob"),
    "cancel": ("open", "boss", "bob"),
    "change": ("open", "boss", "bob"),
}
# What leads to a state, one message each: who says it, to whom, and the act.
STEPS: Final = (
    ("claimed", "bob", "boss", "claim"),
    ("working", "boss", "bob", "approve"),
    ("delivered", "bob", "boss", "deliver"),
)
Cell = tuple[str, str, str, str, bool]
STRICT: Final = 'identity = "strict"\nleads = ["boss"]'


def named(cell: Cell) -> str:
    """Return the name of a row of a table: act, surface, speaker, proof, and whether it counts."""
    act, surface, speaker, proof, counts = cell
    shown = f"with the token of {proof}" if proof else "without proof"
    result = "counts" if counts else "has no effect"
    return f"{act} by {surface} as {speaker} {shown} {result}".replace(" ", "-")


class StrictCompany:
    """One project with `palaver up` and a run for each agent. All cells of a table share it."""

    def __init__(self, template: Path, base: Path) -> None:
        self.project = Project.copy(template, base)
        self.channels = {
            "shared file": self.project.mount("swarm") / "channel.jsonl",
            "trusted file": self.project.mount("runbus", "identity=open") / "MESSAGE-BUS.md",
        }
        self.service = Service(self.project)
        self.runs = {agent: AgentRun(self.project, agent, base) for agent in ("boss", "bob", "carol")}
        self.tokens = {agent: run.variable("PALAVER_TOKEN") for agent, run in self.runs.items()}

    def become_strict(self) -> None:
        """Change the policy as a person does, in the file."""
        config = self.project.root / "config.toml"
        before = config.read_text()
        config.write_text(before.replace('identity = "open"', STRICT, 1))
        self.project.sync()

    def stop(self) -> None:
        for run in self.runs.values():
            run.stop()
        self.service.stop()

    def send(self, sender: str, to: str, act: str, task: str = "", body: str = "words") -> tuple[str, str]:
        """Send a message as a step of the setup; return its id and its number in the log."""
        return self.service.say(sender, to, act, body, task)

    def open_task(self, task: str, state: str) -> None:
        """Bring a new task of boss's into a state."""
        fields = {"title": task, "task": task, "owner": "boss", "approval": True, "check": True}
        self.service.call("/api/tasks", fields)
        if state == "open":
            return
        for reached, sender, to, act in STEPS:
            self.send(sender, to, act, task)
            if reached == state:
                return

    def look(self, task: str) -> tuple[object, object]:
        """Return state and title of a task: what the acts of the table change."""
        shown = self.service.call(f"/api/task?id={task}")
        return shown["state"], shown["title"]

    def command(self, words: list[str], speaker: str, proof: str, surface: str) -> Answer:
        """Run a command in the run of the agent whose token is the proof, or outside any run."""
        program = "palaver" if surface == "warm command" else "palaver-py"
        if proof:
            return self.runs[proof].run(*words, "--as", speaker, program=program)
        return self.project.run(*words, "--as", speaker, program=program)

    def bearer(self, proof: str) -> str | None:
        """Return what an HTTP request shows as proof; None is the session of the person."""
        return None if proof == "session" else self.tokens.get(proof, "")

    def write_line(self, channel: str, speaker: str, to: str, act: str, task: str) -> None:
        """Append a message to a file of a mount, in the form of its protocol."""
        tag = f"[{act.upper()}:#{task}]" if task else f"[{act.upper()}]"
        if channel == "shared file":
            fields = {"from": speaker, "to": [f"@{to}"], "type": "message", "reasoning": "r"}
            line = {"ts": "2026-01-25T23:45:00.000Z", **fields, "content": f"{tag} words"}
            self.project.append(self.channels[channel], json.dumps(line))
        else:
            self.project.append(
                self.channels[channel], "---", f"messageId: MSG-20260126-101500-{speaker}-{act}{task[-20:]}",
                "type: FACT", f"agent: {speaker}", "timestamp: 2026-01-26T10:15:00Z", "runId: run_001",
                f"taskId: TASK-{task}", "---", "", f"[{act.upper()}] @{to} words", "", "---",
            )  # fmt: skip
