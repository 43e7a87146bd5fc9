"""`palaver up`, killed by the hundred, flooded, and left alone: what it costs and what it loses."""

import os
import random
import resource
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from palaver.model.message import Message
from tests.processes.command import PROGRAM, environment
from tests.processes.figures import tell
from tests.sync.living import Place, Up, read, swarm_line, up
from tests.sync.scene import append, dropped

pytestmark = pytest.mark.torture

KILLS: Final = 300
DROPS: Final = 10_000
MOUNTS: Final = 50
EVENTS: Final = 100_000
HISTORY: Final = 50_000
IDLE_SECONDS: Final = 20.0
QUEUE: Final = Path("/proc/sys/fs/inotify/max_queued_events")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


def test_three_hundred_kills_lose_nothing_and_repeat_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    team, office, pair = place.mount("swarm"), place.mount("office"), place.mount("collab", "pair")
    (office / "messages" / "employee-bob.log").write_text("")
    log = office / "messages" / "manager-inbox.log"
    said: list[str] = []
    began = time.monotonic()

    for round_ in range(KILLS):
        daemon = Up(place.folder, "--quiet")
        for number in range(3):
            said.append(f"{round_}-{number}")
            append(team / "channel.jsonl", swarm_line(said[-1], to="bob"))
        said.append(f"{round_}-drop")
        dropped(pair / "inbox", f"msg_{time.time_ns()}.txt", f"{said[-1]}\n".encode())
        time.sleep(dice.uniform(0, 0.4))
        daemon.kill()
        daemon.close()
    with up(place.folder, "--quiet") as last:
        last.until(lambda: f" {said[-2]} (" in read(log))
        last.end()
    place.do("sync")

    mine = [body for body in place.bodies() if not body.startswith("palaver is")]
    assert Counter(mine) == Counter(said), f"seed {seed}"
    for body in said:
        assert body.endswith("drop") or read(log).count(f" {body} (") == 1, f"seed {seed}: {body}"
    tell(capsys, f"live: {KILLS} kills, {len(said)} messages, {time.monotonic() - began:.0f} s")


def test_ten_thousand_drops_are_seen_once_each_though_the_kernel_lost_count(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid():
        pytest.skip("only root can make the kernel's queue short")
    place = Place(memory / "project")
    pair = place.mount("collab", "pair", "--set", "a=jim", "--set", "b=clawdy")
    before = QUEUE.read_text()
    QUEUE.write_text("16")
    began = time.monotonic()
    try:
        with up(place.folder, "--quiet") as daemon:
            daemon.process.send_signal(signal.SIGSTOP)
            for number in range(DROPS // 2):
                dropped(pair / "inbox", f"msg_{number:019}.txt", f"number {number}\n".encode())
            daemon.process.send_signal(signal.SIGCONT)
            for number in range(DROPS // 2, DROPS):
                dropped(pair / "inbox", f"msg_{number:019}.txt", f"number {number}\n".encode())
            while len(place.events("mail.sent")) <= DROPS:
                assert daemon.process.poll() is None, daemon.err
                time.sleep(1)
            daemon.end()
    finally:
        QUEUE.write_text(before)

    mine = [body for body in place.bodies() if body.startswith("number")]
    assert Counter(mine) == Counter(f"number {number}" for number in range(DROPS))
    tell(capsys, f"P13: {DROPS} drops, a queue of 16: each once, {time.monotonic() - began:.0f} s")


def test_fifty_thousand_lines_of_history_are_taken_in_once(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    team = place.folder / "team"
    team.mkdir()
    append(team / "channel.jsonl", b"".join(swarm_line(f"line {each}") for each in range(HISTORY)))
    began = time.monotonic()

    first = place.do("mount", "add", "swarm", "team", "--json")
    took = time.monotonic() - began
    place.do("mount", "remove", "team")
    second = place.do("mount", "add", "swarm", "team", "--json")

    assert first.fields["taken"] == {"team": HISTORY}
    assert second.fields["taken"] == {}
    assert place.bodies() == [f"line {each}" for each in range(HISTORY)]
    tell(capsys, f"live: {HISTORY} lines of history in {took:.1f} s, a second time adds nothing")


def test_what_it_costs_to_wait_with_fifty_mounts(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    config = place.folder / ".palaver/config.toml"
    tables = []
    for number in range(MOUNTS):
        spoken = ("swarm", "office", "vermas", "collab", "runbus")[number % 5]
        for inner in ("messages", ".work", "inbox"):
            (place.folder / f"m{number}" / inner).mkdir(parents=True)
        tables.append(f'[mounts.m{number}]\ndialect = "{spoken}"\npath = "m{number}"\nprefix = "m{number}"\n')
    config.write_text(config.read_text() + "\n" + "\n".join(tables))
    place.do("sync")

    with up(place.folder, "--quiet") as daemon:
        append(place.folder / "m0" / "channel.jsonl", swarm_line("wake up"))
        daemon.until(lambda: "wake up" in place.bodies())
        time.sleep(3)
        began, before = time.monotonic(), spent(daemon.process.pid)
        time.sleep(IDLE_SECONDS)
        share = (spent(daemon.process.pid) - before) / (time.monotonic() - began)

    tell(capsys, f"live: idle with {MOUNTS} mounts: {share:.2%} of a core")


def spent(process: int) -> float:
    """Return how many seconds of a core a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_long_log_starts_fast(memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = Place(memory / "project")
    place.do("agents", "add", "bob")
    bus = place.bus()
    for _ in range(EVENTS // 1_000):
        bus.send_many([Message(sender="ada", to=["bob"], body=f"number {each}") for each in range(1_000)])
    place.do("inbox", "--as", "bob")
    began = time.monotonic()

    with up(place.folder, "--quiet") as daemon:
        took = time.monotonic() - began
        assert daemon.end().code == 0

    bare = time.monotonic()
    subprocess.run([PROGRAM, "--version"], env=environment(), check=True, capture_output=True)
    bare = time.monotonic() - bare
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    tell(
        capsys, f"live: up after {took:.2f} s with {EVENTS} events ({took / bare:.1f} x --version), {used} MB"
    )
