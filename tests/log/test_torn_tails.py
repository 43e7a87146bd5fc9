"""A torn tail costs at most the record that was not acknowledged, wherever it was torn."""

import os
from pathlib import Path

import pytest

from palaver.model.event import text
from tests.laws.drafts import said
from tests.log.cuts import APPENDS, Specimen, complaints
from tests.processes.oracle import Ground


@pytest.mark.parametrize("last", [1, 2, 6])
def test_a_cut_costs_only_the_record_that_was_cut(tmp_path: Path, last: int) -> None:
    specimen = Specimen(tmp_path / "specimen", last)
    edge = len(specimen.last) - 40

    wrong = [
        complaint
        for length in specimen.cuts()
        if length >= edge or length % 5 == 0
        for complaint in complaints(specimen, tmp_path / str(length), length, APPENDS[length % len(APPENDS)])
    ]

    assert wrong == []


@pytest.mark.parametrize("mutant", ["cutting", "careless"])
def test_a_log_that_treats_its_tail_wrongly_is_caught(tmp_path: Path, mutant: str) -> None:
    specimen = Specimen(tmp_path / "specimen")
    length = specimen.cuts()[-20]

    found = list(complaints(specimen, tmp_path / "cut", length, APPENDS[0], mutant))

    assert found != []


def dying_writer(ground: Ground, room: int) -> None:
    """Append a record; the process dies when so many bytes of its write are on the disk."""
    real = os.write

    def short(fd: int, data: bytes) -> int:
        real(fd, data[:room])
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "write", short)
        # A dead process does not cut off what it wrote.
        patched.setattr(os, "ftruncate", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            ground.open().append([said("unlucky")])


@pytest.mark.parametrize("cuts", [1, 2])
def test_a_writer_may_die_while_it_seals_what_another_left(tmp_path: Path, cuts: int) -> None:
    # The newline, the seal of a torn line, a second one, and the record.
    for room in (*range(1, 12), *range(12, 900, 7)):
        ground = Ground(tmp_path / str(room))
        ground.open().append([said("before")])
        dying_writer(ground, 40)
        for _ in range(cuts):
            dying_writer(ground, room)

        assert ground.verify().faults == [], room
        ground.open().append([said("after")])

        assert ground.verify().faults == [], room
        bodies = [text(event.data, "body") for event in ground.open().read(0, 99)]
        assert [each for each in bodies if each in ("before", "after")] == ["before", "after"]


def test_a_whole_record_without_the_end_of_its_line_can_be_finished(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    log = ground.open()
    log.append([said("before"), said("unlucky")])
    [segment] = ground.segments.iterdir()
    for cut, expected in ((1, ["before", "unlucky"]), (2, ["before"])):
        segment.write_bytes(segment.read_bytes()[:-cut])

        log.finish_record()

        # What is torn in its middle is left to the next writer.
        assert [text(event.data, "body") for event in ground.open().read(0, 99)] == expected
    assert log.append([said("after")])[0].seq > 2
    assert ground.verify().faults == []


def test_a_damaged_last_record_is_never_sealed(tmp_path: Path) -> None:
    ground = Ground(tmp_path / "bus")
    ground.open().append([said("before"), said("last")])
    (path,) = ground.segments.iterdir()
    whole = path.read_bytes()
    for place in range(whole.index(b"\n") + 1, len(whole) - 1, 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)

        ground.open().append([said("after")])

        assert ground.verify().faults != [], place
