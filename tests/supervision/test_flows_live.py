"""The same three ways in real time, scaled down: `palaver up` patrols by itself, with deadlines of seconds.

QA knows nothing of the bus: it reads and appends to the file of the company's mail.
"""

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest

from palaver.bus.config.config_events import apply
from palaver.model.event import Event, text, texts
from palaver.runs.process_table import session_processes
from tests.runs.programs import WAITS
from tests.supervision.scene import WORKER
from tests.supervision.test_flows import BOSS, DILIGENT, FIRST, SUPERVISOR, agent
from tests.supervision.watched import Watched
from tests.sync.living import Up, up

# A bound on hanging, not on how long it takes.
pytestmark = [pytest.mark.timeout(400), pytest.mark.on_disk("programs of agents are other processes")]

# Nobody is to be late here, however busy the machine is.
CALM = "[deadlines]\npatrol = 0.2\nnudge = 300\nping = 36000"
# Everybody is late here at once. What is waited for is what happens, not how soon.
HASTY = """[deadlines]
patrol = 0.2
gap = 30
grace = 0
nudge = 1
stall = 36000
kill = 3
escalate = 6
ceo = 2
ping = 36000
start = 36000
"""


def company(folder: Path, config: str) -> Watched:
    """Return a company whose mail is a file."""
    found = Watched(folder, config)
    (folder / "company" / ".work").mkdir(parents=True)
    found.shell.run("mount", "add", "vermas", "company", "--name", "company", "--as", "ada")
    apply(found.scene.bus.session, patient=True)
    return found


def dispatched(watched: Watched) -> str:
    made = watched.co("wo", "create", "--title", "Feature X").out.split()[-1]
    watched.co("co", "dispatch", made, "f")
    return made


def checking(watched: Watched, *answers: str) -> str:
    """Return the command line of QA, which gives these answers."""
    program = Path(__file__).parent / "by_file.py"
    mail = watched.folder / "company/.work/messages.jsonl"
    table = json.dumps({"READY_FOR_QA": answers})
    return f"exec {shlex.join([sys.executable, str(program), str(mail), 'qa', table])}"


def moves(watched: Watched, *acts: str) -> list[Event]:
    return [each for each in watched.scene.events("mail.sent") if text(each.data, "act") in acts]


def arrows(events: list[Event]) -> list[tuple[str, str]]:
    return [(text(each.data, "from"), text(each.data, "act")) for each in events]


def follow(watched: Watched, running: Up, answers: list[str]) -> list[Event]:
    """Let the three of them work on one order until it is done; return what was said of it."""
    order = dispatched(watched)
    with (
        watched.runs(checking(watched, *answers), "--task", order, agent="qa") as checker,
        watched.runs(agent(SUPERVISOR), "--task", order, agent=BOSS) as boss,
    ):
        # Where QA lives the bus knows from its first word.
        running.until(lambda: "qa" in {each.actor for each in watched.scene.events("mail.sent")})
        with watched.runs(agent(DILIGENT, *FIRST), "--task", order) as worker:
            assert [each.code() for each in (worker, boss, checker)] == [0, 0, 0]
    assert watched.task(order)[0] == "done"
    return moves(watched, "deliver", "ready", "accept", "rework")


@pytest.mark.slow
def test_work_is_handed_in_checked_in_a_file_and_merged(tmp_path: Path) -> None:
    watched = company(tmp_path, CALM)
    with up(tmp_path) as running:
        found = follow(watched, running, ["MERGED"])

        assert arrows(found) == [(WORKER, "deliver"), (BOSS, "ready"), ("qa", "accept")]
        assert found[1].caused_by == found[0].event_id
        assert watched.scene.events("agent.nudged", "agent.killed") == []


@pytest.mark.slow
def test_work_that_is_refused_in_a_file_comes_again(tmp_path: Path) -> None:
    watched = company(tmp_path, CALM)
    with up(tmp_path) as running:
        found = follow(watched, running, ["REWORK_REQUEST", "MERGED"])

        once = [(WORKER, "deliver"), (BOSS, "ready")]
        assert arrows(found) == [*once, ("qa", "rework"), *once, ("qa", "accept")]
        assert found[3].caused_by == found[2].event_id


@pytest.mark.slow
def test_a_stuck_worker_climbs_to_the_ceo_in_seconds(tmp_path: Path) -> None:
    watched = company(tmp_path, CALM)
    with up(tmp_path) as running:
        order = dispatched(watched)
        with watched.runs(f"co assignment >/dev/null; {WAITS}", "--task", order) as worker:
            os.kill(worker.pid, signal.SIGSTOP)
            # From now on: before, a slow start would have been too slow.
            config = Path(watched.scene.bus.root.config)
            config.write_text(config.read_text().replace(CALM, HASTY))
            apply(watched.scene.bus.session, patient=True)
            running.until(
                lambda: [each for each in moves(watched, "escalate") if texts(each.data, "to") == ["ceo"]],
                "the CEO did not hear of it",
            )

            assert worker.code() == 128 + signal.SIGTERM
            assert session_processes(worker.pid) == []
            assert watched.story() == [
                "run.started",
                "agent.nudged",
                "run.killing",
                "run.ended",
                "agent.killed",
            ]
            [first, second] = moves(watched, "escalate")
            assert (texts(first.data, "to"), texts(second.data, "to")) == (["operations"], ["ceo"])
            assert second.caused_by == first.event_id
            [nudge] = moves(watched, "nudge")
            assert nudge.caused_by == watched.killed().caused_by == first.caused_by
            assert watched.is_told("ceo", f"{WORKER} is out of its work")
            assert watched.task(order) == ("open", "")
