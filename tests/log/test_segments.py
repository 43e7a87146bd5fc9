"""A log is files in a folder; every line takes a number, and what a crash leaves costs only itself."""

import errno
import os
from pathlib import Path

import pytest

from palaver.log import file_log, segments
from palaver.log.file_log import FileLog
from palaver.log.record import decode, hashed, intact
from palaver.model.errors import StorageFailed
from palaver.model.event import Event
from tests.laws.drafts import said
from tests.processes.oracle import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "bus")


class Unmakeable(file_log.Segment):
    """A segment for which there is no room on the disk."""

    __slots__ = ()

    def __init__(self, directory: str, first: int, flags: int = 0) -> None:
        if flags & os.O_CREAT:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), segments.path_of(directory, first))
        super().__init__(directory, first, flags)


def filled(ground: Ground, count: int, size: int = 20) -> FileLog:
    log = ground.open()
    for n in range(1, count + 1):
        log.append([said(f"{n} ".ljust(size, "x"))])
    return log


def only(ground: Ground) -> Path:
    (path,) = ground.segments.iterdir()
    return path


def whole(ground: Ground) -> list[Event]:
    return ground.open().read(0, 1_000_000)


def numbered(ground: Ground) -> list[tuple[int, str]]:
    """Return every line with its number: what it is, or that it cannot be read."""
    rows: list[tuple[int, str]] = []
    for path in sorted(ground.segments.iterdir()):
        for place, raw in enumerate(path.read_bytes().split(b"\n")[:-1]):
            event = decode(raw)
            rows.append((int(path.stem) + place, event.event_type if event else "unreadable"))
    return rows


# --- names and sizes ---


def test_a_segment_is_named_after_its_first_number(ground: Ground) -> None:
    ground.segment_bytes = 900

    filled(ground, 10)

    paths = sorted(ground.segments.iterdir())
    assert len(paths) > 2
    for path in paths:
        first = decode(path.read_bytes().split(b"\n")[0])
        assert first is not None
        assert path.name == f"{first.seq:012d}.jsonl"


@pytest.mark.parametrize("segment_bytes", [1, 500, 1_000, 5_000])
def test_a_segment_holds_no_more_than_its_bound_unless_one_record_alone_does(
    ground: Ground, segment_bytes: int
) -> None:
    ground.segment_bytes = segment_bytes
    log = filled(ground, 10, size=100)

    log.append([said("y" * (n * 37 % 400)) for n in range(40)])

    for path in ground.segments.iterdir():
        assert path.stat().st_size <= segment_bytes or path.read_bytes().count(b"\n") == 1
    assert len(whole(ground)) == 50
    assert ground.verify().good


def test_a_full_segment_is_filled_to_the_last_byte(ground: Ground) -> None:
    filled(ground, 4)
    exact = only(ground).stat().st_size
    exact_ground = Ground(ground.folder.with_name("exact"), segment_bytes=exact)
    over_ground = Ground(ground.folder.with_name("over"), segment_bytes=exact - 1)

    filled(exact_ground, 4)
    filled(over_ground, 4)

    assert len(list(exact_ground.segments.iterdir())) == 1
    assert len(list(over_ground.segments.iterdir())) == 2


@pytest.mark.parametrize(
    "name",
    [
        "1.jsonl",
        "0000000000001.jsonl",
        "٠٠٠٠٠٠٠٠٠٠٠١.jsonl",
        "000000000001.jsonl.bak",
        "notes.jsonl",
        ".jsonl",
    ],
)
def test_a_file_of_another_name_is_not_part_of_the_log(ground: Ground, name: str) -> None:
    filled(ground, 3)
    (ground.segments / name).write_bytes(only(ground).read_bytes())

    ground.open().append([said("goes on")])

    assert [event.seq for event in whole(ground)] == [1, 2, 3, 4]
    assert ground.verify().good


def test_files_and_lock_are_for_their_owner_alone(ground: Ground) -> None:
    filled(ground, 1)

    assert only(ground).stat().st_mode & 0o777 == 0o600
    assert Path(ground.root.log_lock).stat().st_mode & 0o777 == 0o600


# --- torn tails ---


