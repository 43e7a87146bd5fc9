"""One team of each dialect: where its agents read, and what the bus told one of them there."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.acceptance.lines import MANAGER
from tests.acceptance.project import Project

#: The file of a dialect that its agents read.
READ: Final = {
    "office": "messages/manager-inbox.log",
    "vermas": ".work/messages.jsonl",
    "swarm": "channel.jsonl",
    "runbus": "MESSAGE-BUS.md",
    "collab": "chat.log",
}
COLLAB: Final = ("a=jim", "b=clawdy", "person=jeremy")


@dataclass(frozen=True, slots=True)
class Team:
    """A mounted folder of one dialect."""

    project: Project
    dialect: str
    folder: Path

    @property
    def read(self) -> Path:
        """Return the file that the agents read."""
        return self.folder / READ[self.dialect]

    def write(self, author: str) -> Path:
        """Return the file that an agent writes."""
        if self.dialect == "office" and author != MANAGER:
            return self.folder / f"messages/employee-{author}.log"
        return self.read

    def append(self, author: str, *lines: str) -> None:
        """Append lines as an agent; the next command takes them in."""
        self.project.append(self.write(author), *lines)

    def say(self, author: str, *lines: str) -> None:
        """Append lines as an agent, and let the bus take them in."""
        self.project.say(self.write(author), *lines)

    def told(self, author: str) -> list[str]:
        """Return what the bus wrote to an agent in the file that the agent reads, in the dialect's form."""
        lines = self.project.bus_lines(self.read)
        return _TOLD[self.dialect](lines, author)


def create_folder(project: Project, dialect: str, name: str = "") -> Path:
    """Create the folder of a team as its agents find it, without mounting it."""
    folder = project.folder / (name or dialect)
    path = folder / READ[dialect]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    if dialect == "collab":
        (folder / "inbox").mkdir(exist_ok=True)
    return folder


def mount_team(project: Project, dialect: str, *settings: str, name: str = "") -> Team:
    """Mount an empty team; without settings a collab has those of its protocol's example."""
    create_folder(project, dialect, name)
    default = COLLAB if dialect == "collab" else ()
    return Team(project, dialect, project.mount(dialect, *(settings or default), name=name))


def _told_office(lines: list[str], author: str) -> list[str]:
    # Every line that names the worker where its template names the one it is for.
    return [
        line for line in lines if re.search(rf"\] (To [^:]*\b{author}\b[^:]*:|task-\S+ .*\b{author}\b)", line)
    ]


def _told_vermas(lines: list[str], author: str) -> list[str]:
    records = [json.loads(line) for line in lines]
    return [f"{each['subject']}\n{each['body']}" for each in records if each["to"] == author]


def _told_swarm(lines: list[str], author: str) -> list[str]:
    records = [json.loads(line) for line in lines]
    return [each["content"] for each in records if f"@{author}" in (each["to"] or [])]


def _told_runbus(lines: list[str], author: str) -> list[str]:
    # A message names its reader in its front matter or its body: nothing else in this file does.
    blocks = re.split(r"^---\n(?=messageId:)", "\n".join(lines), flags=re.MULTILINE)
    return [each for each in blocks if re.search(rf"\b{re.escape(author)}\b", each)]


def _told_collab(lines: list[str], author: str) -> list[str]:
    return [line for line in lines if re.search(rf"-> [^:]*\b{author.upper()}\b", line)]


_TOLD: Final[dict[str, Callable[[list[str], str], list[str]]]] = {
    "office": _told_office,
    "vermas": _told_vermas,
    "swarm": _told_swarm,
    "runbus": _told_runbus,
    "collab": _told_collab,
}
