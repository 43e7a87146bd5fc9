"""What verify excuses, it excuses for the bytes that were named, and for nothing else."""

import errno
import os
from pathlib import Path

import pytest

from palaver.model.errors import SyncFailed
from tests.laws.drafts import said
from tests.processes.oracle import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said(f"{n}") for n in range(3)])
    return ground


def only(ground: Ground) -> Path:
    (path,) = ground.segments.iterdir()
    return path


def test_a_sealed_tail_is_excused_only_as_long_as_it_is_what_was_sealed(ground: Ground) -> None:
    path = only(ground)
    torn = path.read_bytes()[:-40]
    path.write_bytes(torn)
    ground.open().append([said("after")])
    assert ground.verify().good

    data = bytearray(path.read_bytes())
    data[len(torn) - 5] ^= 1
    path.write_bytes(data)

    assert [fault.kind for fault in ground.verify().faults] == ["damaged"]


@pytest.mark.parametrize("bit", range(8))
def test_a_record_whose_newline_is_damaged_does_not_pass_as_unfinished(ground: Ground, bit: int) -> None:
    path = only(ground)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1 << bit
    path.write_bytes(data)

    assert [(fault.kind, fault.line) for fault in ground.verify().faults] == [("damaged", 3)]


def test_an_end_of_zeros_does_not_pass_as_unfinished(ground: Ground) -> None:
    path = only(ground)
    data = path.read_bytes()
    path.write_bytes(data[:-50] + bytes(50))

    assert [(fault.kind, fault.line) for fault in ground.verify().faults] == [("damaged", 3)]


def test_records_that_went_with_a_failed_sync_are_excused(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = only(ground)
    synced = path.read_bytes()

    def bad(fd: int) -> None:
        monkeypatch.undo()
        raise OSError(errno.EIO, os.strerror(errno.EIO), fd)

    monkeypatch.setattr(os, "fdatasync", bad)
    with pytest.raises(SyncFailed):
        ground.open().append([said("unlucky")])
    ground.open().append([said("after")])

    path.write_bytes(synced)  # as a disk may have it that never got the rest

    assert ground.verify().faults == []
    assert ground.verify().sync_failures == 1
    (ground.segments / "000000000001.jsonl").write_bytes(b"".join(synced.splitlines(keepends=True)[1:]))
    assert not ground.verify().good, "what was synced before is not excused"
