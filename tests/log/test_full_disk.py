"""A disk that says no: the refusal names path and cause, nothing half-written is left, room is the cure."""

import json
import os
from pathlib import Path
from typing import NoReturn

import pytest

from palaver.bus.root import find
from palaver.log.file_log import FileLog
from palaver.model.errors import StorageFailed
from palaver.web.access_keys import Keys
from palaver.wiring import begin
from tests.laws.drafts import said
from tests.processes.child import python
from tests.processes.command import palaver
from tests.processes.faults import fill, read_only, small_disk, strace
from tests.processes.oracle import Ground

# Let the file grow by 0, 1, 2, … bytes and no more, and try to append; then lift the limit and try again.
LIMITED = """
import json, resource, sys
from pathlib import Path
from palaver.model.errors import StorageFailed
from tests.laws.drafts import said
from tests.processes.oracle import Ground

ground = Ground(Path(sys.argv[1]))
log = ground.open()
log.append([said("before")])
path = ground.segments / "000000000001.jsonl"
step, wrong, refusals = int(sys.argv[2]), [], set()
free = resource.getrlimit(resource.RLIMIT_FSIZE)

def attempt(room, append):
    before = path.read_bytes()
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, free[1]))
    try:
        append()
        return True
    except StorageFailed as refused:
        refusals.add(str(refused))
        if path.read_bytes() != before:
            wrong.append(f"room for {room}: something was written")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, free)
    return False

appends = {
    "one": lambda: log.append([said("x" * 40)]),
    "many": lambda: log.append([said("x" * 40), said("y")]),
    "plain": lambda: log.append([said("x" * 40), said("y")]),
    "keyed": lambda: log.append([said("x" * 40, key=str(log.last_seq()))]),
}
for name, append in appends.items():
    for room in range(0, 5_000, step):
        if attempt(room, append):
            break
    else:
        wrong.append(f"{name}: never fits")
    if log.append([said("after")])[0].seq != log.last_seq():
        wrong.append(f"{name}: does not work again")
print(json.dumps({"wrong": wrong, "refusals": sorted(refusals)}))
"""


def test_a_write_that_fits_only_in_part_leaves_nothing_behind(tmp_path: Path) -> None:
    done = python(LIMITED, str(tmp_path / "bus"), "1")

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert len(found["refusals"]) == 1
    assert str(tmp_path / "bus" / "log") in found["refusals"][0]
    assert "File too large" in found["refusals"][0]
    assert Ground(tmp_path / "bus").verify().good


def write_for_ever(log: FileLog) -> NoReturn:
    while True:
        log.append([said("x" * 500)])


def test_a_full_disk_is_refused_by_name_and_works_again_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        ground = Ground(disk / "bus")
        log = ground.open()
        log.append([said("before")])
        ballast = fill(disk)
        with pytest.raises(StorageFailed) as refused:
            write_for_ever(log)
        kept = log.last_seq()
        path = ground.segments / "000000000001.jsonl"
        assert path.read_bytes().endswith(b"\n"), "no partial record"
        assert "No space left on device" in str(refused.value)
        assert str(disk) in str(refused.value)

        with pytest.raises(StorageFailed):
            log.append([said("x" * 500) for _ in range(50)])
        assert log.last_seq() == kept
        ballast.unlink()
        seq = log.append([said("after")])[0].seq

        assert seq == kept + 1
        assert ground.verify().good
        assert ground.verify().sealed == 0


def test_a_full_disk_does_not_stop_a_new_segment_for_good(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        ground = Ground(disk / "bus", segment_bytes=8_000)
        logs = [ground.open() for _ in range(2)]
        logs[0].append([said("x" * 4_000)])
        ballast = fill(disk)
        for log in logs:
            with pytest.raises(StorageFailed):
                log.append([said("y" * 6_000)])
        ballast.unlink()

        numbers = [log.append([said("z" * 6_000)])[0].seq for log in (*logs, *logs)]

        assert numbers == [2, 3, 4, 5]
        assert ground.verify().good


def test_a_send_on_a_full_disk_says_so_and_the_next_one_works(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4 * 1024 * 1024) as disk:
        begin(str(disk), "ada")
        assert palaver("send", "ada", "-m", "before", root=disk, agent="ada").returncode == 0
        ballast = fill(disk)

        refused = palaver("send", "ada", "-m", "x" * 20_000, root=disk, agent="ada")
        ballast.unlink()
        accepted = palaver("send", "ada", "-m", "y" * 20_000, root=disk, agent="ada")

        assert refused.returncode == 1
        assert "No space left on device" in refused.stderr
        assert str(disk) in refused.stderr
        assert "[storage]" in refused.stderr
        assert accepted.returncode == 0, accepted.stderr
        assert palaver("verify", root=disk).returncode == 0


def test_a_read_only_disk_is_refused_by_name(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 512 * 1024) as disk:
        ground = Ground(disk / "bus")
        ground.open().append([said("before")])
        with read_only(disk):
            with pytest.raises(StorageFailed) as refused:
                ground.open().append([said("no")])
            assert [event.data for event in ground.open().read(0, 9)] == [{"body": "before"}]

        assert "Read-only file system" in str(refused.value)
        assert str(disk) in str(refused.value)


APPEND = """
import os, resource, sys
from pathlib import Path
from palaver.model.errors import Refusal
from tests.laws.drafts import said
from tests.processes.oracle import Ground

ground = Ground(Path(sys.argv[1]))
log = ground.open()
exec(sys.argv[2])
try:
    log.append([said("no", key="k")])
except Refusal as refused:
    print(refused.code, refused)
else:
    print("stored")
"""


def attempted(ground: Ground, before: str = "", under: list[str] | None = None) -> str:
    done = python(APPEND, str(ground.folder), before, under=under or [])
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("rule", "cause"),
    [
        ("write:error=ENOSPC", "No space left on device"),
        ("write:error=EDQUOT", "Disk quota exceeded"),
        ("write:error=EIO", "Input/output error"),
        ("openat:error=EACCES", "Permission denied"),
        ("openat:error=EROFS", "Read-only file system"),
        ("openat:error=EMFILE", "Too many open files"),
    ],
)
def test_a_call_that_fails_on_the_segment_is_refused_by_path_and_cause(
    tmp_path: Path, rule: str, cause: str
) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("before")])
    segment = ground.segments / "000000000001.jsonl"

    told = attempted(ground, under=strace(rule, path=segment))

    assert told.startswith("storage ")
    assert cause in told
    assert str(ground.segments) in told
    assert ground.open().append([said("after")])[0].seq == 2
    assert ground.verify().good


