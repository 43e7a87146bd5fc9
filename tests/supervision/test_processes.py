"""Real programs: frozen, crashed, deaf to SIGTERM, with children, merely waiting; and numbers used again."""

import os
import signal
import time
from pathlib import Path

import pytest

from palaver.model.event import text
from palaver.runs.process_table import session_processes
from palaver.supervision import patrol_service
from palaver.supervision.facts import Facts
from palaver.supervision.patrol import patrol
from palaver.supervision.step import Step
from tests.patience import PATIENCE
from tests.supervision.scene import HASTY, MINUTE, PATIENT, WORKER, Scene, program

pytestmark = pytest.mark.on_disk("programs of agents are other processes")

IDLE = "print('ready', flush=True)\nimport time\ntime.sleep(600)"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + IDLE
FORKING = (
    "import os\nfor _ in range(3):\n    if not os.fork():\n        import time; time.sleep(600)\n" + IDLE
)
# Ends when it is told to, and leaves a child that is deaf to SIGTERM.
PARENTLESS = (
    "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "if os.fork():\n    signal.signal(signal.SIGUSR1, lambda *_: os._exit(0))\n"
    "    print('ready', flush=True)\ntime.sleep(600)"
)


def supervised(folder: Path, pid: int, kill: float = PATIENT) -> Scene:
    scene = Scene(folder, "[deadlines]\ngrace = 0", kill=kill)
    scene.give()
    scene.started(pid=pid)
    scene.patrol()
    return scene


def gone(leader: int) -> bool:
    """Tell whether a session ends; how long that takes decides nothing."""
    deadline = time.monotonic() + PATIENCE
    while session_processes(leader) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not session_processes(leader)


@pytest.mark.parametrize(("code", "how"), [(IDLE, "SIGTERM"), (DEAF, "SIGKILL"), (FORKING, "SIGTERM")])
def test_a_silent_program_is_ended_with_all_its_children(tmp_path: Path, code: str, how: str) -> None:
    with program(code) as process:
        scene = supervised(tmp_path, process.pid, HASTY if how == "SIGKILL" else PATIENT)
        scene.later(17 * MINUTE)

        assert gone(process.pid)
        [event] = scene.events("agent.killed")
        assert text(event.data, "how") == how


def test_what_is_left_of_a_program_is_ended(tmp_path: Path) -> None:
    with program(PARENTLESS, root=f"{tmp_path}/.palaver") as process:
        scene = supervised(tmp_path, process.pid, HASTY)
        process.send_signal(signal.SIGUSR1)
        process.wait(30)
        scene.later(17 * MINUTE)

        assert gone(process.pid)
        [event] = scene.events("agent.killed")
        assert text(event.data, "how") == "SIGKILL"


def test_a_frozen_program_is_ended(tmp_path: Path) -> None:
    with program(IDLE) as process:
        os.kill(process.pid, signal.SIGSTOP)
        scene = supervised(tmp_path, process.pid)
        scene.later(17 * MINUTE)

        assert gone(process.pid)
        assert scene.bus.task("t1").task.state == "open"


def test_a_program_that_is_only_waiting_lives(tmp_path: Path) -> None:
    with program(IDLE) as process:
        scene = supervised(tmp_path, process.pid)
        scene.bus.send("ceo", "Which port?", sender=WORKER, act="ask")
        scene.later(60 * MINUTE)

        assert process.poll() is None
        assert scene.events("agent.killed") == []


def test_a_program_without_work_lives(tmp_path: Path) -> None:
    with program(IDLE) as process:
        scene = supervised(tmp_path, process.pid)
        scene.bus.deliver("t1", "branch", by=WORKER)
        scene.later(60 * MINUTE)

        assert process.poll() is None


def test_who_moves_in_the_last_moment_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with program(IDLE) as process:
        scene = supervised(tmp_path, process.pid)

        def late(facts: Facts) -> list[Step]:
            """Patrol, and let the agent wake up right after."""
            steps = patrol(facts)
            if "kill" in {step.rule for step in steps}:
                scene.bus.send("ceo", "Here I am.", sender=WORKER)
            return steps

        monkeypatch.setattr(patrol_service, "patrol", late)
        scene.later(17 * MINUTE)

        assert process.poll() is None
        assert scene.events("agent.killed") == []
        assert scene.bus.task("t1").task.holder == WORKER
