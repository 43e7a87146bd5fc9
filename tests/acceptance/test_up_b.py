"""What `palaver up` does with the files of a protocol, without any command."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.company_b import SUPERVISOR, WORKER, Company
from tests.acceptance.project_b import PROGRAMS, Project, append, read
from tests.acceptance.team_b import Team
from tests.patience import PATIENCE


@contextmanager
def up(project: Project) -> Iterator[None]:
    """Run the daemon meanwhile."""
    daemon = subprocess.Popen(
        [str(PROGRAMS / "palaver"), "up", "--quiet", "--no-web"],
        cwd=project.folder,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    try:
        assert daemon.stdout is not None
        if not daemon.stdout.readline():
            raise RuntimeError("palaver up ended at once")
        yield
    finally:
        daemon.terminate()
        daemon.communicate(timeout=PATIENCE)


def wait_until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > end:
            raise RuntimeError("it never came")
        time.sleep(0.02)


def test_a_delivery_by_file_clears_the_assignment(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    with up(company.project):
        order = {"metadata": {"work_order_id": "wo-123"}}
        company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **order)
        wait_until(lambda: read(company.assignment_file()) == "")


def test_a_question_on_a_bus_arrives_in_a_channel(tmp_path: Path) -> None:
    team = Team(tmp_path)
    bus = team.project.mount("runbus") / "MESSAGE-BUS.md"
    head = "messageId: MSG-20260126-101500-claude-5f2\ntype: QUESTION\nagent: claude-research-1\n"
    rest = "timestamp: 2026-01-26T10:15:00Z\nrunId: run_001\ntaskId: TASK-parser\n"

    with up(team.project):
        append(bus, f"---\n{head}{rest}---\n\n@architect Which grammar?\n\n---\n")
        wait_until(lambda: "Which grammar?" in read(team.channel))


# In the next two a line that the bus answers today comes after the one in question: when the answer is
# there, the daemon has read both, so that nothing must be waited for that never comes.


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="no effect: the task stays assigned")
def test_a_word_without_a_number_means_the_only_task(tmp_path: Path) -> None:
    team = Team(tmp_path)
    team.say("td", "Task #2: Build the auth module.", to=["@programmer"])
    team.sync()

    with up(team.project):
        team.say("programmer", "ACK: Starting implementation.")
        team.say("td", "Hello?", kind="message", to=["@nosuch"])
        wait_until(lambda: team.told("@td"))

        assert team.state("2") == "working"


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="the inbox stays empty")
def test_a_line_of_the_person_wakes_the_daemon_of_a_pair(tmp_path: Path) -> None:
    project = Project(tmp_path)
    chat = project.folder / "collab/chat.log"
    (chat.parent / "inbox").mkdir(parents=True)
    project.mount("collab", "a=jim", "b=clawdy", "person=jeremy")

    with up(project):
        append(chat, "2026-02-22 04:00:00 JEREMY -> CLAWDY: pause the bot overnight\n")
        append(chat, "2026-02-22 04:00:01 JIM -> NOSUCH: Hello?\n")
        wait_until(lambda: "PALAVER -> JIM: " in read(chat))

        assert [path for path in chat.parent.glob("inbox/msg_*.txt") if "pause the bot" in read(path)]
