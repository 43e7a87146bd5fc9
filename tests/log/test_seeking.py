"""One event out of many: it is found without reading the rest, and no damage hides another."""

import random
from pathlib import Path

import pytest

from palaver.log.file_log import FileLog
from palaver.log.record import decode
from palaver.model.event import Event
from tests.dice import seed as drawn_seed
from tests.laws.drafts import said
from tests.processes.oracle import Ground

ALL = 1_000_000
# What a line may be: short, usual, longer than what is looked at in one go, longer than what is read at once.
SIZES = (1, 40, 300, 2_000, 9_000, 40_000, 300_000)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path / "bus")


def filled(ground: Ground, dice: random.Random, lines: int) -> FileLog:
    """Return a log of lines of all sizes, some of which are damaged since."""
    log = ground.open()
    weights = [30, 30, 20, 10, 5, 3, 1]
    log.append([said("x" * dice.choices(SIZES, weights)[0]) for _ in range(lines)])
    for path in ground.segments.iterdir():
        raw = bytearray(path.read_bytes())
        for _ in range(dice.randrange(12)):
            place = dice.randrange(len(raw))
            if raw[place : place + 1] != b"\n":
                # A digit, so that numbers go wrong as well.
                raw[place] = ord(str(dice.randrange(10)))
        path.write_bytes(raw)
    return log


def whole(ground: Ground) -> list[Event]:
    """Return what can be read, the slow way."""
    lines = [raw for path in sorted(ground.segments.iterdir()) for raw in path.read_bytes().split(b"\n")]
    return [event for event in map(decode, lines) if event is not None]


def read_bytes() -> int:
    """Return how much this process has read so far."""
    return int(Path("/proc/self/io").read_text(encoding="ascii").split()[1])


def test_the_number_of_a_corrupted_line_means_no_other_event(ground: Ground) -> None:
    log = ground.open()
    first, second, third = log.append([said("a"), said("b"), said("c")])
    [path] = ground.segments.iterdir()
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"x"'))

    assert [log.event(each.seq) for each in (first, second, third)] == [first, None, third]


@pytest.mark.random
@pytest.mark.parametrize("lines", [1, 30, 400])
def test_reading_from_any_number_gives_what_follows_it(ground: Ground, lines: int) -> None:
    seed = drawn_seed()
    dice = random.Random(seed)
    log = filled(ground, dice, lines)
    events = whole(ground)

    for after in [-1, 0, lines, *dice.choices(range(lines + 1), k=30)]:
        limit = dice.choice([1, 2, 50, ALL])
        wanted = [event for event in events if event.seq > after][:limit]
        assert log.read(after, limit) == wanted, f"seed {seed}, after {after}, limit {limit}"


def test_a_key_is_found_behind_any_number(ground: Ground) -> None:
    log = ground.open()
    log.append([said("x" * 300) for _ in range(2_000)])
    [first] = log.append([said("once", key="k")])
    log.append([said("x" * 300) for _ in range(2_000)])

    for since in (0, 1, 500, first.seq - 1):
        assert log.append([said("again", key="k")], since=since) == [first]
    [second] = log.append([said("later", key="k")], since=first.seq)
    assert second.seq == 4_002


def test_reading_one_event_does_not_read_the_segment(ground: Ground) -> None:
    log = ground.open()
    log.append([said("x" * 300) for _ in range(6_000)])
    before = read_bytes()

    found = [log.read(after, 1)[0].seq for after in range(0, 6_000, 500)]

    assert found == list(range(1, 6_001, 500))
    assert read_bytes() - before < 12 * 250_000
    assert sum(path.stat().st_size for path in ground.segments.iterdir()) > 3_000_000


def test_where_the_oldest_segments_are_gone_the_rest_can_be_read(ground: Ground) -> None:
    log = ground.open()
    log.append([said("x" * 900_000) for _ in range(9)])
    [oldest, *rest] = sorted(ground.segments.iterdir())
    oldest.unlink()

    found = [event.seq for event in log.read(1, ALL)]

    assert rest
    assert found == [event.seq for event in whole(ground)]
