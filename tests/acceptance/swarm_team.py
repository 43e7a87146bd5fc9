"""A swarm in a mounted folder: its channel, and what its agents write there."""

import json
from pathlib import Path
from typing import Final

from tests.acceptance.project import Project

REASON: Final = "The seed asks for a reason."


class SwarmTeam:
    """A mounted swarm whose agents append to the channel as the seed's shell line does."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.project = Project.create(folder, "pat")
        self.channel = self.project.mount("swarm", *settings) / "channel.jsonl"

    def say(self, sender: str, content: str, *, kind: str = "task", to: object = ("@td",)) -> str:
        """Append a line with the six fields of the seed; return it, without its newline."""
        line = channel_line(sender, content, kind=kind, to=to)
        self.project.append(self.channel, line)
        return line

    def sync(self) -> None:
        self.project.sync()

    def state(self, task: str) -> str:
        return str(self.project.task(task)["state"])

    def told(self, handle: str) -> list[dict[str, object]]:
        """Return the lines to an agent that the bus wrote by itself."""
        found = map(json.loads, self.project.bus_lines(self.channel))
        return [line for line in found if line["from"] == "palaver" and handle in (line["to"] or [])]


def channel_line(
    sender: str, content: str, *, kind: str = "task", to: object = ("@td",), at: str = "2026-01-25T23:45:00"
) -> str:
    fields = {"ts": f"{at}.000Z", "from": sender, "to": to, "type": kind, "reasoning": REASON}
    return json.dumps({**fields, "content": content}, ensure_ascii=False)
