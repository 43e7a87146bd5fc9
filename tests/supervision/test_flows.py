"""The three ways of work through a company, arrow by arrow: done, done again, and stuck.

    worker ─deliver→ supervisor ─ready→ QA ─accept→ worker, supervisor
    worker ─deliver→ supervisor ─ready→ QA ─rework→ worker, supervisor; and once more from the beginning
    supervisor ─nudge→ worker (killed) ; ─escalate→ operations ─escalate→ CEO

Every agent is a program of its own that `palaver run` keeps; what is asserted stands in the log.
"""

import json
import shlex
import signal
import sys
from pathlib import Path

import pytest

from palaver.model.event import Event, text, texts
from tests.runs.programs import WAITS
from tests.supervision.scene import MINUTE, WORKER, Scene
from tests.supervision.watched import Watched, until

# A bound on hanging, not on how long it takes.
pytestmark = [pytest.mark.timeout(400), pytest.mark.on_disk("commands and programs are other processes")]

BOSS = "f/supervisor"
FLOW = ("deliver", "ready", "accept", "rework", "nudge", "escalate")
# What whom a message moves to do.
SUPERVISOR = {"deliver": [["palaver task ready {task} qa -m 'Check it.'"]], "accept": [["end"]]}
CONTENT = {"ready": [["palaver task accept {task} -m merged", "end"]]}
STRICT = {
    "ready": [
        ["palaver task rework {task} -m 'Two tests fail.'"],
        ["palaver task accept {task} -m merged", "end"],
    ]
}
DILIGENT = {"rework": [["co worker done {task} -m 'branch x, mended'"]], "accept": [["end"]]}
FIRST = ("co assignment", "co worker done -m 'branch x'")


def agent(table: object, *first: str) -> str:
    """Return the command line of an agent with a table."""
    program = Path(__file__).parent / "by_command.py"
    return f"exec {shlex.join([sys.executable, str(program), json.dumps(table), *first])}"


def arrows(scene: Scene) -> list[tuple[str, str, list[str]]]:
    """Return the messages of the flow, in the order of the log: who, what, to whom."""
    return [
        (text(each.data, "from"), text(each.data, "act"), sorted(texts(each.data, "to")))
        for each in said(scene)
    ]


def said(scene: Scene) -> list[Event]:
    return [each for each in scene.events("mail.sent") if text(each.data, "act") in FLOW]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path, "[deadlines]\ngrace = 0\nping = 36000")


@pytest.fixture
def order(watched: Watched) -> str:
    """Return a work order that the CEO has dispatched to the worker."""
    made = watched.co("wo", "create", "--title", "Feature X").out.split()[-1]
    assert watched.co("co", "dispatch", made, "f").out == f"Dispatched: {made} to {WORKER}\n"
    return made


def caused(scene: Scene) -> list[str]:
    """Return the causes of the messages of the flow: the acts of those that they came after."""
    acts = {each.event_id: text(each.data, "act") for each in scene.events("mail.sent")}
    return [acts.get(each.caused_by, each.caused_by) for each in said(scene)]


def test_work_that_is_done_is_checked_and_merged(watched: Watched, order: str) -> None:
    scene = watched.scene
    with (
        watched.runs(agent(SUPERVISOR), "--task", order, agent=BOSS) as boss,
        watched.runs(agent(CONTENT), "--task", order, agent="qa") as checker,
        watched.runs(agent({"accept": [["end"]]}, *FIRST), "--task", order) as worker,
    ):
        assert [each.code() for each in (worker, boss, checker)] == [0, 0, 0]

        assert arrows(scene) == [
            (WORKER, "deliver", [BOSS]),
            (BOSS, "ready", ["qa"]),
            ("qa", "accept", ["ceo", BOSS, WORKER]),
        ]
        assert caused(scene) == ["assign", "deliver", "ready"]
        assert watched.task(order)[0] == "done"
        assert [text(each.data, "agent") for each in scene.events("assignment.cleared")] == [WORKER]
        assert scene.rules(scene.later(120 * MINUTE)) == []


