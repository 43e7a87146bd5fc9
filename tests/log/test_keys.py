"""On the disk too, a key is answered for the life of the log, and what is answered is safe."""

import os
from pathlib import Path

import pytest

from palaver.model.event import Event
from tests.laws.drafts import said
from tests.log.cuts import Specimen
from tests.processes.oracle import Ground


def keyed(ground: Ground, key: str) -> list[Event]:
    return [event for event in ground.open().read(0, 10_000) if event.key == key]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "bus", segment_bytes=2_000)


def test_a_key_is_found_many_segments_later_by_another_process(ground: Ground) -> None:
    (first,) = ground.open().append([said("once", key="k")])
    ground.open().append([said("x" * 300) for _ in range(50)])

    (again,) = ground.open().append([said("twice", key="k")])

    assert again == first
    assert len(keyed(ground, "k")) == 1


def test_a_key_written_by_another_since_the_last_look_is_found(ground: Ground) -> None:
    log, other = ground.open(), ground.open()
    log.append([said("a", key="mine")])
    (first,) = other.append([said("theirs", key="k")])

    (again,) = log.append([said("ours", key="k")])

    assert again == first
    assert len(keyed(ground, "k")) == 1


def test_what_is_answered_is_synced_for_its_writer_may_have_died_before_it_could(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.open().append([said("once", key="k")])
    synced: list[str] = []
    fdatasync = os.fdatasync

    def spied(fd: int) -> None:
        synced.append(Path(f"/proc/self/fd/{fd}").readlink().name)
        fdatasync(fd)

    monkeypatch.setattr(os, "fdatasync", spied)
    ground.open().append([said("once", key="k")])

    assert synced == ["000000000001.jsonl"]


def test_a_key_in_a_record_that_lacks_only_its_newline_is_answered(tmp_path: Path) -> None:
    specimen = Specimen(tmp_path / "specimen")
    ground = specimen.lay(tmp_path / "cut", len(specimen.last) - 1)
    last = specimen.whole(len(specimen.last))[-1]
    assert last.key

    (answered, fresh) = ground.open().append([said("again", key=last.key), said("new")])

    assert answered == last
    assert fresh.seq == last.seq + 1
    assert keyed(ground, last.key) == [last]
    assert ground.verify().good


def test_a_key_in_a_torn_record_is_free(tmp_path: Path) -> None:
    specimen = Specimen(tmp_path / "specimen")
    ground = specimen.lay(tmp_path / "cut", len(specimen.last) - 2)
    last = specimen.whole(len(specimen.last))[-1]

    (stored,) = ground.open().append([said("again", key=last.key)])

    assert stored.data == {"body": "again"}
    assert keyed(ground, last.key) == [stored]


def test_a_key_in_a_damaged_record_is_free(ground: Ground) -> None:
    ground.open().append([said("once", key="k"), said("next")])
    path = ground.segments / "000000000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b"once", b"0nce"))

    (stored,) = ground.open().append([said("again", key="k")])

    assert stored.seq == 3
    assert keyed(ground, "k") == [stored]
