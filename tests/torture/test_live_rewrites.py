"""Files that the bus rewrites while others append to them: long runs with real processes."""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from palaver.model.event import text
from palaver.sync.intake import replaced_file_intake
from tests.patience import PATIENCE
from tests.processes.command import PROGRAM, environment
from tests.processes.figures import tell
from tests.sync.interleaving import ADDS, interrupt, interrupt_often, kill, kill_later
from tests.sync.living import Place, Up, up
from tests.sync.rewritten import CASES, Lines
from tests.sync.scene import append
from tests.sync.test_rewrites import WAYS, Pass, check_rest, sweep

pytestmark = pytest.mark.torture

LINES: Final = 5_000
KILLS: Final = 40
ROUNDS: Final = 400
# A pass has about as many moments.
MOMENTS: Final = 220
FILE: Final = ".work/messages.jsonl"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let replaced files go as soon as nobody can write to them."""
    monkeypatch.setattr(replaced_file_intake, "REPLACED_SECONDS", 0.0)


# Appends numbered lines, one write each; `often` opens the file for every line, `once` keeps it open.
APPENDER: Final = """
import os, sys, time
path, how, first, count, pause = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:])
flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
fd = os.open(path, flags, 0o644)
for number in range(int(first), int(first + count)):
    named = '"id":"msg-%d",' % number if number % 2 else ""
    line = '{%s"from":"w1","to":"boss","subject":"s","body":"<%d>","timestamp":"2026-01-01T10:00:00.000Z"}\\n'
    if how == "often":
        os.close(fd)
        fd = os.open(path, flags, 0o644)
    os.write(fd, (line % (named, number)).encode())
    time.sleep(pause)
