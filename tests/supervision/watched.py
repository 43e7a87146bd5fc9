"""Agents that `palaver run` keeps, under a patrol on a clock that we turn."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from palaver.model.event import Event, text, texts
from palaver.runs.process_table import send_signal, session_processes
from tests.cli.spoken import PALAVER, Answer, Shell, surroundings
from tests.runs.programs import Runner
from tests.supervision.scene import PATIENT, WORKER, Scene

BIN: Final = str(Path(sys.executable).parent)
# Agents start many commands, one after the other, and the machine may have other things to do.
PATIENCE: Final = 150.0


def until(happened: Callable[[], object]) -> None:
    """Wait for something; fail if it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


class Kept:
    """One `palaver run`: the keeper, and what it keeps."""

    def __init__(self, keeper: "subprocess.Popen[bytes]", started: Event, out: Path) -> None:
        self.keeper = keeper
        self.started = started
        self.out = out
        self.run = text(started.data, "run")
        self.pid = int(str(started.data["pid"]))

    def code(self) -> int:
        """Wait for the end of the keeper; return its exit code."""
        return self.keeper.wait(PATIENCE)

    def is_alive(self) -> bool:
        return self.keeper.poll() is None and bool(session_processes(self.pid))

    def has_said(self, word: str) -> bool:
        return word in self.out.read_text(errors="replace").splitlines()


class Watched:
    """A company that is patrolled, and programs that run as its agents."""

    def __init__(
        self, folder: Path, config: str = "[deadlines]\ngrace = 0", *, kill: float = PATIENT
    ) -> None:
        self.scene = Scene(folder, config, kill=kill)
        self.folder = folder
        env = surroundings(P=PALAVER)
        self.shell = Shell(folder=folder, env={**env, "PATH": f"{BIN}:{env['PATH']}"})
        self.runner = Runner(shell=self.shell)

    def co(self, *words: str, by: str = "ceo") -> Answer:
        """Run one of a company's commands to its end; it must succeed."""
        return self.shell.with_env(AGENT_ID=by).type(*words, codes=frozenset([0]))

    @contextmanager
    def runs(self, script: str, *options: str, agent: str = WORKER) -> Iterator[Kept]:
        """Start a script as an agent; it says `up` when it is, and at the end nothing of it is left."""
        out = self.folder / f"out-{len(self.scene.events('run.started'))}"
        before = self.scene.bus.session.log.last_seq()
        with out.open("wb") as said:
            keeper = subprocess.Popen(
                [PALAVER, "run", "--as", agent, *options, "--", "sh", "-c", script],
                cwd=self.folder,
                env=dict(self.shell.env),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
        try:
            until(lambda: keeper.poll() is not None or self.since(before, "run.started", agent))
            assert keeper.poll() is None, out.read_text()
            [started] = self.since(before, "run.started", agent)
            kept = Kept(keeper, started, out)
            until(lambda: kept.has_said("up"))
            # What it has said so far is activity; the clock must not be turned before that is in the log.
            until(lambda: self.since(started.seq, "run.output", agent))
            yield kept
        finally:
            over = {text(each.data, "start") for each in self.scene.events("run.ended")}
            for event in self.since(before, "run.started", agent):
                if event.event_id not in over:
                    send_signal(session_processes(int(str(event.data["pid"]))), signal.SIGKILL)
            keeper.kill()
            keeper.wait(PATIENCE)

    def since(self, seq: int, event_type: str, agent: str) -> list[Event]:
        """Return the events of a type about an agent behind a place of the log."""
        found = self.scene.events(event_type)
        return [each for each in found if each.seq > seq and text(each.data, "agent") == agent]

    # --- what came of it ---

    def story(self, agent: str = WORKER) -> list[str]:
        """Return what befell an agent and its programs, in the order of the log; output is left out."""
        wanted = ("run.started", "run.killing", "run.ended", "agent.nudged", "agent.killed")
        return [each.event_type for each in self.scene.events(*wanted) if text(each.data, "agent") == agent]

    def killed(self, agent: str = WORKER) -> Event:
        [event] = [each for each in self.scene.events("agent.killed") if text(each.data, "agent") == agent]
        return event

    def ended(self, kept: Kept) -> dict[str, object]:
        """Return what the log says of the end of a run: once, with its cause."""
        start = kept.started.event_id
        [event] = [each for each in self.scene.events("run.ended") if each.data.get("start") == start]
        assert event.caused_by == start
        return event.data

    def task(self, task: str = "t1") -> tuple[str, str]:
        found = self.scene.bus.task(task).task
        return (found.state, found.holder)

    def is_told(self, agent: str, words: str) -> bool:
        """Tell whether the bus has said something to an agent, once."""
        said = [each for each in self.scene.said() if agent in texts(each.data, "to")]
        found = [each for each in said if words in text(each.data, "body")]
        assert len(found) <= 1
        return bool(found)

    def nothing_left(self, *kept: Kept) -> None:
        """Wait until nothing of some runs is left."""
        until(lambda: not [each for one in kept for each in session_processes(one.pid)])
