"""The patrol's own clock: only time that somebody watched."""

import random

import pytest

from palaver.model.deadlines import PatrolClock, decode_clock
from tests.dice import seed as drawn_seed

GAP = 120.0


def looked(watch: PatrolClock, ticks: float, head: int, boot: str = "a") -> PatrolClock:
    return watch.advance(ticks=ticks, boot=boot, head=head, gap=GAP)


def test_what_was_not_seen_before_is_new() -> None:
    watch = PatrolClock()
    watch = looked(watch, 50_000.0, 10)

    assert watch.age(3) == 0.0
    assert watch.age(99) == 0.0


def test_something_is_as_old_as_the_time_that_was_watched_since() -> None:
    watch = PatrolClock()
    watch = looked(watch, 0.0, 10)
    watch = looked(watch, 30.0, 12)
    watch = looked(watch, 60.0, 12)

    assert (watch.age(10), watch.age(11), watch.age(12), watch.age(13)) == (60.0, 30.0, 30.0, 0.0)


@pytest.mark.parametrize(
    ("ticks", "boot", "passed"),
    [(1_000_000.0, "a", GAP), (-5.0, "a", 0.0), (10.0, "another", 0.0), (30.0, "a", 30.0)],
    ids=["a night's sleep", "a clock set back", "a start of the machine", "a patrol as usual"],
)
def test_however_the_clock_jumps_little_time_passes(ticks: float, boot: str, passed: float) -> None:
    watch = PatrolClock()
    watch = looked(watch, 0.0, 10)
    watch = looked(watch, ticks, 10, boot)

    assert watch.now == passed


def test_a_log_that_was_put_back_is_new() -> None:
    watch = PatrolClock()
    watch = looked(watch, 0.0, 100)
    watch = looked(watch, 30.0, 40)

    assert watch.age(40) == 0.0


def test_what_is_written_down_is_read_back() -> None:
    watch = PatrolClock()
    for turn in range(500):
        watch = looked(watch, turn * 30.0, turn * 3)

    again = decode_clock(watch.encode())

    assert again.encode() == watch.encode()
    assert [again.age(seq) for seq in range(1_500)] == [watch.age(seq) for seq in range(1_500)]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"now":"x"}', b'{"now":5,"ticks":0,"boot":"a","marks":[[2,1],[1,2]]}'],
)
def test_a_file_that_cannot_be_read_is_a_new_clock(content: bytes) -> None:
    assert decode_clock(content).now == 0.0


@pytest.mark.random
def test_marks_are_few_and_nothing_ever_counts_as_older_than_it_is() -> None:
    seed = drawn_seed()
    dice = random.Random(seed)
    watch = PatrolClock()
    true: dict[int, float] = {}
    head, ticks = 0, 0.0
    for _ in range(20_000):
        ticks += 30.0
        head += dice.choice([0, 1, 3])
        watch = looked(watch, ticks, head)
        true.setdefault(head, watch.now)

    older = [seq for seq in sorted(true)[::97] if watch.age(seq) > watch.now - true[seq] + 1e-6]

    assert older == [], seed
    assert len(watch.encode()) < 60_000, seed
    assert watch.age(1) > 0.9 * watch.now, seed


def test_up_to_which_event_all_is_old_enough() -> None:
    watch = PatrolClock()
    watch = looked(watch, 0.0, 10)
    watch = looked(watch, 30.0, 20)
    watch = looked(watch, 60.0, 30)

    assert (watch.head_at(60.0), watch.head_at(30.0), watch.head_at(61.0)) == (10, 20, 0)
