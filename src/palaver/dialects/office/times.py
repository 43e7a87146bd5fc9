"""Timestamps, as people and programs write them, into one form: UTC, ISO 8601.

    2026-02-11T10:00:00Z   2026-02-11 10:00   2026-02-11T18:00:00.250+08:00   2026-12-31T23:59:60Z

A time without a zone is UTC. A leap second is the first second of the next minute, as in POSIX.
"""

import re
from typing import Final

_WRITTEN: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?(?:[Zz]|UTC|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# The zones of the world reach from -12:00 to +14:00.
_OFFSET_MINUTES_MAX: Final = 14 * 60
_DAY_MINUTES: Final = 24 * 60
# Years in which agents write logs. Outside of them somebody's clock is wrong.
_YEARS: Final = range(2000, 2100)


def utc(written: str) -> str:
    """Return the time in UTC as ISO 8601, with the fraction of a second if one was given; nothing if none."""
    match = _WRITTEN.fullmatch(written.strip())
    if match is None:
        return ""
    year, month, day, hour, minute = (int(part) for part in match.groups()[:5])
    second = int(match[6] or 0)
    if not (is_day(year, month, day) and hour < 24 and minute < 60 and second <= 60):
        return ""
    offset = int(match[9] or 0) * 60 + int(match[10] or 0)
    if offset > _OFFSET_MINUTES_MAX or int(match[10] or 0) >= 60:
        return ""
    minutes = hour * 60 + minute - (-offset if match[8] == "-" else offset)
    if second == 60:
        minutes, second = minutes + 1, 0
    days, minutes = divmod(minutes, _DAY_MINUTES)
    year, month, day = _shifted(year, month, day, days)
    if not 1 <= year <= 9999:
        return ""
    fraction = f".{match[7]}" if match[7] else ""
    return f"{year:04}-{month:02}-{day:02}T{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}Z"


def is_day(year: int, month: int, day: int) -> bool:
    """Tell whether the calendar has such a day."""
    return year >= 1 and 1 <= month <= 12 and 1 <= day <= _length(year, month)


def is_odd(at: str) -> bool:
    """Tell whether a time is of another century."""
    return int(at[:4]) not in _YEARS


def _length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS[month - 1]


def _shifted(year: int, month: int, day: int, days: int) -> tuple[int, int, int]:
    """Return the day before (-1), the same (0), or the day after (1)."""
    day += days
    if day < 1:
        month -= 1
        if month < 1:
            year, month = year - 1, 12
        day = _length(year, month)
    elif day > _length(year, month):
        day, month = 1, month + 1
        if month > 12:
            year, month = year + 1, 1
    return year, month, day
