"""Times as a channel writes them, made one: UTC, ISO 8601, the fraction kept as it was written.

2026-01-25T23:45:00.000Z      2026-01-26T01:45:00+02:00      2026-01-25 23:45:00
"""

import re
from typing import Final

#: What needs no change. Days that some months lack are left to the slower way.
PLAIN: Final = re.compile(
    r"20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"(?:\.[0-9]{1,9})?Z"
)
_ISO: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?([Zz]|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
_DAY: Final = 86_400
#: Days from the first of March of the year 0 to 1970-01-01; years here start in March.
_EPOCH: Final = 719_468
_ERA: Final = 146_097


def normalised(text: str) -> tuple[str, bool] | None:
    """Return the same time in UTC, and whether it said its zone; None if there is no such time."""
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute = (int(match[n]) for n in range(1, 6))
    second = int(match[6] or 0)
    hours, minutes = int(match[10] or 0), int(match[11] or 0)
    if not _real(year, month, day) or hour > 23 or minute > 59 or second > 60 or hours > 18 or minutes > 59:
        return None
    shift = (hours * 60 + minutes) * (-60 if match[9] == "+" else 60)
    days, rest = divmod(hour * 3600 + minute * 60 + second + shift, _DAY)
    year, month, day = _date(_days(year, month, day) + days)
    if not 1 <= year <= 9999:
        return None
    fraction = f".{match[7]}" if match[7] else ""
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{year:04}-{month:02}-{day:02}T{clock}{fraction}Z", bool(match[8])


def likely(at: str) -> bool:
    """Tell whether agents were about at a time."""
    return "2000" <= at[:4] < "2100"


def _real(year: int, month: int, day: int) -> bool:
    if not 1 <= month <= 12 or not year:
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= day <= lengths[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """Count the days since 1970, by Howard Hinnant's way with years that start in March."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _EPOCH


def _date(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + _EPOCH, _ERA)
    years = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    index = (5 * of_year + 2) // 153
    month = index + 3 if index < 10 else index - 9
    return years + era * 400 + (month <= 2), month, of_year - (153 * index + 2) // 5 + 1
