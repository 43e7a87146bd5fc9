"""Order is the log's alone: whatever a clock says, numbers rise and who follows them misses nothing."""

import json
from pathlib import Path

import pytest

from tests.processes.child import python
from tests.processes.oracle import Ground

# A process whose clock is off by so many seconds, and goes back by an hour in the middle.
WRITE = """
import sys, time
from pathlib import Path
real, off = time.time_ns, float(sys.argv[2])
time.time_ns = lambda: real() + int(off * 1e9)
from palaver.log.clock import new_id, now
from palaver.model.event import Draft
from tests.processes.oracle import Ground

log = Ground(Path(sys.argv[1])).open()
for n in range(10):
    if n == 5:
        off -= 3_600
    draft = Draft("mail.sent", actor=sys.argv[3], data={"n": n}, event_id=new_id("evt"), timestamp=now())
    print(log.append([draft])[0].seq)
"""
YEARS = 10 * 365.25 * 86_400


@pytest.mark.parametrize("offs", [(0.0, -YEARS, YEARS), (YEARS, 0.0, -YEARS), (-1.5e9, 2.5e11, 0.0)])
def test_numbers_rise_whatever_the_clock_says(tmp_path: Path, offs: tuple[float, ...]) -> None:
    ground = Ground(tmp_path / "bus")
    numbers: list[int] = []
    followed: list[int] = []

    for place, off in enumerate(offs):
        done = python(WRITE, str(tmp_path / "bus"), str(off), f"writer{place}")
        assert done.returncode == 0, done.stderr
        numbers += map(int, done.stdout.split())
        followed += [event.seq for event in ground.open().read(followed[-1] if followed else 0, 1_000)]

    assert numbers == list(range(1, 31))
    assert followed == numbers
    times = [event.timestamp for event in ground.open().read(0, 1_000)]
    assert times != sorted(times), "the clock did go back"
    assert ground.verify().good


def test_what_a_clock_said_is_kept_as_it_was_said(tmp_path: Path) -> None:
    done = python(WRITE, str(tmp_path / "bus"), "0", "ada")

    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "bus" / "log" / "000000000001.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(line)["timestamp"] for line in lines] == [
        event.timestamp for event in Ground(tmp_path / "bus").open().read(0, 99)
    ]
