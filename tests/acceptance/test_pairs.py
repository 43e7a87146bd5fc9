"""A question and a plain answer between the agents of any two dialects, by file operations only."""

import json
import re
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Protocol

import pytest

from tests.acceptance.files import read, records
from tests.acceptance.project import Project

TIME = "2026-01-01T10:00:00Z"


class Speaker(Protocol):
    """The agents of one dialect: one asks, another one is asked, and both know their own files alone."""

    @property
    def address(self) -> str:
        """How agents of other dialects address the one that is asked: by its role, if there are roles."""

    @property
    def name(self) -> str:
        """The name of the one that is asked."""

    def ask(self, address: str, text: str) -> None: ...

    def asked_by(self, text: str) -> str | None:
        """Return the sender of a question as the one that is asked sees it; None if it sees no question."""

    def answer(self, name: str, text: str, question: str) -> None: ...

    def is_answered(self, text: str) -> bool: ...


@dataclass(frozen=True)
class Office:
    project: Project
    folder: Path
    address: str = "manager"
    name: str = "emp-manager-001"

    def ask(self, address: str, text: str) -> None:
        self.project.append(
            self.folder / "messages/employee-emp-a1.log", f"[{TIME}] [INFO] by: emp-a1 | @{address} {text}"
        )

    def asked_by(self, text: str) -> str | None:
        logs = (self.folder / "messages").glob("employee-*.log")
        found = [path.stem.removeprefix("employee-") for path in logs if text in read(path)]
        return found[0] if found else None

    def answer(self, name: str, text: str, question: str) -> None:
        self.project.append(self.folder / "messages/manager-inbox.log", f"[{TIME}] [REPLY] To {name}: {text}")

    def is_answered(self, text: str) -> bool:
        return text in read(self.folder / "messages/manager-inbox.log")


@dataclass(frozen=True)
class Vermas:
    project: Project
    folder: Path
    address: str = "project-a/workers"
    name: str = "project-a/workers/slot0"

    def _mail(self, sender: str, to: str, text: str, **more: str) -> None:
        name = re.sub(r"\W+", "-", text.lower())
        fields = {
            "id": f"msg-{name}",
            "from": sender,
            "to": to,
            "subject": text,
            "body": text,
            "timestamp": TIME,
        }
        self.project.append(self.folder / ".work/messages.jsonl", json.dumps({**fields, **more}))

    def ask(self, address: str, text: str) -> None:
        self._mail("project-a/supervisor", address, text, type="HELP")

    def asked_by(self, text: str) -> str | None:
        # A worker reads the mail of its role as well as its own.
        mine = self._read("project-a/workers/slot0", "project-a/workers")
        found = [mail["from"] for mail in mine if text in str(mail)]
        return str(found[0]) if found else None

    def _read(self, *names: str) -> list[dict[str, object]]:
        return [mail for mail in records(self.folder / ".work/messages.jsonl") if mail["to"] in names]

    def answer(self, name: str, text: str, question: str) -> None:
        self._mail("project-a/workers/slot0", name, text)

    def is_answered(self, text: str) -> bool:
        return any(text in str(mail) for mail in self._read("project-a/supervisor"))


@dataclass(frozen=True)
class Swarm:
    project: Project
    folder: Path
    address: str = "qa"
    name: str = "qa"

    def _say(self, sender: str, to: str, kind: str, text: str) -> None:
        fields = {"ts": TIME, "from": sender, "to": [f"@{to}"], "type": kind, "reasoning": "I need it."}
        self.project.append(self.folder / "channel.jsonl", json.dumps({**fields, "content": text}))

    def _read(self, handle: str) -> list[dict[str, object]]:
        lines = records(self.folder / "channel.jsonl")
        return [line for line in lines if isinstance(line["to"], list) and handle in line["to"]]

    def ask(self, address: str, text: str) -> None:
        self._say("programmer", address, "request", text)

    def asked_by(self, text: str) -> str | None:
        found = [line["from"] for line in self._read("@qa") if text in str(line["content"])]
        return str(found[0]) if found else None

    def answer(self, name: str, text: str, question: str) -> None:
        self._say("qa", name, "message", text)

    def is_answered(self, text: str) -> bool:
        return any(text in str(line["content"]) for line in self._read("@programmer"))


@dataclass(frozen=True)
class Runbus:
    project: Project
    folder: Path
    address: str = "claude-research-1"
    name: str = "claude-research-1"

    def _block(self, agent: str, kind: str, text: str, relation: str = "") -> None:
        name = re.sub(r"\W+", "", text.lower())
        head = f"messageId: MSG-20260101-100000-{agent}-{name}\ntype: {kind}\nagent: {agent}\n"
        rest = f"timestamp: {TIME}\nrunId: run_001\ntaskId: TASK-000\n{relation}---\n\n{text}\n\n---\n"
        self.project.append(self.folder / "MESSAGE-BUS.md", f"---\n{head}{rest}")

    def ask(self, address: str, text: str) -> None:
        self._block("claude-impl-1", "QUESTION", f"@{address} {text}")

    def _question(self, text: str) -> tuple[str, str] | None:
        """Return the id and the agent of the block with a text."""
        for block in read(self.folder / "MESSAGE-BUS.md").split("---\nmessageId: ")[1:]:
            if text in block:
                return block.split("\n")[0], block.split("\nagent: ")[1].split("\n")[0]
        return None

    def asked_by(self, text: str) -> str | None:
        found = self._question(text)
        return found[1] if found else None

    def answer(self, name: str, text: str, question: str) -> None:
        found = self._question(question)
        self._block("claude-research-1", "ANSWER", text, f"relatesTo: {found[0] if found else ''}\n")

    def is_answered(self, text: str) -> bool:
        return text in read(self.folder / "MESSAGE-BUS.md")


