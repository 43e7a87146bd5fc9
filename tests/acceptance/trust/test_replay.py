"""A line that has moved a task, pasted again byte for byte, moves nothing, and its author is told."""

import itertools
import json
from dataclasses import dataclass
from typing import Final

import pytest

from tests.acceptance.marks import unmet
from tests.acceptance.project import Project
from tests.acceptance.teams import mount_team


def swarm(sender: str, to: str, content: str, minute: int) -> str:
    fields = {"from": sender, "to": [f"@{to}"], "type": "task", "reasoning": "r", "content": content}
    return json.dumps({"ts": f"2026-01-25T10:{minute:02}:00.000Z", **fields})


@dataclass(frozen=True, slots=True)
class Story:
    """Lines that bring a task to where a line of the past would move it again."""

    dialect: str
    settings: tuple[str, ...]
    task: str
    author: str
    file: str
    #: File and line, in the order in which they are written.
    lines: tuple[tuple[str, str], ...]
    replayed: str
    before: str
    after: str


CLAIM: Final = "[CLAIM] task-001 | title: One | by: w1 | difficulty: 1 | deps-met: yes"
DELIVERY: Final = "[DELIVERY] task-001 | by: w1 | files: a.py | criteria-met: all"
APPROVAL: Final = "[2026-01-25T10:01:00Z] [APPROVAL] task-001 approved for w1. Status: In Progress."
ACCEPTED: Final = "[2026-01-25T10:03:00Z] [DONE] task-001 marked Done. Delivered by w1."
WORKER: Final = "messages/employee-w1.log"
MANAGER: Final = "messages/manager-inbox.log"
COLLAB_DONE: Final = "2026-01-25 10:02:00 CLAWDY -> JIM: [DONE:price] BTC $94,230"
SWARM_DONE: Final = swarm("programmer", "td", "Completed task #2.", 2)
STORIES: Final = {
    "office-approval": Story(
        "office", ("approval=true",), "001", "emp-manager-001", MANAGER,
        (
            (WORKER, f"[2026-01-25T10:00:00Z] {CLAIM}"),
            (MANAGER, APPROVAL),
            (WORKER, "[2026-01-25T10:02:00Z] [INFO] by: w1 | [RELEASE:001] not now"),
            (WORKER, f"[2026-01-25T10:03:00Z] {CLAIM}"),
        ),
        APPROVAL, "claimed", "working",
    ),
    "office-done": Story(
        "office", ("approval=true",), "001", "emp-manager-001", MANAGER,
        (
            (WORKER, f"[2026-01-25T10:00:00Z] {CLAIM}"),
            (MANAGER, APPROVAL),
            (WORKER, f"[2026-01-25T10:02:00Z] {DELIVERY}"),
            (MANAGER, ACCEPTED),
            (MANAGER, "[2026-01-25T10:04:00Z] [REPLY] To w1: [REWORK:001] a test fails"),
            (WORKER, f"[2026-01-25T10:05:00Z] {DELIVERY}"),
        ),
        ACCEPTED, "delivered", "done",
    ),
    "collab-done": Story(
        "collab", ("a=jim", "b=clawdy", "person=jeremy"), "price", "clawdy", "chat.log",
        (
            ("chat.log", "2026-01-25 10:00:00 JIM -> CLAWDY: [TASK:price] Get BTC"),
            ("chat.log", "2026-01-25 10:01:00 CLAWDY -> JIM: [ACK:price] On it."),
            ("chat.log", COLLAB_DONE),
            ("chat.log", "2026-01-25 10:03:00 JIM -> CLAWDY: [REWORK:price] in euros"),
            ("chat.log", "2026-01-25 10:04:00 CLAWDY -> JIM: [ACK:price] On it."),
        ),
        COLLAB_DONE, "working", "done",
    ),
    "swarm-completed": Story(
        "swarm", (), "2", "programmer", "channel.jsonl",
        (
            ("channel.jsonl", swarm("td", "programmer", "[ASSIGN:#2] Write it.", 0)),
            ("channel.jsonl", swarm("programmer", "td", "ACK: Claimed task #2.", 1)),
            ("channel.jsonl", SWARM_DONE),
            ("channel.jsonl", swarm("td", "programmer", "[REWORK:#2] a test fails", 3)),
            ("channel.jsonl", swarm("programmer", "td", "[ACK:#2] again", 4)),
        ),
        SWARM_DONE, "working", "delivered",
    ),
}  # fmt: skip
# The board has no use for these lines a second time, and says so.
TOLD: Final = ("office-done", "collab-done")
ROWS: Final = [pytest.param(story, id=name) for name, story in STORIES.items()]


def received(project: Project, agent: str) -> list[str]:
    """Return the mail of an agent, each message as JSON."""
    listed = project.do("inbox", "--all", "--json", "-n", "100", agent=agent)
    return [json.dumps(message) for message in json.loads(listed.out)["messages"]]


def play(project: Project, story: Story) -> list[str]:
    """Write the lines of a story in their order; return the mail of the author so far."""
    folder = mount_team(project, story.dialect, *story.settings).folder
    for file, group in itertools.groupby(story.lines, key=lambda each: each[0]):
        project.append(folder / file, *(written for _, written in group))
        project.sync()
    if project.task(story.task)["state"] != story.before:
        raise RuntimeError(f"setup failed: {project.do('task', 'show', story.task).out}")
    return received(project, story.author)


@pytest.mark.parametrize("story", ROWS)
def test_a_new_line_with_the_same_words_moves_the_task(project: Project, story: Story) -> None:
    play(project, story)

    later = story.replayed.replace("10:01:00", "10:09:00").replace("10:02:00", "10:09:00")
    project.append(project.folder / story.dialect / story.file, later.replace("10:03:00", "10:09:00"))
    project.sync()

    assert project.task(story.task)["state"] == story.after


@unmet("it counts again: claimed → working, delivered → done")
@pytest.mark.parametrize("story", ROWS)
def test_a_line_that_has_moved_a_task_moves_nothing_when_it_is_pasted_again(
    project: Project, story: Story
) -> None:
    play(project, story)

    project.append(project.folder / story.dialect / story.file, story.replayed)
    project.sync()

    assert project.task(story.task)["state"] == story.before


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(
            story, id=name, marks=() if name in TOLD else unmet("no message: it counts as a new line")
        )
        for name, story in STORIES.items()
    ],
)
def test_the_author_of_a_line_that_was_pasted_again_is_told(project: Project, story: Story) -> None:
    mail = play(project, story)

    project.append(project.folder / story.dialect / story.file, story.replayed)
    project.sync()

    # Nothing else in these stories is addressed to the author.
    assert [each for each in received(project, story.author) if each not in mail] != []
