"""Whoever waits is woken, by any process, and sees news even where nothing can wake him."""

import threading
import time
from pathlib import Path

import pytest

from palaver.log import file_watch
from palaver.log.file_watch import wait_until
from tests.laws.drafts import said
from tests.processes.child import python, started
from tests.processes.faults import strace
from tests.processes.oracle import Ground

APPEND = """
import sys
from pathlib import Path
from tests.laws.drafts import said
from tests.processes.oracle import Ground
ground = Ground(Path(sys.argv[1]), segment_bytes=1_000)
print("ready", flush=True)
sys.stdin.readline()
ground.open().append([said("x" * 900)])
sys.stdin.readline()
"""
WAIT = """
import sys
from pathlib import Path
from tests.processes.oracle import Ground
print(Ground(Path(sys.argv[1])).open().wait(int(sys.argv[2]), float(sys.argv[3])))
"""


def test_wait_is_woken_by_another_process_even_into_a_new_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_watch, "WAIT_POLL_SECONDS", 3_600.0)
    ground = Ground(tmp_path / "bus", segment_bytes=1_000)
    ground.open().append([said("first")])
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(ground.open().wait(1, 3_600.0)), daemon=True)
    with started(APPEND, str(ground.folder)) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        waiter.start()
        time.sleep(0.1)  # most likely it sleeps by now; if not, the law holds all the same

        writer.stdin.write("go\n")
        writer.stdin.flush()
        waiter.join()

    assert woken == [True]
    assert len(list(ground.segments.iterdir())) == 2


@pytest.mark.parametrize("rule", ["inotify_init1:error=EMFILE", "inotify_add_watch:error=ENOSPC"])
def test_where_the_kernel_has_no_watch_to_give_the_waiter_looks_for_himself(
    tmp_path: Path, rule: str
) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("first")])
    late = threading.Timer(0.5, lambda: ground.open().append([said("second")]))
    late.start()

    woken = python(WAIT, str(ground.folder), "1", "30", under=strace(rule))
    late.join()
    in_vain = python(WAIT, str(ground.folder), "2", "0.2", under=strace(rule))

    assert woken.stdout == "True\n", woken.stderr
    assert in_vain.stdout == "False\n", in_vain.stderr


def test_a_touch_without_news_does_not_end_the_wait(tmp_path: Path) -> None:
    looks: list[int] = []

    def ready() -> bool:
        looks.append(1)
        return len(looks) > 2

    toucher = threading.Timer(0.05, lambda: (tmp_path / "a").touch())
    toucher.start()

    assert wait_until(ready, [str(tmp_path)], 30.0)
    toucher.join()
    assert len(looks) == 3


def test_what_happens_before_the_wait_is_seen(tmp_path: Path) -> None:
    assert wait_until(lambda: True, [str(tmp_path / "missing")], 0.0)
    assert not wait_until(lambda: False, [str(tmp_path)], 0.0)
