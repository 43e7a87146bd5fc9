"""Ten thousand files dropped into an inbox while the kernel's queue holds sixteen: each is one message."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes.figures import tell
from tests.sync.scene import Scene
from tests.sync.spoken import SPEECH
from tests.sync.test_up import until, up

pytestmark = pytest.mark.torture

DROPS = 10_000
DROPPERS = 4
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
# Writes beside, moves in, as the protocol says; some in place, some with sed -i, some removed and made again.
DROPPER = """
import os, sys
inbox, number, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for n in range(count):
    beside = f"{inbox}/.msg.{number}.{n}"
    with open(beside, "w") as file:
        file.write(f"<{number}-{n}>\\n")
    os.utime(beside, (1, 1))
    os.rename(beside, f"{inbox}/msg_{1771730144000000000 + number * 10_000_000 + n}.txt")
"""


@pytest.fixture
def short_queue() -> Iterator[None]:
    """Let the kernel remember sixteen changes, and no more, for whoever starts to watch now."""
    before = QUEUE.read_text()
    QUEUE.write_text("16")
    try:
        yield
    finally:
        QUEUE.write_text(before)


@pytest.mark.usefixtures("short_queue")
@pytest.mark.parametrize("mode", ["theirs", "ours"])
def test_ten_thousand_drops_with_a_queue_of_sixteen_are_ten_thousand_messages(
    tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path / "bus")
    inbox = scene.mount("collab", inbox=mode, **SPEECH["collab"].settings) / "inbox"
    wanted = Counter(f"<{number}-{n}>" for number in range(DROPPERS) for n in range(DROPS // DROPPERS))
    began = time.monotonic()

    with up(scene, "--quiet"):
        droppers = [
            subprocess.Popen([sys.executable, "-c", DROPPER, str(inbox), str(n), str(DROPS // DROPPERS)])
            for n in range(DROPPERS)
        ]
        assert [dropper.wait(600) for dropper in droppers] == [0] * DROPPERS
        written = time.monotonic() - began
        until(lambda: len(scene.bodies("collab")) >= DROPS, seconds=900, nap=1.0)
    seconds = time.monotonic() - began
    scene.restart()
    # Their lines are written some hundred at a time.
    scene.settle(passes=64)

    assert Counter(scene.bodies("collab")) == wanted
    left = [path for path in inbox.iterdir() if not path.name.startswith(".")]
    assert len(left) == (DROPS if mode == "theirs" else 0)
    tell(
        capsys,
        f"P13: {DROPS} drops ({mode}) with a queue of 16: {DROPS} messages, 0 missing, 0 twice; "
        f"dropped in {written:.0f} s, all in the log after {seconds:.0f} s",
    )
