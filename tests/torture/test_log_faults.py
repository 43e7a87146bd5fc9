"""Faults injected into real processes: the nth sync fails, the clock steps, the disk fills at every byte."""

import json
import shutil
from pathlib import Path

import pytest

from tests.log.test_clock import WRITE
from tests.processes.child import python
from tests.processes.faults import strace
from tests.processes.figures import tell
from tests.processes.oracle import Ground

pytestmark = pytest.mark.torture

# Append with keys, and try again until each is acknowledged.
PERSIST = """
import json, sys
from pathlib import Path
from palaver.model.errors import SyncFailed
from tests.laws.drafts import said
from tests.processes.oracle import Ground

log = Ground(Path(sys.argv[1]), segment_bytes=3_000).open()
acknowledged, refusals = [], 0
for n in range(20):
    while len(acknowledged) <= n:
        try:
            acknowledged += [event.event_id for event in log.append([said("x" * 150, key=f"k{n}")])]
        except SyncFailed:
            refusals += 1
print(json.dumps([acknowledged, refusals]))
"""


def test_whichever_sync_of_a_real_process_fails_nothing_acknowledged_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for failing in range(1, 21):
        ground = Ground(tmp_path / str(failing), segment_bytes=3_000)

        done = python(PERSIST, str(ground.folder), under=strace(f"fdatasync:error=EIO:when={failing}"))

        assert done.returncode == 0, done.stderr
        acknowledged, refusals = json.loads(done.stdout)
        assert refusals == 1, f"sync {failing} did not fail"
        events = ground.open().read(0, 1_000)
        assert set(acknowledged) == {event.event_id for event in events if event.key}
        assert len(acknowledged) == 20
        assert [event.event_type for event in events].count("log.sync_failed") == 1
        assert ground.verify().good
    tell(capsys, "P11: EIO at fdatasync 1 to 20: 0 acknowledged lost, one log.sync_failed each")


def test_a_faked_clock_of_the_system_changes_no_order(tmp_path: Path) -> None:
    faketime = shutil.which("faketime")
    if faketime is None:
        pytest.skip("faketime is not installed")
    ground = Ground(tmp_path / "bus")

    for when in ("-10y", "+10y", "-1h", "+0"):
        done = python(WRITE, str(ground.folder), "0", f"at {when}", under=[faketime, "-f", when])
        assert done.returncode == 0, done.stderr

    events = ground.open().read(0, 1_000)
    assert [event.seq for event in events] == list(range(1, 41))
    assert [event.timestamp for event in events] != sorted(event.timestamp for event in events)
    assert ground.verify().good
