"""The lock keeps processes and threads apart, and whoever waits too long learns who holds it."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from palaver.log.lock import Lock, describe
from palaver.model.limits import LOCK_SECONDS
from palaver.wiring import begin
from tests.laws.drafts import said
from tests.processes.child import python, started, stop
from tests.processes.command import palaver
from tests.processes.oracle import Ground

HOLD = """
import sys
from palaver.log.lock import Lock
lock = Lock(sys.argv[1])
assert lock.acquire(1.0)
print("held", flush=True)
sys.stdin.readline()
lock.release()
print("free", flush=True)
sys.stdin.readline()
"""

# So many locks do not fit on one page of the kernel's list, and they come and go.
CHURN = """
import fcntl, os, random, sys
files = [os.open(f"{sys.argv[1]}/{number}", os.O_RDWR | os.O_CREAT) for number in range(200)]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
while True:
    fcntl.flock(random.choice(files), random.choice((fcntl.LOCK_EX, fcntl.LOCK_UN)))
"""


def test_only_one_process_holds_the_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    lock = Lock(path)
    with started(HOLD, path) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        assert not lock.acquire(0.05)
        assert lock.holder() == holder.pid
        holder.stdin.write("let go\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "free\n"

        assert lock.acquire(0.0)
        assert lock.holder() == os.getpid()


def test_the_holder_is_found_while_many_other_locks_come_and_go(tmp_path: Path) -> None:
    lock = Lock(str(tmp_path / "lock"))
    assert lock.acquire(0.0)
    with started(CHURN, str(tmp_path)) as churn:
        assert churn.stdout is not None
        assert churn.stdout.readline() == "held\n"

        holders = {lock.holder() for _ in range(2_000)}

        churn.kill()
    assert holders == {os.getpid()}


def test_only_one_thread_holds_the_lock(tmp_path: Path) -> None:
    lock = Lock(str(tmp_path / "lock"))
    assert lock.acquire(0.0)
    taken: list[bool] = []

    thread = threading.Thread(target=lambda: taken.append(lock.acquire(0.05)))
    thread.start()
    thread.join()
    lock.release()

    assert taken == [False]
    assert lock.acquire(0.0)


@pytest.mark.parametrize("attempt", range(20))
def test_threads_that_open_the_lock_at_the_same_moment_are_kept_apart(tmp_path: Path, attempt: int) -> None:
    lock = Lock(str(tmp_path / f"lock{attempt}"))
    start = threading.Barrier(6)
    inside: list[int] = []
    most: list[int] = []

    def enter() -> None:
        start.wait()
        assert lock.acquire(10.0)
        inside.append(1)
        most.append(len(inside))
        Path(lock.path).stat()  # a system call lets other threads run
        inside.pop()
        lock.release()

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [1] * 6
    assert Lock(lock.path).acquire(0.0), "nobody still holds it"


def test_the_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with started(HOLD, path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()

    assert Lock(path).acquire(0.0)


def test_the_time_to_wait_is_the_time_for_all_threads_together(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with started(HOLD, path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        lock = Lock(path)
        waited: list[float] = []

        def wait() -> None:
            began = time.monotonic()
            assert not lock.acquire(1.0)
            waited.append(time.monotonic() - began)

        threads = [threading.Thread(target=wait) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    # One after the other would be eight seconds; the rest leaves room for a slow machine.
    assert len(waited) == 8
    assert max(waited) < 6.0


@pytest.mark.slow
def test_a_stopped_holder_is_named_when_the_time_to_wait_is_over(tmp_path: Path) -> None:
    assert LOCK_SECONDS <= 5.0
    begin(str(tmp_path), "ada")
    with started(HOLD, str(tmp_path / ".palaver" / "log.lock")) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        stop(holder.pid)

        refused = palaver("send", "ada", "-m", "hello", root=tmp_path, agent="ada")

        assert refused.returncode == 1
        assert f"process {holder.pid} " in refused.stderr
        assert "which is stopped" in refused.stderr
        assert f"kill -CONT {holder.pid}" in refused.stderr
        assert "[log-locked]" in refused.stderr
        assert "hello" not in palaver("tail", root=tmp_path).stdout
        os.kill(holder.pid, signal.SIGCONT)
        assert holder.stdin is not None
        holder.stdin.write("let go\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "free\n"
        assert palaver("send", "ada", "-m", "hello", root=tmp_path, agent="ada").returncode == 0


def test_a_log_that_nobody_uses_any_more_holds_no_file_open(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus")

    for n in range(10):
        log = ground.open()
        log.append([said(str(n))])
        log.read(0, 9)
        log.wait(n, 0.0)
        log.sync()
        del log

    held = [fd.resolve() for fd in list(Path("/proc/self/fd").iterdir())]
    assert [path for path in held if path.is_relative_to(tmp_path)] == []


def test_a_process_that_is_gone_is_still_named() -> None:
    gone = python("import os; print(os.getpid())")

    assert describe(int(gone.stdout)) == f"process {int(gone.stdout)}"


FORK = """
import os, sys
from pathlib import Path
from tests.laws.drafts import said
from tests.processes.oracle import Ground

ground = Ground(Path(sys.argv[1]), segment_bytes=5_000)
log = ground.open()
log.append([said("before the fork", by="parent")])
children = []
for n in range(4):
    pid = os.fork()
    if not pid:
        for m in range(50):
            log.append([said(f"{m}", by=f"child{n}")])
        os._exit(0)
    children.append(pid)
for m in range(50):
    log.append([said(f"{m}", by="parent")])
assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
"""


def test_a_child_of_a_process_that_has_the_log_open_writes_without_mixing(tmp_path: Path) -> None:
    done = python(FORK, str(tmp_path / "bus"))

    assert done.returncode == 0, done.stderr
    ground = Ground(tmp_path / "bus")
    events = ground.open().read(0, 1_000)
    assert [event.seq for event in events] == list(range(1, 252))
    for name in ("child0", "child1", "child2", "child3", "parent"):
        own = [event.data["body"] for event in events if event.actor == name]
        assert own[-50:] == [str(n) for n in range(50)]
    assert ground.verify().good


FORK_WHILE_HELD = """
import os, sys, threading
from pathlib import Path
from tests.laws.drafts import said
from tests.processes.oracle import Ground

ground = Ground(Path(sys.argv[1]))
log = ground.open()
log.append([said("before")])
held, go = threading.Event(), threading.Event()

def hold():
    assert log._lock.acquire(1.0)
    held.set()
    go.wait()
    log._lock.release()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
readable, writable = os.pipe()
pid = os.fork()
if not pid:
    os.write(writable, b"!")
    log.append([said("from the child")])
    os._exit(0)
os.read(readable, 1)
go.set()
thread.join()
assert os.waitpid(pid, 0)[1] == 0
log.append([said("after")])
"""


def test_a_child_forked_while_a_thread_holds_the_lock_waits_for_it(tmp_path: Path) -> None:
    done = python(FORK_WHILE_HELD, str(tmp_path / "bus"))

    assert done.returncode == 0, done.stderr
    ground = Ground(tmp_path / "bus")
    assert [event.data["body"] for event in ground.open().read(0, 9)] == ["before", "from the child", "after"]
    assert ground.verify().good
