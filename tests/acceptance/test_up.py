"""What `palaver up` does with the files of a protocol, without any command."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.daemon import Daemon, run_daemon, wait_until
from tests.acceptance.files import read
from tests.acceptance.project import Project
from tests.acceptance.swarm_team import SwarmTeam
from tests.acceptance.vermas_company import SUPERVISOR, WORKER, Company


def wait_for(happened: Callable[[], object]) -> None:
    """Wait for what must happen before a law can be tried, or where nothing else is asked for."""
    if not wait_until(happened):
        raise RuntimeError("it never came")


def test_a_delivery_by_file_clears_the_assignment(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    with run_daemon(company.project):
        order = {"metadata": {"work_order_id": "wo-123"}}
        company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **order)
        wait_for(lambda: read(company.assignment_file()) == "")


def test_a_question_on_a_bus_arrives_in_a_channel(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    bus = team.project.mount("runbus") / "MESSAGE-BUS.md"
    head = "messageId: MSG-20260126-101500-claude-5f2\ntype: QUESTION\nagent: claude-research-1\n"
    rest = "timestamp: 2026-01-26T10:15:00Z\nrunId: run_001\ntaskId: TASK-parser\n"

    with run_daemon(team.project):
        team.project.append(bus, f"---\n{head}{rest}---\n\n@architect Which grammar?\n\n---")
        wait_for(lambda: "Which grammar?" in read(team.channel))


def test_a_word_without_a_number_means_the_only_task(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    team.say("td", "Task #2: Build the auth module.", to=["@programmer"])
    team.sync()

    with run_daemon(team.project):
        team.say("programmer", "ACK: Starting implementation.")
        wait_for(lambda: team.state("2") == "working")


def test_a_line_of_the_person_wakes_the_daemon_of_a_pair(tmp_path: Path) -> None:
    project = Project.create(tmp_path, "pat")
    chat = project.folder / "collab/chat.log"
    (chat.parent / "inbox").mkdir(parents=True)
    project.mount("collab", "a=jim", "b=clawdy", "person=jeremy")

    with run_daemon(project):
        project.append(chat, "2026-02-22 04:00:00 JEREMY -> CLAWDY: pause the bot overnight")
        wait_for(lambda: list(chat.parent.glob("inbox/msg_*.txt")))

    (path,) = chat.parent.glob("inbox/msg_*.txt")
    assert "pause the bot" in read(path)


@pytest.mark.parametrize(("options", "has_texts"), [(["--json"], False), (["--json", "--texts"], True)])
def test_what_it_prints_for_a_log_has_no_texts(
    tmp_path: Path, options: list[str], *, has_texts: bool
) -> None:
    project = Project.create(tmp_path, "pat")
    project.do("agents", "add", "bob")

    daemon = Daemon(project, *options)
    try:
        project.do("send", "bob", "-s", "SUBJECT", "-m", "BODY", "--reasoning", "WHY", agent="pat")
        wait_for(lambda: "mail.sent" in read(daemon.log))
    finally:
        daemon.stop()

    assert {word: word in read(daemon.log) for word in ("SUBJECT", "BODY", "WHY")} == dict.fromkeys(
        ("SUBJECT", "BODY", "WHY"), has_texts
    )


def test_a_program_that_keeps_a_rotated_channel_open_is_heard(tmp_path: Path) -> None:
    team = SwarmTeam(tmp_path)
    team.say("td", "Before the rotation.")
    team.sync()

    with run_daemon(team.project), team.channel.open("ab", buffering=0) as held:
        team.channel.rename(f"{team.channel}.1")
        team.say("td", "In the new file.")
        wait_for(lambda: team.project.messages("new", "file"))
        held.write(Path(f"{team.channel}.1").read_bytes().replace(b"Before", b"Long after"))
        wait_for(lambda: team.project.messages("Long", "after"))
