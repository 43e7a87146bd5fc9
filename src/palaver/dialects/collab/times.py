"""Times of a chat log: wall clock to the second, in the zone of the mount; ours are UTC.

    2026-02-22 03:15:44  with +00:00   →  2026-02-22T03:15:44Z
    2026-02-22 03:15:44  with -08:00   →  2026-02-22T11:15:44Z

Counted by hand: nobody here asks the machine for the time, so nobody here needs a clock's module.
"""

import re
from typing import Final

_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-]\d\d:?\d\d))?", re.ASCII
)
_OFFSET: Final = re.compile(r"([+-])(\d\d):?(\d\d)", re.ASCII)
_DAY: Final = 86_400
_MONTHS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
#: Before the one and after the other nobody runs agents: a clock was not set, or somebody mistyped.
YEARS: Final = range(2000, 2100)


def offset(text: str) -> int:
    """Return the seconds east of Greenwich of `+hh:mm`; whatever is none counts as UTC."""
    match = _OFFSET.fullmatch(text.strip())
    if match is None or int(match[2]) > 14 or int(match[3]) > 59:
        return 0
    seconds = int(match[2]) * 3600 + int(match[3]) * 60
    return -seconds if match[1] == "-" else seconds


def moment(date: tuple[int, int, int], clock: tuple[int, int, int]) -> int | None:
    """Return the seconds since 1970 of a wall clock, or None where no clock could show it.

    A second 60 is the first one of the next minute.
    """
    year, month, day = date
    hour, minute, second = clock
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= _MONTHS[month - 1]):
        return None
    if month == 2 and day == 29 and not _is_leap(year):
        return None
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 60):
        return None
    return _days(year, month, day) * _DAY + hour * 3600 + minute * 60 + second


def wall(seconds: int) -> str | None:
    """Return `YYYY-MM-DD HH:MM:SS` of seconds since 1970, or None outside of the years 1 to 9999."""
    days, rest = divmod(seconds, _DAY)
    year, month, day = _date(days)
    if not 1 <= year <= 9999:
        return None
    return f"{year:04}-{month:02}-{day:02} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def iso(seconds: int, fraction: str = "") -> str:
    """Return UTC as ISO 8601, with milliseconds where there are any; empty outside of the years 1 to 9999."""
    shown = wall(seconds)
    if shown is None:
        return ""
    milliseconds = f".{fraction[:3]:0<3}" if fraction else ""
    return f"{shown[:10]}T{shown[11:]}{milliseconds}Z"


def utc_minute(minute: str, east: int) -> str:
    """Return `YYYY-MM-DDTHH:MM` in UTC of a local `YYYY-MM-DD HH:MM`; empty if it is not a likely time."""
    year = int(minute[:4])
    if year not in YEARS:
        return ""
    date = year, int(minute[5:7]), int(minute[8:10])
    found = moment(date, (int(minute[11:13]), int(minute[14:16]), 0))
    return "" if found is None else iso(found - east)[:16]


def seconds_of(at: str) -> int | None:
    """Return the seconds since 1970 of an ISO time, or None if it is none."""
    match = _ISO.fullmatch(at)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    found = moment((year, month, day), (hour, minute, second))
    return None if found is None else found - offset(match[7] or "")


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days(year: int, month: int, day: int) -> int:
    """Count the days since 1970 of a date; years begin in March here, so that a leap day comes last."""
    if month <= 2:
        year -= 1
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    """Turn days since 1970 into a date: the way back of `_days`."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    from_march = (5 * of_year + 2) // 153
    day = of_year - (153 * from_march + 2) // 5 + 1
    month = from_march + 3 if from_march < 10 else from_march - 9
    return era * 400 + year + (month <= 2), month, day
