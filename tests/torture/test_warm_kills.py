"""Eight launchers at work while their daemon is killed and stopped: every answer is true."""

import random
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final

import pytest

from palaver.model.event import text, texts
from tests.cli.spoken import PALAVER, PALAVER_PY, surroundings
from tests.patience import PATIENCE
from tests.processes.figures import tell
from tests.sync.living import Place, Up

pytestmark = pytest.mark.torture

KILLS: Final = 500
WORKERS: Final = 8
GONE: Final = "[daemon-gone]"
# A daemon that is stopped while it holds a lock.
LOCKED: Final = "[log-locked]"
# Nobody knows what became of a command whose launcher was killed.
KILLED: Final = -signal.SIGKILL


@dataclass(slots=True, kw_only=True)
class Worker:
    """An agent that sends, acknowledges, works on tasks and reads; it remembers what it was told."""

    number: int
    launcher: Path
    folder: Path
    dice: random.Random
    #: What was to be recorded, and the exit code: a message by its body, an act on a task, a mark by its id.
    answers: list[tuple[str, int, str]] = field(default_factory=list)
    slowest: float = 0.0

    @property
    def name(self) -> str:
        return f"worker{self.number}"

    def work(self, is_over: Event) -> None:
        turn = 0
        while not is_over.is_set():
            turn += 1
            sign = f"{self.number}-{turn}"
            sent = self._run(f"body {sign}", "send", self.name, "-m", f"body {sign}")
            found = re.match(r"Sent: (msg-\w+)", sent)
            if found:
                self._run(f"ack {found[1]}", "ack", found[1])
            if (
                turn % 3 == 0
                and self._run(f"opened t{sign}", "task", "open", "work", "--id", f"t{sign}")
                and self._run(f"claim t{sign}", "task", "claim", f"t{sign}")
            ):
                self._run(
                    f"deliver t{sign}", "task", "deliver", f"t{sign}", "-m", "src/work.py, 40 tests green"
                )
            if turn % 4 == 0 and self._run(f"mail {sign}", "send", self.name, "-m", f"mail {sign}"):
                self._run("", "read")
            if turn % 5 == 0:
                self._run("", "inbox")

    def _run(self, what: str, *words: str) -> str:
        process = subprocess.Popen(
            [self.launcher, *words],
            cwd=self.folder,
            env=surroundings(PALAVER_AGENT=self.name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        began = time.monotonic()
        if self.dice.random() < 0.01:
            time.sleep(self.dice.uniform(0, 0.02))
            process.kill()
        out, err = process.communicate(timeout=PATIENCE)
        self.slowest = max(self.slowest, time.monotonic() - began)
        self.answers.append((what, process.returncode, err))
        return out if process.returncode == 0 else ""


def counting_launcher(folder: Path) -> tuple[Path, Path]:
    """Return a launcher, and a file that gets a line whenever it looks for an answer that was lost."""
    folder.mkdir()
    shutil.copy(PALAVER, folder / "palaver")
    python, lost = folder / "palaver-py", folder / "lost"
    python.write_text(
        f'#!/bin/sh\n[ -z "$PALAVER_REQUEST" ] || echo "$1" >>"{lost}"\nexec "{PALAVER_PY}" "$@"\n'
    )
    python.chmod(0o755)
    lost.touch()
    return folder / "palaver", lost


def recorded(place: Place) -> Counter[str]:
    """Return what the log has, in the words of the workers."""
    found: Counter[str] = Counter()
    for event in place.events():
        data = event.data
        if event.event_type == "mail.acknowledged":
            found.update(f"ack {each}" for each in texts(data, "message_ids"))
        elif event.event_type == "mail.read":
            found.update(f"read {each}" for each in texts(data, "message_ids"))
        elif event.event_type == "task.opened":
            found[f"opened {text(data, 'task')}"] += 1
        elif event.event_type == "mail.sent":
            act = text(data, "act")
            found[f"{act} {text(data, 'task')}" if text(data, "task") else text(data, "body")] += 1
    return found


def complaints(workers: list[Worker], found: Counter[str]) -> list[str]:
    """Return every answer that was not true, and everything that was recorded twice."""
    wrong = [f"{count} times: {what}" for what, count in found.items() if count > 1]
    for worker in workers:
        for what, code, err in worker.answers:
            if code == 0 and what and not found[what]:
                wrong.append(f"lost: {what}")
            if code not in (0, KILLED) and GONE not in err and (what == "" or found[what]):
                wrong.append(f"answered {code}, but it is recorded: {what}: {err}")
    return wrong


def test_five_hundred_kills_of_the_daemon_under_eight_launchers_make_no_answer_untrue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    place = Place(tmp_path / "project")
    launcher, lost = counting_launcher(tmp_path / "programs")
    workers = [
        Worker(number=number, launcher=launcher, folder=place.folder, dice=random.Random(f"{seed} {number}"))
        for number in range(WORKERS)
    ]
    place.do("agents", "add", *(worker.name for worker in workers))
    is_over = Event()
    threads = [Thread(target=worker.work, args=(is_over,)) for worker in workers]
    began = time.monotonic()
    for thread in threads:
        thread.start()

    try:
        for number in range(KILLS):
            daemon = Up(place.folder, "--quiet").ready(place.folder)
            time.sleep(dice.uniform(0, 0.8))
            if number % 50 == 49:
                # Launchers that find it stopped give up after two seconds; those in the middle wait.
                daemon.process.send_signal(signal.SIGSTOP)
                time.sleep(3)
                daemon.process.send_signal(signal.SIGCONT)
                time.sleep(0.2)
            daemon.kill()
            daemon.close()
    finally:
        is_over.set()
    for thread in threads:
        thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in threads), f"seed {seed}: a command hangs"
    assert complaints(workers, recorded(place)) == [], f"seed {seed}"
    answers = [answer for worker in workers for answer in worker.answers]
    failed = [(what, code, err) for what, code, err in answers if code not in (0, KILLED)]
    found = len(lost.read_text().splitlines())
    assert len(answers) > 2 * KILLS, f"seed {seed}: they did work"
    assert found > KILLS // 10, f"seed {seed}: answers were lost"
    assert [each for each in failed if not any(code in each[2] for code in (GONE, LOCKED))] == [], (
        f"seed {seed}"
    )
    tell(
        capsys,
        f"warm: {KILLS} kills, {len(answers)} commands, {found} answers lost and found, "
        f"{len(failed)} that say they failed, "
        f"{time.monotonic() - began:.0f} s, the slowest {max(worker.slowest for worker in workers):.1f} s",
    )
