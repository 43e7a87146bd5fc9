"""Times as people and programs write them in a bus, made one: UTC, ISO 8601, a fraction kept as it was.

    2026-01-26T10:15:00Z    2026-02-05 12:51:54    2026-07-18 19:06 CEST    2026-01-26T10:15:00+02:00

Counted by hand: nobody here asks a clock.
"""

import re
from typing import Final

_TIME: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?"
    r" ?([Zz]|[A-Z]{2,5}|([+-])([0-9]{2}):?([0-9]{2}))?"
)
#: Minutes east of Greenwich of the zones that people write out. The American ones are those of mail.
_ZONES: Final = {
    "Z": 0, "z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "JST": 540, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420,
    "MDT": -360, "PST": -480, "PDT": -420,
}  # fmt: skip
_DAY: Final = 1440
_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def normalised(text: str) -> str:
    """Return the same time in UTC, or nothing if there is no such time. Without a zone it is UTC.

    The second 60 of a leap second is the last one that its minute has here.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return ""
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    hour, minute, second = int(match[4] or 0), int(match[5] or 0), int(match[6] or 0)
    east = _east(match)
    if east is None or not _real(year, month, day) or hour > 23 or minute > 59 or second > 60:
        return ""
    days, rest = divmod(hour * 60 + minute - east, _DAY)
    year, month, day = _moved(year, month, day, days)
    if not 1 <= year <= 9999:
        return ""
    fraction = f".{match[7]}" if match[7] else ""
    return f"{year:04}-{month:02}-{day:02}T{rest // 60:02}:{rest % 60:02}:{min(second, 59):02}{fraction}Z"


def likely(at: str) -> bool:
    """Tell whether agents were about at a time."""
    return "2000" <= at[:4] < "2100"


def _east(match: re.Match[str]) -> int | None:
    if match[9] is None:
        return _ZONES.get(match[8] or "Z")
    hours, minutes = int(match[10]), int(match[11])
    if hours > 18 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if match[9] == "-" else 1)


def _length(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + leap


def _real(year: int, month: int, day: int) -> bool:
    return year > 0 and 1 <= month <= 12 and 1 <= day <= _length(year, month)


def _moved(year: int, month: int, day: int, days: int) -> tuple[int, int, int]:
    """Return the date one day earlier, later, or the same."""
    day += days
    if day < 1:
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)
        return year, month, _length(year, month)
    if day > _length(year, month):
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        return year, month, 1
    return year, month, day