def test_a_torn_tail_is_sealed_and_named_and_takes_a_number(ground: Ground) -> None:
    filled(ground, 3)
    path = only(ground)
    torn = path.read_bytes()[:-30]
    path.write_bytes(torn)

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 5
    assert numbered(ground) == [
        (1, "mail.sent"),
        (2, "mail.sent"),
        (3, "unreadable"),
        (4, "log.sealed"),
        (5, "mail.sent"),
    ]
    assert path.read_bytes().startswith(torn), "nothing was cut off"
    (sealed,) = [event for event in whole(ground) if event.event_type == "log.sealed"]
    start = torn.rfind(b"\n") + 1
    assert sealed.data == {
        "segment": 1,
        "off": start,
        "len": len(torn) - start,
        "sha": hashed(torn[start:]),
    }
    assert ground.verify().good
    assert ground.verify().sealed == 1


def test_a_tail_that_only_lacks_its_newline_counts(ground: Ground) -> None:
    filled(ground, 3)
    path = only(ground)
    path.write_bytes(path.read_bytes()[:-1])
    assert [event.seq for event in whole(ground)] == [1, 2], "it may still be being written"

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 4
    assert [event.seq for event in whole(ground)] == [1, 2, 3, 4]
    assert ground.verify().good
    assert ground.verify().sealed == 0


def test_a_tail_is_sealed_once(ground: Ground) -> None:
    filled(ground, 2)
    with only(ground).open("ab") as file:
        file.write(b'{"v":1,"se')

    logs = [ground.open() for _ in range(3)]
    for log in logs:
        log.append([said("after")])

    assert [kind for _, kind in numbered(ground)].count("log.sealed") == 1
    assert [event.seq for event in whole(ground)] == [1, 2, 4, 5, 6, 7]


def test_a_log_that_was_torn_while_it_was_open_is_sealed_by_the_one_who_has_it_open(ground: Ground) -> None:
    log = filled(ground, 2)
    with only(ground).open("ab") as file:
        file.write(b"half a rec")

    seq = log.append([said("next")])[0].seq

    assert seq == 5
    assert ground.verify().good


def test_a_torn_first_record_of_a_segment_is_sealed_there(ground: Ground) -> None:
    filled(ground, 2)
    only(ground).with_name("000000000003.jsonl").write_bytes(b'{"v":1,"seq":3,"eve')

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 5
    assert numbered(ground)[2:] == [(3, "unreadable"), (4, "log.sealed"), (5, "mail.sent")]
    assert ground.verify().good


def test_an_empty_last_segment_after_a_crash_is_used(ground: Ground) -> None:
    filled(ground, 2)
    empty = only(ground).with_name("000000000003.jsonl")
    empty.touch()

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 3
    assert empty.read_bytes().count(b"\n") == 1
    assert [event.seq for event in whole(ground)] == [1, 2, 3]
    assert ground.verify().good


def test_an_empty_first_segment_after_a_crash_is_used(ground: Ground) -> None:
    (ground.segments / "000000000001.jsonl").touch()

    assert ground.open().last_seq() == 0
    assert ground.open().append([said("first")])[0].seq == 1
    assert ground.verify().good


# --- damage at the end ---


def test_a_damaged_last_line_keeps_its_number(ground: Ground) -> None:
    filled(ground, 3)
    path = only(ground)
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(data)

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 4
    assert numbered(ground) == [(1, "mail.sent"), (2, "mail.sent"), (3, "unreadable"), (4, "mail.sent")]
    assert [(fault.kind, fault.line) for fault in ground.verify().faults] == [("damaged", 3)]


@pytest.mark.parametrize("size", [20, 3_000, 100_000])
def test_many_damaged_lines_at_the_end_keep_their_numbers(ground: Ground, size: int) -> None:
    filled(ground, 6, size=size)
    path = only(ground)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:1], *(b"?" * len(raw) for raw in lines[1:-1]), b""]))

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 7
    assert [event.seq for event in whole(ground)] == [1, 7]
    assert {fault.line for fault in ground.verify().faults if fault.kind == "damaged"} == {2, 3, 4, 5, 6}


def test_a_segment_without_one_readable_line_keeps_its_numbers(ground: Ground) -> None:
    filled(ground, 3)
    path = only(ground)
    damaged = path.with_name("000000000004.jsonl")
    damaged.write_bytes(b"rubbish\nmore rubbish\n")

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 6
    (*_, last) = whole(ground)
    assert last.prev == hashed(path.read_bytes().split(b"\n")[-2]), "it follows the last that can be read"