@dataclass(frozen=True)
class Collab:
    project: Project
    folder: Path
    address: str = "clawdy"
    name: str = "clawdy"

    def _line(self, sender: str, to: str, text: str) -> None:
        self.project.append(self.folder / "chat.log", f"2026-01-01 10:00:00 {sender} -> {to}: {text}")

    def ask(self, address: str, text: str) -> None:
        self._line("JIM", address.upper(), f"[QUESTION:{address.split('/')[-1]}] {text}")

    def asked_by(self, text: str) -> str | None:
        found = re.search(
            rf"^\S+ \S+ (\S+) -> [^:]*CLAWDY: .*{re.escape(text)}", read(self.folder / "chat.log"), re.M
        )
        return found[1] if found else None

    def answer(self, name: str, text: str, question: str) -> None:
        self._line("CLAWDY", name, text)

    def is_answered(self, text: str) -> bool:
        return bool(re.search(rf" -> JIM: .*{re.escape(text)}", read(self.folder / "chat.log")))


class House:
    """One bus with five mounts, in which every conversation takes place once."""

    def __init__(self, folder: Path) -> None:
        self.project = Project.create(folder, "pat")
        root = self.project.folder
        self.project.append(
            root / "office/messages/employee-emp-a1.log", f"[{TIME}] [INFO] by: emp-a1 | Hello."
        )
        (root / "office/messages/manager-inbox.log").touch()
        (root / "collab/inbox").mkdir(parents=True)
        mount = self.project.mount
        self.speakers: dict[str, Speaker] = {
            "office": Office(self.project, mount("office")),
            "vermas": Vermas(
                self.project, mount("vermas", "agents=project-a/supervisor,project-a/workers/slot0")
            ),
            "swarm": Swarm(self.project, mount("swarm")),
            "runbus": Runbus(self.project, mount("runbus", "agents=claude-impl-1,claude-research-1")),
            "collab": Collab(self.project, mount("collab", "a=jim", "b=clawdy")),
        }

    def talk(self, talks: list[tuple[str, str, str]]) -> dict[tuple[str, str], "Outcome"]:
        """Let agents ask (from one dialect, to another, under an address) and be answered in plain words."""
        questions = {talk: f"Which port does {talk[0]} use for {talk[2]}?" for talk in talks}
        answers = {talk: f"The port of {talk[2]} for {talk[0]} is 4711." for talk in talks}
        for asking, asked, address in talks:
            self.speakers[asking].ask(address, questions[asking, asked, address])
        self.project.sync()
        seen = {talk: self.speakers[talk[1]].asked_by(questions[talk]) for talk in talks}
        for talk, name in seen.items():
            if name is not None:
                self.speakers[talk[1]].answer(name, answers[talk], questions[talk])
        self.project.sync()
        waits = self.project.waits()
        return {
            talk[:2]: Outcome(
                arrived=seen[talk] is not None,
                answered=self.speakers[talk[0]].is_answered(answers[talk]),
                waiting=[wait["movers"] for wait in waits if questions[talk] in str(wait)],
            )
            for talk in talks
        }


@dataclass(frozen=True)
class Outcome:
    """Whether question and answer arrived, and whose answer the asker still waits for."""

    arrived: bool
    answered: bool
    waiting: list[object]


PAIRS = list(permutations(("office", "vermas", "swarm", "runbus", "collab"), 2))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def by_role(house: House) -> dict[tuple[str, str], Outcome]:
    """Let every dialect ask every other one, by roles; all talks share two passes, to save time."""
    return house.talk([(asking, asked, house.speakers[asked].address) for asking, asked in PAIRS])


@pytest.mark.parametrize(("asking", "asked"), PAIRS)
def test_a_question_to_a_role_and_its_answer_arrive_in_the_files_of_both(
    by_role: dict[tuple[str, str], Outcome], asking: str, asked: str
) -> None:
    assert by_role[asking, asked].arrived
    assert by_role[asking, asked].answered


@pytest.mark.parametrize(("asking", "asked"), PAIRS)
def test_a_plain_answer_closes_the_question(
    by_role: dict[tuple[str, str], Outcome], asking: str, asked: str
) -> None:
    assert by_role[asking, asked].answered
    assert by_role[asking, asked].waiting == []


def test_a_question_to_a_name_and_its_answer_arrive_in_the_files_of_both(tmp_path: Path) -> None:
    house = House(tmp_path)

    outcomes = house.talk([(asking, asked, house.speakers[asked].name) for asking, asked in PAIRS])

    assert [pair for pair, outcome in outcomes.items() if not (outcome.arrived and outcome.answered)] == []
