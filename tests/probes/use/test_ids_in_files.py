"""An id that a user sees in a file names its message in every command."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project

NATIVE: Final = "MSG-20260126-101500-claude-5f2"
BLOCKS: Final = f"""---
messageId: {NATIVE}
type: FACT
agent: claude-research-1
timestamp: 2026-01-26T10:15:00Z
runId: run_000
taskId: TASK-000
---

Open sesame, says the agent.

---
---
messageId: MSG-20260126-101600-claude-5f3
type: FACT
agent: claude-research-1
timestamp: 2026-01-26T10:16:00Z
runId: run_000
taskId: TASK-000
---

The next one.

---"""


@pytest.fixture
def bus_file(project: Project) -> Path:
    """Return a bus file with a message of an agent, and one that the bus has written there."""
    file = project.mount("runbus") / "MESSAGE-BUS.md"
    project.append(file, BLOCKS)
    project.sync()
    project.do("send", "runbus", "-m", "Open sesame, says ada.", agent="ada")
    project.sync()
    return file


def ids(file: Path) -> list[str]:
    """Return the ids that a bus file shows of the messages about the cave."""
    blocks = re.findall(
        r"^messageId: (MSG-\S+)\n(?:(?!messageId).)*?^Open sesame", file.read_text(), re.M | re.S
    )
    if len(blocks) != 2:
        raise RuntimeError(f"setup failed: {blocks}")
    return blocks


@pytest.mark.parametrize("command", ["redact", "thread", "events show"])
def test_a_command_takes_the_id_that_a_bus_file_shows(project: Project, bus_file: Path, command: str) -> None:
    answers = [project.run(*command.split(), shown, agent="ada") for shown in ids(bus_file)]

    assert [each.code for each in answers] == [0, 0], answers


def test_a_reply_takes_the_id_that_a_bus_file_shows(project: Project, bus_file: Path) -> None:
    shown = ids(bus_file)[1]

    answer = project.run("reply", shown, "-m", "I heard you", agent="bob")

    assert answer.code == 0, answer
    parent = project.messages("says", "ada")[0]["id"]
    assert project.messages("heard")[0]["reply_to"] == parent


def test_a_redaction_by_the_id_of_a_bus_file_takes_out_that_message_alone(
    project: Project, bus_file: Path
) -> None:
    project.do("redact", ids(bus_file)[1], agent="ada")

    assert project.messages("says", "ada") == []
    assert len(project.messages("says", "agent")) == 1


def test_the_id_of_a_quarantine_entry_names_what_is_redacted(project: Project) -> None:
    channel = project.mount("swarm") / "channel.jsonl"
    project.append(channel, "open sesame, and no JSON")
    project.sync()
    [entry] = project.do("quarantine", "--json").rows

    answer = project.run("redact", str(entry["id"]), agent="ada")

    assert answer.code == 0, answer
    kept = b"".join(each.read_bytes() for each in (project.root / "quarantine").iterdir())
    assert b"open sesame" not in kept


def test_an_id_that_nothing_has_is_refused_with_ids_like_it(project: Project) -> None:
    sent = str(project.messages("hello")[0]["id"])

    answer = project.run("redact", sent[:-2], agent="ada")

    assert answer.code == 3, answer
    assert sent in answer.err