def test_a_lock_that_cannot_be_had_is_refused_by_path_and_cause(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("before")])

    told = attempted(ground, under=strace("flock:error=ENOLCK"))

    assert told.startswith("storage ")
    assert "No locks available" in told
    assert ground.root.log_lock in told


def test_no_more_file_handles_is_refused_by_path_and_cause(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("before")])
    spent = "resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))"

    told = attempted(ground, spent)

    assert told.startswith("storage ")
    assert "Too many open files" in told
    assert str(ground.folder) in told


def test_a_folder_of_somebody_else_is_refused_by_path_and_cause(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("needs root, to become somebody else")
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("before")])

    told = attempted(ground, "os.setgroups([]); os.setgid(65534); os.setuid(65534)")

    assert told.startswith("storage ")
    assert "Permission denied" in told
    assert str(ground.folder) in told


def test_a_full_disk_is_not_taken_for_a_damaged_view(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 * 1024 * 1024) as disk:
        begin(str(disk), "ada")
        palaver("send", "ada", "-m", "seen", root=disk, agent="ada")
        palaver("inbox", root=disk, agent="ada")
        palaver("send", "ada", "-m", "unseen", root=disk, agent="ada")
        views = sorted(path.name for path in (disk / ".palaver" / "view").glob("*.db"))
        ballast = fill(disk)

        listed = palaver("inbox", root=disk, agent="ada")
        board = palaver("board", root=disk, agent="ada")
        anew = palaver("rebuild", root=disk)
        left = sorted(path.name for path in (disk / ".palaver" / "view").glob("*.db"))
        ballast.unlink()
        after = palaver("inbox", root=disk, agent="ada")

        assert "2 open" in listed.stdout
        assert "disk is full" in listed.stderr
        assert "damaged" not in listed.stderr
        assert "disk is full" in board.stderr
        assert "another process" not in board.stderr
        assert anew.returncode == 1
        assert left == views, "no attempt is left behind"
        assert "2 open" in after.stdout
        assert after.stderr == ""


def test_what_a_full_disk_refused_works_once_there_is_room_with_nothing_to_clear_away(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 * 1024 * 1024) as disk:
        begin(str(disk), "ada")
        before = {path.name for path in (disk / ".palaver").iterdir()}
        ballast = fill(disk)

        refused = palaver("lists", "set", "team", "ada", root=disk, agent="ada")
        with pytest.raises(StorageFailed):
            Keys(find(str(disk)), boot="one")
        left = {path.name for path in (disk / ".palaver").iterdir()} - before
        ballast.unlink()
        done = palaver("lists", "set", "team", "ada", root=disk, agent="ada")
        key = Keys(find(str(disk)), boot="one")

        assert refused.returncode == 1
        assert all(name.endswith(".lock") for name in left), left
        assert done.returncode == 0, done.stderr
        assert key.is_session(key.sign_in(key.sign_in_token()) or "")


def test_a_bus_on_a_read_only_disk_can_be_looked_at(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4 * 1024 * 1024) as disk:
        palaver("init", "--person", "ada", root=disk)
        palaver("send", "ada", "-m", "hello", root=disk, agent="ada")
        palaver("search", "hello", root=disk, agent="ada")
        palaver("inbox", root=disk, agent="ada")

        with read_only(disk):
            listed = palaver("inbox", root=disk, agent="ada")
            found = palaver("search", "hello", root=disk, agent="ada")
            refused = palaver("send", "ada", "-m", "no", root=disk, agent="ada")

        assert "1 open" in listed.stdout, listed.stderr
        assert "hello" in found.stdout, found.stderr
        assert refused.returncode == 1
        assert "Read-only file system" in refused.stderr
