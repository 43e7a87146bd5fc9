"""A bus that is patrolled on a clock of ours, and programs that run as its agents."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from palaver.bus.config.config_events import apply
from palaver.bus.tasks.clock_file import boot_id
from palaver.bus.writer import draft
from palaver.model.event import Event, table, text
from palaver.runs import process_table, run_records
from palaver.runs.run_records import RunProcesses
from palaver.supervision.patrol_service import PatrolResult, PatrolService
from palaver.supervision.step import Step
from tests.bus.scene import bus_in

MINUTE: Final = 60.0
PATIENT, HASTY = 120.0, 0.3
BOOT: Final = "this-start"
COMPANY: Final = ("ceo", "operations", "f/supervisor", "f/workers/slot0", "f/workers/slot1", "qa")
WORKER: Final = "f/workers/slot0"


class Scene:
    """A company on a bus, and somebody who patrols it every thirty seconds of a clock that we turn."""

    def __init__(self, folder: Path, config: str = "", *, kill: float = PATIENT) -> None:
        # Who heeds a signal must have the time to; only for who does not, it is short.
        self.kill = kill
        folder.mkdir(parents=True, exist_ok=True)
        self.bus = bus_in(folder, *COMPANY)
        self.ticks = 1_000.0
        self.boot = BOOT
        self.notes: list[str] = []
        self.configure(config)
        self.restart()
        self.patrol()

    def restart(self) -> None:
        """Forget all that is not on the disk, as another process would."""
        self.patrols = PatrolService(
            self.bus.session,
            note=self.notes.append,
            ticks=lambda: self.ticks,
            boot=lambda: self.boot,
        )

    def configure(self, text: str) -> None:
        path = Path(self.bus.root.config)
        path.write_text(f'version = 1\nperson = "ada"\n{text}\n[runs]\nkill = {self.kill}\n')
        apply(self.bus.session, patient=True)

    def patrol(self) -> list[Step]:
        """Do one pass; return what it was the first to do."""
        found = self.passed()
        assert found is not None
        return found.taken

    def passed(self, *, dry: bool = False) -> PatrolResult | None:
        return self.patrols.run_once(dry=dry)

    def later(self, seconds: float) -> list[Step]:
        """Let time pass, with a patrol every half minute, or minute if it is long; return what they did."""
        done = []
        pause = 30.0 if seconds <= 20 * MINUTE else MINUTE
        while seconds > 0:
            self.ticks += min(pause, seconds)
            seconds -= pause
            done += self.patrol()
        return done

    # --- what stands in the log ---

    def events(self, *types: str) -> list[Event]:
        return [
            each for each in self.bus.session.log.read(0, 1_000_000) if not types or each.event_type in types
        ]

    def said(self, rule: str = "") -> list[Event]:
        """Return what the bus itself said by a rule."""
        mail = [each for each in self.events("mail.sent") if each.actor == "palaver"]
        return [each for each in mail if not rule or text(table(each.data, "meta"), "rule") == rule]

    def rules(self, steps: list[Step]) -> list[str]:
        return [step.rule for step in steps]

    # --- work ---

    def give(self, task: str = "t1", worker: str = WORKER, *, taken: bool = True) -> None:
        """Give a worker a task of the CEO's; it takes it."""
        self.bus.open_task("Work", task=task, by="ceo")
        self.bus.move(task, "assign", by="ceo", to=worker)
        if taken:
            self.bus.move(task, "ack", by=worker)

    def started(self, agent: str = WORKER, run: str = "run_001", pid: int = 0) -> None:
        """Let the log say that a program was started as an agent: one of this machine, if it has a number."""
        data: dict[str, object] = {"run": run, "agent": agent, "pid": pid, "task": "t1"}
        if pid and (found := process_table.find_process(pid)):
            data |= {"ticks": found.ticks, "host": process_table.host(), "boot": boot_id(), "pgid": pid}
            run_records.keep(self.bus.root.path, RunProcesses(run, agent, pid, found.ticks, 0, 0))
        self.bus.session.log.append([draft("run.started", "palaver", data)])

    def heard(self, agent: str = WORKER, run: str = "run_001") -> None:
        self.bus.session.log.append(
            [draft("run.output", "palaver", {"run": run, "agent": agent, "bytes": 10})]
        )

    def ended(self, agent: str = WORKER, run: str = "run_001", *, code: int = 0, signal: int = 0) -> None:
        data: dict[str, object] = {"run": run, "agent": agent, "exit": code, "signal": signal}
        self.bus.session.log.append([draft("run.ended", "palaver", data)])


@contextmanager
def program(
    code: str, run: str = "run_001", *, root: str = "", agent: str = WORKER
) -> Iterator["subprocess.Popen[str]"]:
    """Start a small program in a session of its own, as a run would; at the end nothing of it is left."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PALAVER_ROOT": root, "PALAVER_RUN": run, "PALAVER_AGENT": agent},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
