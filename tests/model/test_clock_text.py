"""Times as text are read as UTC; the calendar is checked against another one."""

import datetime
import random
from typing import Final

import pytest

from palaver.model.clock_text import is_plausible, read_time, to_utc

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
    found = read_time(text)

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
    assert read_time(text) is None


def test_a_time_without_a_zone_says_so() -> None:
    assert read_time("2026-01-25T23:45:00") == ("2026-01-25T23:45:00Z", False)


def test_the_calendar_is_everybodys() -> None:
    dice = random.Random(SEED)
    first = datetime.datetime(2, 1, 1, tzinfo=datetime.UTC)
    for _ in range(2_000):
        moment = first + datetime.timedelta(seconds=dice.randrange(9_990 * 365 * 86_400))
        zone = datetime.timezone(datetime.timedelta(minutes=dice.randint(-14 * 60, 14 * 60)))
        text = moment.astimezone(zone).isoformat()

        assert read_time(text) == (moment.isoformat().replace("+00:00", "Z"), True), (SEED, text)


@pytest.mark.parametrize("year", [2000, 2023, 2024, 2099])
def test_a_time_in_utc_is_returned_as_it_is_on_every_day_there_is(year: int) -> None:
    # One day more than there is in each month, and the day before the first.
    days = [f"{year}-{month:02}-{day:02}T23:59:59.999Z" for month in range(14) for day in range(33)]

    found = [each for each in days if read_time(each)]

    assert len(found) == 365 + (year % 4 == 0)
    assert [read_time(each) for each in found] == [(each, True) for each in found]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-07-18 19:06 CEST", "2026-07-18T17:06:00Z"),
        ("2026-07-18 19:06:00 PST", "2026-07-19T03:06:00Z"),
        ("2026-07-18 19:06 XYZ", ""),
    ],
)
def test_zones_that_people_write_out_are_known(text: str, at: str) -> None:
    assert to_utc(text) == at


def test_a_leap_second_is_the_first_second_of_the_next_minute() -> None:
    assert to_utc("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00Z"


def test_a_time_is_plausible_in_this_century() -> None:
    assert [is_plausible(f"{year}-01-01T00:00:00Z") for year in (1999, 2000, 2099, 2100)] == [
        False, True, True, False,
    ]  # fmt: skip