"""


@contextmanager
def appender(path: Path, how: str, first: int, count: int, pause: float) -> Iterator[subprocess.Popen[bytes]]:
    words = [sys.executable, "-c", APPENDER, str(path), how, str(first), str(count), str(pause)]
    process = subprocess.Popen(words)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)


def read_while(folder: Path, processes: list[subprocess.Popen[bytes]]) -> int:
    """Run `palaver read` until the processes have ended; return how often something was read."""
    command = [PROGRAM, "read", "--root", str(folder), "--json"]
    count = 0
    while any(process.poll() is None for process in processes):
        done = subprocess.run(
            command, env=environment("boss"), check=False, capture_output=True, timeout=PATIENCE
        )
        count += done.returncode == 0
    return count


def words_in(path: Path) -> Counter[str]:
    return Counter(json.loads(line)["body"] for line in path.read_bytes().splitlines() if line.strip())


def test_lines_appended_while_marks_are_written_are_all_in_the_file_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path / "project")
    file = place.mount("vermas") / FILE
    append(file, b'{"id":"msg-0","from":"boss","to":"w1","subject":"s","body":"<begin>"}\n')
    place.do("sync")
    began = time.monotonic()

    with (
        up(place.folder, "--quiet") as daemon,
        appender(file, "often", 1, LINES, 0.004) as often,
        appender(file, "once", 1_000_001, LINES // 5, 0.02) as once,
    ):
        reads = read_while(place.folder, [often, once])
        daemon.end()
    for _ in range(6):
        place.do("sync")

    said = Counter(
        ["<begin>", *(f"<{n}>" for n in range(1, LINES + 1))]
        + [f"<{1_000_001 + n}>" for n in range(LINES // 5)]
    )
    log = Counter(text(event.data, "body") for event in place.events("mail.sent"))
    standing = words_in(file)
    tell(
        capsys,
        f"rewrites: {said.total()} lines appended, {reads} reads, "
        f"{len(place.events('file.rewritten'))} rewrites in {time.monotonic() - began:.0f} s: "
        f"file {(said - standing).total()} missing, {(standing - said).total()} too many; "
        f"log {(said - log).total()} missing, {(log - said).total()} too many",
    )
    assert log == said
    assert standing == said


def test_nothing_is_lost_though_the_daemon_is_killed_again_and_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns() % (1 << 30)
    dice = random.Random(seed)
    place = Place(tmp_path / "project")
    file = place.mount("vermas") / FILE
    append(file, b'{"id":"msg-0","from":"boss","to":"w1","subject":"s","body":"<begin>"}\n')
    place.do("sync")
    began = time.monotonic()
    command = [PROGRAM, "read", "--root", str(place.folder), "--json"]

    with (
        appender(file, "often", 1, 2_000, 0.02) as often,
        appender(file, "once", 1_000_001, 1_000, 0.04) as once,
    ):
        for _ in range(KILLS):
            daemon = Up(place.folder, "--quiet")
            for _ in range(3):
                subprocess.run(command, env=environment("boss"), check=False, capture_output=True)
            time.sleep(dice.uniform(0, 0.3))
            daemon.kill()
            daemon.close()
        assert often.wait(PATIENCE) == once.wait(PATIENCE) == 0
    for _ in range(6):
        place.do("sync")

    said = Counter(["<begin>", *(f"<{n}>" for n in range(1, 2_001))])
    said.update(f"<{1_000_001 + n}>" for n in range(1_000))
    log = Counter(text(event.data, "body") for event in place.events("mail.sent"))
    standing = words_in(file)
    tell(
        capsys,
        f"rewrites: {said.total()} lines appended, {KILLS} kills of the daemon, "
        f"{len(place.events('file.rewritten'))} rewrites in {time.monotonic() - began:.0f} s: "
        f"file {(said - standing).total()} missing, {(standing - said).total()} too many; "
        f"log {(said - log).total()} missing, {(log - said).total()} too many",
    )
    assert log == said, f"seed {seed}"
    assert standing == said, f"seed {seed}"


# --- one pass, moment by moment ---


@pytest.mark.parametrize(("name", "way"), WAYS, ids=lambda each: each.replace(" ", "-"))
def test_what_is_written_at_any_system_call_is_in_the_file_and_in_the_log_once(
    memory: Path, name: str, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name](memory)

    moments = sweep(case, interrupt, way)

    check_rest(case)
    tell(capsys, f"rewrites: {name}, {way}: written at each of {moments} moments, nothing lost or twice")


@pytest.mark.parametrize("do_pass", [kill, kill_later], ids=["at-once", "later"])
@pytest.mark.parametrize(("name", "way"), WAYS, ids=lambda each: each.replace(" ", "-"))
def test_a_pass_that_is_killed_at_any_system_call_is_made_good_by_the_next_one(
    memory: Path, name: str, way: str, do_pass: Pass, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name](memory)

    moments = sweep(case, do_pass, way)

    check_rest(case)
    tell(capsys, f"rewrites: {name}, {way}: killed at each of {moments} moments, nothing lost or twice")


class Crowd:
    """Programs that write to one file at random: some keep it open, others save all of it.

    A save by rename takes the file away from those that have it open, so no crowd has both kinds.
    """

    def __init__(self, case: Lines, dice: random.Random, saves: tuple[str, ...]) -> None:
        self._case = case
        self._dice = dice
        self._saves = saves
        self._held: list[int] = []
        self.written = 0

    def deeds(self, number: int) -> dict[int, Callable[[], None]]:
        """Return what the programs do in a pass, by moment."""
        moments = sorted(self._dice.sample(range(1, MOMENTS), 4))
        return {moment: partial(self._write, number * 10 + part) for part, moment in enumerate(moments)}

    def _write(self, number: int) -> None:
        content = self._dice.choice(self._case.variants(number))
        kind = self._dice.random()
        if kind < 0.2:
            ADDS[self._dice.choice(self._saves)](self._case.path, content)
        elif kind < 0.6 and self._held:
            os.write(self._dice.choice(self._held), content)
        else:
            append(self._case.path, content)
        self._case.wrote(number, content)
        self.written += 1

    def come_and_go(self) -> None:
        """Let a program open the file, and another one close it."""
        if "rename" not in self._saves and self._dice.random() < 0.3:
            self._held.append(os.open(self._case.path, os.O_WRONLY | os.O_APPEND))
        if len(self._held) > 4:
            os.close(self._held.pop(0))

    def leave(self) -> None:
        for fd in self._held:
            os.close(fd)


@pytest.mark.parametrize("saves", [("append", "in place"), ("rename", "in place")], ids=["held", "saved"])
@pytest.mark.parametrize("name", ["mail", "orders"])
def test_several_programs_at_random_moments_of_several_passes_lose_no_line(
    memory: Path, name: str, saves: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns() % (1 << 30)
    dice = random.Random(seed)
    case = CASES[name](memory)
    assert isinstance(case, Lines)
    crowd = Crowd(case, dice, saves)

    for number in range(1, ROUNDS + 1):
        case.prepare(number)
        crowd.come_and_go()
        interrupt_often(case.scene, crowd.deeds(number))
        if dice.random() < 0.3:
            kill(case.scene, dice.randrange(1, MOMENTS), lambda: None)
            case.scene.restart()
    crowd.leave()
    case.scene.settle(64)

    tell(capsys, f"rewrites: {name}: {crowd.written} writes in {ROUNDS} passes (seed {seed})")
    check_rest(case)