def test_a_line_without_newline_that_is_longer_than_any_record_is_sealed(ground: Ground) -> None:
    filled(ground, 1)
    with only(ground).open("ab") as file:
        file.write(b"z" * 3_000_000)

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 4
    assert ground.verify().good
    assert ground.verify().sealed == 1


@pytest.mark.parametrize("bit", range(8))
def test_a_record_whose_newline_is_damaged_is_not_excused_as_torn(ground: Ground, bit: int) -> None:
    filled(ground, 3)
    path = only(ground)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1 << bit
    path.write_bytes(data)

    seq = ground.open().append([said("next")])[0].seq

    assert seq == 4
    assert numbered(ground)[2:] == [(3, "unreadable"), (4, "mail.sent")]
    assert [(fault.kind, fault.line) for fault in ground.verify().faults] == [("damaged", 3)]


# --- others at work ---


def test_a_reader_leaves_alone_what_is_still_being_written(ground: Ground) -> None:
    filled(ground, 2)
    path = only(ground)
    before = path.read_bytes()
    path.write_bytes(before + b'{"v":1,"seq":3')

    assert [event.seq for event in whole(ground)] == [1, 2]
    assert ground.open().last_seq() == 2
    assert path.read_bytes() == before + b'{"v":1,"seq":3'


def test_whoever_has_the_old_segment_open_goes_on_in_the_new_one(ground: Ground) -> None:
    ground.segment_bytes = 2_000
    logs = [ground.open() for _ in range(4)]

    for n in range(40):
        logs[n % 4].append([said(f"{n} ".ljust(n * 13 % 300, "x"))])

    assert [event.seq for event in whole(ground)] == list(range(1, 41))
    assert ground.verify().good


def test_a_segment_that_could_not_be_made_confuses_nobody(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.segment_bytes = 1_500
    logs = [ground.open() for _ in range(3)]
    logs[0].append([said("x" * 100, key="k")])
    monkeypatch.setattr(file_log, "Segment", Unmakeable)
    with pytest.raises(StorageFailed, match="No space left"):
        logs[1].append([said("y" * 1_400)])
    monkeypatch.undo()
    logs[2].append([said("x" * 100, key="k")])  # answered, not stored: it has looked at the end all the same

    logs[1].append([said("y" * 1_400)])
    logs[2].append([said("z")])

    assert [event.seq for event in whole(ground)] == [1, 2, 3]
    assert ground.verify().good


def test_a_new_segment_is_used_by_all_even_if_its_maker_died_at_once(ground: Ground) -> None:
    ground.segment_bytes = 1_500
    old = ground.open()
    old.append([said("x" * 100)])
    maker = ground.open()
    maker._acquire()
    tail = maker._current()
    maker._begun(tail.seq + 1, tail.prev)
    maker._lock.release()

    old.append([said("y")])

    assert sorted(path.name for path in ground.segments.iterdir()) == [
        segments.file_name(1),
        segments.file_name(2),
    ]
    assert numbered(ground) == [(1, "mail.sent"), (2, "mail.sent")]
    assert ground.verify().good


def test_the_folder_is_synced_before_anything_stands_in_a_new_segment(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.segment_bytes = 1_000
    done: list[str] = []
    fsync, write = os.fsync, os.write

    def spied_fsync(fd: int) -> None:
        done.append(f"fsync {Path(f'/proc/self/fd/{fd}').readlink().name}")
        fsync(fd)

    def spied_write(fd: int, data: bytes) -> int:
        done.append(f"write {Path(f'/proc/self/fd/{fd}').readlink().name}")
        return write(fd, data)

    monkeypatch.setattr(os, "fsync", spied_fsync)
    monkeypatch.setattr(os, "write", spied_write)
    filled(ground, 2, size=500)
    monkeypatch.undo()

    steps = [step for step, before in zip(done, ["", *done], strict=False) if step != before]
    assert steps == ["fsync log", "write 000000000001.jsonl", "fsync log", "write 000000000002.jsonl"]
    assert all(
        intact(raw) for path in ground.segments.iterdir() for raw in path.read_bytes().split(b"\n")[:-1]
    )
