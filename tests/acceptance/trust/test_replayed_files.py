"""A live file that is appended to itself changes nothing: no task, no level, no question, no assignment."""

import itertools
import json
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.lines import block, mail, work_mail, work_order
from tests.acceptance.project import Project
from tests.acceptance.teams import COLLAB, READ, mount_team

CLAIM: Final = "[CLAIM] task-{} | title: One | by: {} | difficulty: 1 | deps-met: yes"
WORKER, OTHER, INBOX = "messages/employee-w1.log", "messages/employee-w2.log", READ["office"]
SLOT, CEO, SUPERVISOR = "project-a/workers/slot0", "ceo", "project-a/supervisor"
SETTINGS: Final = {"office": ("approval=true",), "collab": COLLAB}
# What changes as time passes, and with any line of an agent: words may be said again.
PASSING: Final = frozenset(["at", "seconds", "sent", "last_at", "last_seq", "touched", "heard"])


def _office(at: int, words: str) -> str:
    return f"[2026-01-25T10:{at:02}:00Z] {words}"


def _swarm(at: int, sender: str, to: str, content: str, kind: str = "task") -> str:
    fields = {"from": sender, "to": [f"@{to}"], "type": kind, "reasoning": "r", "content": content}
    return json.dumps({"ts": f"2026-01-25T10:{at:02}:00.000Z", **fields})


def _collab(at: int, sender: str, to: str, text: str) -> str:
    return f"2026-01-25 10:{at:02}:00 {sender} -> {to}: {text}"


#: File and line, in the order in which they are written: tasks that went back and forth, and were lost.
LINES: Final = {
    "office": (
        (WORKER, _office(0, CLAIM.format("001", "w1"))),
        (INBOX, _office(1, "[APPROVAL] task-001 approved for w1. Status: In Progress.")),
        (WORKER, _office(2, "[INFO] by: w1 | [RELEASE:001] not now")),
        (OTHER, _office(3, CLAIM.format("001", "w2"))),
        (WORKER, _office(4, CLAIM.format("001", "w1"))),
        (WORKER, _office(5, "[DELIVERY] task-002 | by: w1 | files: a.py | criteria-met: all")),
        (WORKER, _office(6, CLAIM.format("002", "w1"))),
        (INBOX, _office(7, "[REPLY] To w1: Which branch?")),
        (WORKER, _office(8, "[INFO] by: w1 | main")),
    ),
    "vermas": (
        (".work/work_orders.jsonl", work_order("wo-1")),
        (READ["vermas"], work_mail(CEO, SLOT, "WORK_ASSIGNMENT", "wo-1")),
        (READ["vermas"], work_mail(SLOT, SUPERVISOR, "WORKER_DONE", "wo-1")),
        (READ["vermas"], mail(SLOT, CEO, "Which branch?", "Which branch do I use?")),
    ),
    "swarm": (
        (READ["swarm"], _swarm(0, "td", "programmer", "[ASSIGN:#2] Write it.")),
        (READ["swarm"], _swarm(1, "programmer", "td", "ACK: Claimed task #2.")),
        (READ["swarm"], _swarm(2, "programmer", "td", "Completed task #2.")),
        (READ["swarm"], _swarm(3, "td", "programmer", "[REWORK:#2] a test fails")),
        (READ["swarm"], _swarm(4, "programmer", "td", "[ACK:#2] again")),
        (READ["swarm"], _swarm(5, "td", "qa", "AUTONOMY_UPDATE: qa → gated", "autonomy")),
        (READ["swarm"], _swarm(6, "td", "qa", "AUTONOMY_UPDATE: qa → autonomous", "autonomy")),
        (READ["swarm"], _swarm(7, "qa", "td", "[ASK] Which branch?", "message")),
        (READ["swarm"], _swarm(8, "td", "qa", "main", "message")),
        (READ["swarm"], _swarm(9, "td", "qa", "SHUTDOWN_REQUEST: all is done", "shutdown")),
        (READ["swarm"], _swarm(10, "qa", "td", "[REFUSE] not yet", "message")),
    ),
    "runbus": (
        (READ["runbus"], block("TASK", "orchestrator", "Write the parser")),
        (READ["runbus"], block("COMPLETE", "claude-impl-1", "It is written.")),
        (READ["runbus"], block("QUESTION", "claude-impl-1", "Which branch?")),
        (READ["runbus"], block("FACT", "claude-impl-1", "There are two.")),
    ),
    "collab": (
        ("chat.log", _collab(0, "JIM", "CLAWDY", "[TASK:price] Get BTC")),
        ("chat.log", _collab(1, "CLAWDY", "JIM", "[ACK:price] On it.")),
        ("chat.log", _collab(2, "CLAWDY", "JIM", "[DONE:price] BTC $94,230")),
        ("chat.log", _collab(3, "JIM", "CLAWDY", "[REWORK:price] in euros")),
        ("chat.log", _collab(4, "CLAWDY", "JIM", "[BLOCKED:price] the API is down")),
        ("chat.log", _collab(5, "CLAWDY", "JIM", "yes")),
        ("chat.log", _collab(6, "JIM", "CLAWDY", "[ASK] Which currency?")),
    ),
}  # fmt: skip
DIALECTS: Final = tuple(LINES)


def state(project: Project) -> dict[str, object]:
    """Return the board, the agents, their levels, and what waits for what."""
    found: dict[str, object] = {
        name: json.loads(project.run(name, "--json", agent="pat").out)
        for name in ("board", "agents", "waiting")
    }
    return {name: _lasting(value) for name, value in found.items()}


def _lasting(value: object) -> object:
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in PASSING}
    return [_lasting(each) for each in value] if isinstance(value, list) else value


def play(project: Project, dialect: str) -> Path:
    """Write the lines of a team in their order, and let the bus answer them; return the folder."""
    folder = mount_team(project, dialect, *SETTINGS.get(dialect, ())).folder
    for file, lines in itertools.groupby(LINES[dialect], key=lambda each: each[0]):
        project.append(folder / file, *(written for _, written in lines))
        project.sync()
    project.sync()
    return folder


def append_files_to_themselves(project: Project, folder: Path, dialect: str) -> None:
    """Append to every log of a mount all that it holds, our own lines too."""
    for file in dict.fromkeys([*(file for file, _ in LINES[dialect]), READ[dialect]]):
        path = folder / file
        project.append(path, *path.read_text(encoding="utf-8").split("\n")[:-1])
    project.sync()
    project.sync()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_file_that_is_appended_to_itself_changes_nothing(project: Project, dialect: str) -> None:
    folder = play(project, dialect)
    before = state(project)

    append_files_to_themselves(project, folder, dialect)

    assert state(project) == before
