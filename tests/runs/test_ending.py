"""Ending a run: only what is that run's is touched, all of it ends, and the log says how, once."""

import os
import signal
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.tasks.clock_file import boot_id
from palaver.bus.writer import draft
from palaver.model.errors import NotPermitted
from palaver.runs import kill, process_table, run_records
from palaver.runs.run_records import RunProcesses
from palaver.views.agents.runs import Run, runs
from tests.bus.scene import bus_in
from tests.runs.programs import until
from tests.supervision.scene import HASTY, PATIENT, program

IDLE = "print('ready', flush=True)\nimport time\ntime.sleep(600)"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + IDLE
# Two children, one with nothing in its environment; they are ready when their parent is gone.
BEREFT = """
import os, signal, time
first = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == first:
    time.sleep(0.01)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if not os.fork():
    os.execve('/bin/sleep', ['sleep', '600'], {})
print('ready', flush=True)
time.sleep(600)
"""


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return hurried(bus_in(tmp_path, "bob"), PATIENT)


def hurried(bus: Bus, kill: float = HASTY) -> Bus:
    """Let a program have so many seconds to end."""
    Path(bus.root.config).write_text(f'version = 1\nperson = "ada"\n[runs]\nkill = {kill}\n')
    return bus


def run_of(bus: Bus, pid: int, run: str = "run_001", /, **wrong: object) -> Run:
    """Return the run that the log now tells of: a process as it is, but for what is wrong.

    This machine has a record of what is right, as if it had started it.
    """
    run_records.keep(bus.root.path, RunProcesses(run, "bob", pid, ticks_of(pid), 0, 0))
    return told(bus, pid, run, **wrong)


def ticks_of(pid: int) -> int:
    found = process_table.find_process(pid)
    return found.ticks if found else 0


def told(bus: Bus, pid: int, run: str = "run_001", /, **wrong: object) -> Run:
    """Return a run that only the log tells of."""
    data: dict[str, object] = {"run": run, "agent": "bob", "pid": pid, "ticks": ticks_of(pid)}
    data |= {"host": process_table.host(), "boot": boot_id(), **wrong}
    [event] = bus.session.log.append([draft("run.started", "palaver", data)])
    return next(each for each in runs(bus.session.view.current(), going=True) if each.start == event.event_id)


def types(bus: Bus) -> list[str]:
    return [each.event_type for each in bus.session.log.read(0, 1_000) if each.event_type.startswith("run.")]


def test_a_repeated_key_kills_once(bus: Bus) -> None:
    with program(IDLE, root=bus.root.path, agent="bob") as process:
        run_of(bus, process.pid)
        [killed] = bus.kill_run("run_001", key="k")
    before = types(bus)

    [again] = bus.kill_run("run_001", key="k")

    assert (again.state, again.run.start) == (killed.state, killed.run.start)
    assert types(bus) == before


@pytest.mark.parametrize(
    ("wrong", "how"),
    [
        ({"ticks": 1}, "gone"),
        ({"ticks": 0}, "gone"),
        ({"boot": "another"}, "elsewhere"),
        ({"boot": ""}, "elsewhere"),
        ({"host": "another"}, "elsewhere"),
        ({"pid": 0}, "gone"),
        ({"pid": 1}, "gone"),
        ({"pid": -1}, "gone"),
    ],
    ids=str,
)
def test_a_number_that_is_somebody_elses_by_now_is_not_touched(
    bus: Bus, wrong: dict[str, object], how: str
) -> None:
    with program(IDLE, root="another bus", agent="bob") as process:
        run = run_of(bus, process.pid, **wrong)

        assert kill.end_runs(bus.session, [(run, "")]) == [how]
        assert process.poll() is None
        assert types(bus) == ["run.started"]


def test_a_run_that_only_the_log_tells_of_is_not_touched(bus: Bus) -> None:
    with program(IDLE, root="another bus") as process, program(IDLE, root="another bus") as runner:
        run = told(bus, process.pid, keeper=runner.pid, keeper_ticks=ticks_of(runner.pid))

        with pytest.raises(NotPermitted, match="only the log says"):
            bus.kill_run("run_001")
        assert kill.end_runs(bus.session, [(run, "")], with_runner=True) == ["gone"]
        assert (process.poll(), runner.poll()) == (None, None)
        assert types(bus) == ["run.started"]


def test_the_runner_of_a_run_is_not_what_the_log_says_but_its_parent(bus: Bus) -> None:
    with program(IDLE, root=bus.root.path, agent="bob") as process, program(DEAF) as other:
        told(bus, process.pid, keeper=other.pid, keeper_ticks=ticks_of(other.pid))

        bus.kill_run("run_001")

        assert process.wait(30) == -signal.SIGTERM
        assert other.poll() is None


@pytest.mark.parametrize(("code", "how"), [(IDLE, "SIGTERM"), (DEAF, "SIGKILL")])
def test_the_start_of_a_process_proves_which_one_it_is(bus: Bus, code: str, how: str) -> None:
    with program(code, root="another bus") as process:
        run = run_of(bus, process.pid)
        hurried(bus, HASTY if how == "SIGKILL" else PATIENT)

        assert kill.end_runs(bus.session, [(run, "it is stuck")]) == [how]
        assert process.wait(30) == -getattr(signal, how)
        assert types(bus) == ["run.started", "run.killing", "run.ended"]


def test_the_marks_of_one_process_prove_the_whole_session(bus: Bus) -> None:
    with program(BEREFT, root=bus.root.path, agent="bob") as process:
        run = run_of(bus, process.pid)
        session = process_table.session_processes(process.pid)
        until(
            lambda: [
                each for each in session if "PALAVER_RUN" not in process_table.read_environment(each.pid)
            ]
        )

        assert kill.end_runs(hurried(bus).session, [(run, "")]) == ["SIGKILL"]
        until(lambda: not process_table.session_processes(process.pid))


def test_runs_end_together(bus: Bus) -> None:
    with program(IDLE, "run_001") as one, program(DEAF, "run_002") as other:
        wanted = [(run_of(bus, each.pid, name), "") for each, name in ((one, "run_001"), (other, "run_002"))]

        assert kill.end_runs(hurried(bus).session, wanted)[1] == "SIGKILL"
        assert [one.wait(30) < 0, other.wait(30)] == [True, -signal.SIGKILL]
        assert types(bus).count("run.ended") == 2


def test_whoever_says_it_with_a_key_says_it_once(bus: Bus) -> None:
    with program(IDLE) as process:
        run = run_of(bus, process.pid)
        bus.session.log.append(
            [draft("run.killing", "palaver", {"start": run.start}, key=f"patrol:{run.start}")]
        )

        kill.end_runs(bus.session, [(run, "")], key="patrol")

        assert types(bus) == ["run.started", "run.killing", "run.ended"]


def test_a_frozen_program_hears_that_it_is_to_end(bus: Bus) -> None:
    with program(IDLE) as process:
        run = run_of(bus, process.pid)
        os.kill(process.pid, signal.SIGSTOP)

        assert kill.end_runs(bus.session, [(run, "")]) == ["SIGTERM"]