def test_work_that_fails_its_tests_goes_back_and_comes_again(watched: Watched, order: str) -> None:
    scene = watched.scene
    with (
        watched.runs(agent(SUPERVISOR), "--task", order, agent=BOSS) as boss,
        watched.runs(agent(STRICT), "--task", order, agent="qa") as checker,
        watched.runs(agent(DILIGENT, *FIRST), "--task", order) as worker,
    ):
        assert [each.code() for each in (worker, boss, checker)] == [0, 0, 0]

        assert arrows(scene) == [
            (WORKER, "deliver", [BOSS]),
            (BOSS, "ready", ["qa"]),
            ("qa", "rework", ["ceo", BOSS, WORKER]),
            (WORKER, "deliver", [BOSS]),
            (BOSS, "ready", ["qa"]),
            ("qa", "accept", ["ceo", BOSS, WORKER]),
        ]
        assert caused(scene) == ["assign", "deliver", "ready", "rework", "deliver", "ready"]
        assert watched.task(order)[0] == "done"
        assert scene.rules(scene.later(120 * MINUTE)) == []


def test_a_stuck_worker_is_woken_ended_and_brought_to_the_ceo(watched: Watched, order: str) -> None:
    scene = watched.scene
    with watched.runs(f"co assignment >/dev/null; {WAITS}", "--task", order) as worker:
        idle_since = scene.events("run.output")[-1]
        # Somebody looks before time can pass.
        scene.patrol()

        assert scene.rules(scene.later(4.5 * MINUTE)) == []
        assert scene.rules(scene.later(1 * MINUTE)) == ["nudge"]
        assert scene.rules(scene.later(9 * MINUTE)) == ["told"]
        assert scene.rules(scene.later(1 * MINUTE)) == ["kill", "told", "release"]
        assert worker.code() == 128 + signal.SIGTERM
        watched.nothing_left(worker)
        assert scene.rules(scene.later(14 * MINUTE)) == []
        assert scene.rules(scene.later(1 * MINUTE)) == ["escalate"]
        assert scene.rules(scene.later(14 * MINUTE)) == []
        assert scene.rules(scene.later(2 * MINUTE)) == ["escalate"]

        assert arrows(scene) == [
            ("f/supervisor", "nudge", [WORKER]),
            ("f/supervisor", "escalate", ["operations"]),
            ("operations", "escalate", ["ceo"]),
        ]
        nudge, first, second = said(scene)
        assert [nudge.caused_by, first.caused_by] == [idle_since.event_id] * 2
        assert second.caused_by == first.event_id
        befell = scene.events("agent.nudged", "run.killing", "run.ended", "agent.killed")
        assert [(each.event_type, each.caused_by) for each in befell] == [
            ("agent.nudged", idle_since.event_id),
            ("run.killing", worker.started.event_id),
            ("run.ended", worker.started.event_id),
            ("agent.killed", idle_since.event_id),
        ]
        assert watched.task(order) == ("open", "")
        assert watched.is_told("ceo", f"{WORKER} is out of its work")
        assert scene.rules(scene.later(120 * MINUTE)) == []


def test_operations_that_passes_an_escalation_on_is_not_passed_over(watched: Watched, order: str) -> None:
    scene = watched.scene
    table = {"escalate": [["palaver send ceo --act escalate --reply-to {id} -m 'It is stuck.'", "end"]]}
    with (
        watched.runs(f"co assignment >/dev/null; {WAITS}", "--task", order),
        watched.runs(agent(table), agent="operations") as operations,
    ):
        scene.later(31 * MINUTE)
        assert operations.code() == 0
        until(lambda: len(said(scene)) == 3)

        scene.later(60 * MINUTE)

        assert arrows(scene) == [
            ("f/supervisor", "nudge", [WORKER]),
            ("f/supervisor", "escalate", ["operations"]),
            ("operations", "escalate", ["ceo"]),
        ]
        assert said(scene)[2].caused_by == said(scene)[1].event_id
