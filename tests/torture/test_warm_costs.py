"""What the daemon costs: memory with a long log and after many commands, and its share of a core at rest."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from palaver.model.limits import COMMAND_PIPES
from palaver.model.message import Message
from tests.cli.conversation import Conversation, run
from tests.cli.launching import launch
from tests.cli.spoken import PALAVER
from tests.patience import PATIENCE
from tests.processes.figures import tell
from tests.sync.living import Place, Up, eventually, up

pytestmark = pytest.mark.torture

MESSAGES: Final = 100_000
COMMANDS: Final = 20_000
KILLED: Final = 1_000
MEMORY_MIB: Final = 60.0
# 200 bytes a command. What the allocator keeps varies, and the log grows by 15,000 events meanwhile.
GROWTH_MIB: Final = 4.0
REST_SECONDS: Final = 60.0
REST_SHARE: Final = 0.001


def memory_of(daemon: Up) -> float:
    """Return the memory that a process occupies."""
    fields = Path(f"/proc/{daemon.process.pid}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) / 1024


def spent(daemon: Up) -> float:
    """Return how many seconds of a core the threads of a process have used."""
    threads = Path(f"/proc/{daemon.process.pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9


def work(folder: Path, rounds: int) -> None:
    """Run eight commands in each round."""
    for number in range(rounds):
        assert run(folder, "send", "bob", "-m", f"number {number}")[0] == 0
        code, out = run(folder, "send", "ada", "-m", f"answer {number}", agent="bob")
        message = out.split()[1].strip("'")
        assert code == 0
        for words in (
            ["inbox"],
            ["read"],
            ["ack", message],
            ["board"],
            ["thread", message],
            ["tail", "-n", "20"],
        ):
            assert run(folder, *words)[0] == 0, words


def test_the_daemon_is_small_after_a_hundred_thousand_messages_and_does_not_grow(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(memory / "project")
    place.do("agents", "add", "bob")
    bus = place.bus()
    with up(place.folder, "--quiet") as daemon:
        for _ in range(MESSAGES // 1_000):
            bus.send_many([Message(sender="ada", to=["bob"], body=f"number {each}") for each in range(1_000)])
        # A command answers from a view that is behind, and says so.
        bus.session.view.current(PATIENCE)
        # Until each of its threads has filled its caches.
        work(place.folder, COMMANDS // 8 // 2)
        first = memory_of(daemon)
        began = time.monotonic()
        work(place.folder, COMMANDS // 8)
        took, last = time.monotonic() - began, memory_of(daemon)

    assert last <= MEMORY_MIB
    assert last - first <= GROWTH_MIB
    tell(
        capsys,
        f"warm: {first:.1f} MiB with {MESSAGES} messages, "
        f"{last:.1f} MiB after {COMMANDS} commands in {took:.0f} s",
    )


def is_killed(folder: Path, *, is_served: bool) -> bool:
    """Let a launcher end while it is served or before that; return False if there is no pipe for it."""
    with Conversation(folder) as killed:
        try:
            killed.take(killed.fields("wait", "--timeout", "600"))
        except AssertionError:
            return False
        if is_served:
            killed.poke()
        else:
            os.utime(killed.file("request"), (0, 0))
    return True


def test_launchers_that_were_killed_do_not_stop_the_daemon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path / "project")
    with up(place.folder, "--quiet") as daemon:
        assert run(place.folder, "inbox")[0] == 0
        before = memory_of(daemon)
        began = time.monotonic()
        for number in range(KILLED):
            eventually(partial(is_killed, place.folder, is_served=number % 20 > 0))
        with Conversation(place.folder) as own:
            folder = own.folder
        eventually(lambda: launch(PALAVER, place.folder, "inbox").stdout == b"No messages\n")
        eventually(lambda: len(list(folder.glob("*.reply"))) >= COMMAND_PIPES)
        took, after = time.monotonic() - began, memory_of(daemon)
        threads = len(list(Path(f"/proc/{daemon.process.pid}/task").iterdir()))

    assert threads < 200
    tell(
        capsys,
        f"warm: {KILLED} killed launchers in {took:.1f} s, {threads} threads, "
        f"{after - before:+.1f} MiB, then served again",
    )


def test_the_daemon_rests_if_there_is_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path / "project")
    for spoken in ("swarm", "office", "vermas", "collab", "runbus"):
        place.mount(spoken)
    with up(place.folder, "--quiet") as daemon:
        assert run(place.folder, "inbox")[0] == 0
        time.sleep(3)
        began, before = time.monotonic(), spent(daemon)
        time.sleep(REST_SECONDS)
        share = (spent(daemon) - before) / (time.monotonic() - began)

    tell(capsys, f"warm: {share:.3%} of a core at rest, five mounts")
    assert share <= REST_SHARE
