"""Kill an agent that waits, reads and acknowledges, over and over, and see what it was given."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from palaver import Bus
from palaver.daemon import background
from tests.bus.scene import bus_in, environment
from tests.cli.spoken import PALAVER
from tests.patience import PATIENCE

# The loop of the README. What it has worked on is in `worked`, a line for each time.
_LOOP = """
echo $$ > pid.new; mv pid.new pid
while palaver wait --timeout "$1" > waited; do
    palaver read --json > got || continue
    cat got >> worked
    palaver ack "$(grep -o '"id":"msg-[a-z0-9]*"' got | head -n 1 | cut -d '"' -f 4)" > acked
done
"""
# About as long as one turn of the loop takes: its commands start Python, or are run by a daemon.
_COLD_SECONDS = 0.8
_WARM_SECONDS = 0.2


@dataclass(slots=True)
class Reader:
    """Bob, whose program is the loop."""

    folder: Path
    bus: Bus

    @classmethod
    def create(cls, folder: Path) -> "Reader":
        """Return bob beside a new bus."""
        bus = bus_in(folder, "bob")
        (folder / "loop.sh").write_text(_LOOP)
        return cls(folder, bus)

    def start(self, seconds: int) -> "subprocess.Popen[bytes]":
        """Start the loop, which ends when no mail has come for so long; return when it has begun."""
        pid = self.folder / "pid"
        pid.unlink(missing_ok=True)
        path = f"{Path(PALAVER).parent}:{os.environ['PATH']}"
        runner = subprocess.Popen(
            [PALAVER, "run", "--as", "bob", "--", "sh", "loop.sh", str(seconds)],
            cwd=self.folder,
            env={**environment(), "PATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while not pid.exists():
            assert time.monotonic() < deadline, "the loop did not begin"
            time.sleep(0.005)
        return runner

    def kill(self, runner: "subprocess.Popen[bytes]", *, with_runner: bool) -> None:
        """Kill the loop with everything that it has started, and first its runner if that is wanted."""
        if with_runner:
            runner.kill()
        # It may have ended by itself.
        with suppress(ProcessLookupError):
            os.killpg(int((self.folder / "pid").read_text()), signal.SIGKILL)
        runner.wait(PATIENCE)

    def worked(self) -> Iterator[tuple[str, bool]]:
        """Yield each message that the loop worked on, in order, and whether it was marked as redelivered."""
        file = self.folder / "worked"
        for line in file.read_text().splitlines() if file.exists() else []:
            for mail in json.loads(line):
                yield mail["id"], mail["delivery"]["redelivered"]


def kill_reader_at_random(
    folder: Path, *, seed: int, kills: int, is_warm: bool = False
) -> tuple[list[str], int]:
    """Send a message before each kill; return what is wrong, and how many messages were given twice."""
    dice = random.Random(seed)
    reader = Reader.create(folder)
    if not is_warm:
        return _kill(reader, dice, kills, _COLD_SECONDS)
    command = [PALAVER, "up", "--detach", "--quiet", "--no-web"]
    subprocess.run(command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, check=True)
    try:
        return _kill(reader, dice, kills, _WARM_SECONDS)
    finally:
        background.stop(reader.bus.root)


def _kill(reader: Reader, dice: random.Random, kills: int, longest: float) -> tuple[list[str], int]:
    sent: list[str] = []
    for number in range(kills):
        sent.append(reader.bus.send("bob", f"message {number}").message.id)
        runner = reader.start(600)
        time.sleep(dice.uniform(0.0, longest))
        reader.kill(runner, with_runner=dice.random() < 0.5)
    assert reader.start(1).wait(PATIENCE * 10) == 0

    given: set[str] = set()
    unmarked = []
    twice = 0
    for message_id, is_marked in reader.worked():
        if message_id in given:
            twice += 1
            if not is_marked:
                unmarked.append(f"{message_id} was given twice and not marked")
        given.add(message_id)
    lost = [f"{message_id} was lost" for message_id in sent if message_id not in given]
    left = [f"{each.message.id} is not acknowledged" for each in reader.bus.inbox("bob").mail]
    return [*lost, *left, *unmarked], twice
