"""Times of a channel, made one; the calendar is checked against another one."""

import datetime
import random
from typing import Final

import pytest

from palaver.dialects.swarm.times import PLAIN, normalised
from palaver.dialects.swarm.usual import is_usual

SEED: Final = 20260125


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-25T23:45:00.000Z", "2026-01-25T23:45:00.000Z"),
        ("2026-01-25T23:45:00Z", "2026-01-25T23:45:00Z"),
        ("2026-01-25T23:45Z", "2026-01-25T23:45:00Z"),
        ("2026-01-25T23:45:00,5Z", "2026-01-25T23:45:00.5Z"),
        ("2026-01-25 23:45:00+00:00", "2026-01-25T23:45:00Z"),
        ("2026-01-25T23:45:00+0130", "2026-01-25T22:15:00Z"),
        ("2026-01-25T23:45:00-08", "2026-01-26T07:45:00Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"),
        ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
    ],
)
def test_a_time_is_given_in_utc_with_its_fraction_kept(text: str, at: str) -> None:
    found = normalised(text)

    assert found == (at, True)


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026-01-25", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00", "2026-01-01T00:00:00+19:00", "2026-01-01T00:00:00Zjunk",
        "٢٠٢٦-01-01T00:00:00Z", "2026-1-1T0:0:0Z",
        "2026-01-01T00:00:00.0123456789Z", "2026-01-01T00:00:00Z\n",
    ],
)  # fmt: skip
def test_there_is_no_such_time(text: str) -> None:
    assert normalised(text) is None


def test_a_time_without_a_zone_says_so() -> None:
    assert normalised("2026-01-25T23:45:00") == ("2026-01-25T23:45:00Z", False)


def test_what_needs_no_change_is_what_the_slow_way_leaves_as_it_is() -> None:
    dice = random.Random(SEED)
    for _ in range(2_000):
        year, month, day, minute = (dice.randrange(bound) for bound in (100, 14, 33, 62))
        text = f"20{year:02}-{month:02}-{day:02}T12:{minute:02}:00Z"

        if PLAIN.fullmatch(text):
            assert normalised(text) == (text, True), (SEED, text)


def test_the_calendar_is_everybodys() -> None:
    dice = random.Random(SEED)
    first = datetime.datetime(2, 1, 1, tzinfo=datetime.UTC)
    for _ in range(2_000):
        moment = first + datetime.timedelta(seconds=dice.randrange(9_990 * 365 * 86_400))
        zone = datetime.timezone(datetime.timedelta(minutes=dice.randint(-14 * 60, 14 * 60)))
        text = moment.astimezone(zone).isoformat()

        assert normalised(text) == (moment.isoformat().replace("+00:00", "Z"), True), (SEED, text)


@pytest.mark.parametrize("year", [2000, 2023, 2024, 2099])
def test_every_day_is_usual_and_what_is_usual_needs_no_change(year: int) -> None:
    # One day more than there is in each month, and the day before the first.
    days = [f"{year}-{month:02}-{day:02}T23:59:59.999Z" for month in range(14) for day in range(33)]

    usual = [each for each in days if is_usual(each)]

    assert usual == [each for each in days if normalised(each)]
    assert [normalised(each) for each in usual] == [(each, True) for each in usual]


@pytest.mark.parametrize(
    "text",
    [
        "", "2026-01-25T23:45:00", "2026-01-25T23:45Z", "2026-01-25 23:45:00Z", "2026-01-25T23:45:00+00:00",
        "2026-01-25T23:45:60Z", "2026-01-25T24:45:00Z", "2026-01-25T23:60:00Z", "2026-01-25T23:45:00.Z",
        "2026-01-25T23:45:00.1234567890Z", "1999-01-25T23:45:00Z", "2100-01-25T23:45:00Z",
        "2026-01-25T23:45:00Z\n", "٢٠٢٦-01-25T23:45:00Z", "2026-01-2٥T23:45:00Z", "2026-1-25T23:45:00.0Z",
    ],
)  # fmt: skip
def test_what_is_written_otherwise_is_left_to_the_slower_way(text: str) -> None:
    assert not is_usual(text)
