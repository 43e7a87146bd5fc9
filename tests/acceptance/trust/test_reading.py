"""A message counts as read once it was shown: what never reached the reader is shown again."""

import json
import os
import subprocess

import pytest

from tests.acceptance.project import PALAVER, Project
from tests.patience import PATIENCE


@pytest.fixture
def message(project: Project) -> str:
    """Return the id of a message to bob."""
    sent = project.do("send", "bob", "-m", "the only copy", "--json", agent="ada")
    return str(json.loads(sent.out)["id"])


def read_into_nowhere(project: Project, output: str, *words: str) -> int:
    """Run `palaver read` as bob with an output that takes nothing; return the exit code."""
    if output == "full disk":
        target = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, target = os.pipe()
        os.close(reader)
    try:
        done = subprocess.run(
            [PALAVER, "read", *words], cwd=project.folder, env={**project.env, "PALAVER_AGENT": "bob"},
            stdin=subprocess.DEVNULL, stdout=target, stderr=subprocess.PIPE, timeout=PATIENCE, check=False,
        )  # fmt: skip
    finally:
        os.close(target)
    return done.returncode


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("output", ["full disk", "reader gone"])
def test_a_message_that_could_not_be_shown_is_shown_again(
    project: Project, message: str, output: str, options: tuple[str, ...]
) -> None:
    read_into_nowhere(project, output, *options)

    shown = project.run("read", agent="bob")

    assert "the only copy" in shown.out, (message, shown)


def test_a_message_that_could_not_be_shown_is_not_recorded_as_read(project: Project, message: str) -> None:
    read_into_nowhere(project, "full disk", message)

    assert [event["data"] for event in project.events("mail.read")] == []


def test_a_read_that_could_not_be_shown_is_an_error(project: Project, message: str) -> None:
    code = read_into_nowhere(project, "full disk", message)

    assert code == 1


def test_a_message_that_was_shown_is_recorded_as_read(project: Project, message: str) -> None:
    shown = project.run("read", agent="bob")

    assert "the only copy" in shown.out, shown
    [event] = project.events("mail.read")
    assert message in json.dumps(event["data"])


def test_a_message_that_is_shown_twice_is_marked(project: Project, message: str) -> None:
    first = project.run("read", message, agent="bob")
    again = project.run("read", message, agent="bob")
    [listed] = json.loads(project.run("read", message, "--json", agent="bob").out)

    assert "read before" not in first.out, first
    assert "read before" in again.out, again
    assert listed["delivery"]["redelivered"] is True
