"""Real time, scaled down: `palaver up` patrols by itself, with deadlines of seconds and real programs."""

import os
import signal
from pathlib import Path

import pytest

from palaver.bus.tasks.clock_file import boot_id
from palaver.bus.writer import draft
from palaver.runs import process_table
from tests.supervision.scene import WORKER, program
from tests.sync.living import Place, up

pytestmark = pytest.mark.on_disk("the daemon is another process")

CONFIG = """version = 1
person = "ada"
[deadlines]
patrol = 0.2
gap = 60
grace = 0
nudge = 1
kill = 3
stall = 2
escalate = 6
ceo = 2
ping = 1000
"""
IDLE = "print('ready', flush=True)\nimport time\ntime.sleep(600)"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path / "bus")
    Path(found.bus().root.config).write_text(CONFIG)
    bus = found.bus()
    for agent in ("ceo", "operations", "f/supervisor", WORKER):
        bus.add_agent(agent)
    bus.open_task("Work", task="t1", by="ceo")
    bus.move("t1", "assign", by="ceo", to=WORKER)
    bus.move("t1", "ack", by=WORKER)
    return found


def started(place: Place, pid: int) -> None:
    found = process_table.find_process(pid)
    assert found
    data: dict[str, object] = {"run": "run_001", "agent": WORKER, "pid": pid, "task": "t1"}
    data |= {"ticks": found.ticks, "host": process_table.host(), "boot": boot_id()}
    place.bus().session.log.append([draft("run.started", "palaver", data)])


@pytest.mark.slow
def test_a_frozen_agent_is_nudged_killed_and_brought_to_the_ceo(place: Place) -> None:
    root = f"{place.folder}/.palaver"
    with program(IDLE, root=root) as process, up(place.folder, "--no-web") as running:
        os.kill(process.pid, signal.SIGSTOP)
        started(place, process.pid)

        running.until(lambda: place.events("agent.killed"), "nobody was killed")
        running.until(lambda: not process_table.session_processes(process.pid), "it lives")
        running.until(
            lambda: [
                event
                for event in place.events("mail.sent")
                if event.data.get("act") == "escalate" and event.data.get("to") == ["ceo"]
            ],
            "the CEO did not hear of it",
        )

        kinds = [event.event_type for event in place.events("agent.nudged", "agent.killed")]
        assert kinds == ["agent.nudged", "agent.killed"]
        assert place.bus().task("t1").task.state == "open"


@pytest.mark.slow
def test_a_daemon_that_is_started_again_says_nothing_twice(place: Place) -> None:
    Path(place.bus().root.config).write_text(CONFIG.replace("kill = 3", "kill = 1000"))
    place.bus().send("operations", "The disk is full.", sender="f/supervisor", act="escalate")
    wanted = ["agent.nudged", "patrol.completed"]
    for _ in range(3):
        with up(place.folder, "--no-web") as running:
            running.until(lambda: {event.event_type for event in place.events(*wanted)} == set(wanted))
            running.end()

    keys = [event.key for event in place.events() if event.actor == "palaver" and event.key]
    assert len(keys) == len(set(keys))
    assert len(place.events("agent.nudged")) == 1
