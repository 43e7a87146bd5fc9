"""Times as text: whatever people and programs write, as ISO 8601 in UTC.

    2026-02-11T10:00:00Z        2026-02-11T18:00:00.250+08:00     2026-02-11 10:00
    2026-07-18 19:06 CEST       2026-12-31T23:59:60Z              2026-02-11T10:00:00,5+0130

A time without a zone is UTC. A leap second is the first second of the next minute, as in POSIX. The fraction
of a second is kept as written. Nothing here reads the clock.
"""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple

#: Most times: nothing to convert. Only February 29th needs the calendar.
USUAL: Final = (
    r"20[0-9]{2}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?!02)(?:0[1-9]|1[0-2])-(?:29|30)"
    r"|(?:0[13578]|1[02])-31)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z"
)
_is_usual: Final = re.compile(USUAL).fullmatch
_TIME: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?"
    r" ?([Zz]|[A-Z]{2,5}|([+-])([0-9]{2}):?([0-9]{2})?)?"
)
#: Minutes east of Greenwich. The American abbreviations have the meaning that RFC 5322 gives them.
_ZONES: Final = {
    "Z": 0, "z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "EET": 120,
    "EEST": 180, "MSK": 180, "JST": 540, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420,
    "MDT": -360, "PST": -480, "PDT": -420,
}  # fmt: skip
_OFFSET: Final = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")
_UNITS: Final = ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s"), (0.001, "ms"))
#: The zones of the world reach from -12:00 to +14:00.
_OFFSET_MINUTES_MAX: Final = 14 * 60


class UtcTime(NamedTuple):
    """A time that was read: ISO 8601 in UTC, and whether the text named its zone."""

    text: str
    has_zone: bool


def read_time(written: str) -> UtcTime | None:
    """Return the time that a text names, or None if there is no such time."""
    if _is_usual(written):
        return UtcTime(written, has_zone=True)
    match = _TIME.fullmatch(written)
    if match is None:
        return None
    year, month, day, hour, minute = (int(match[group]) for group in range(1, 6))
    second = int(match[6] or 0)
    east = _zone(match)
    if east is None or second > 60:
        return None
    try:
        start = datetime(year, month, day, hour, minute, tzinfo=UTC)
        found = start + timedelta(minutes=-east, seconds=second)
    except (ValueError, OverflowError):
        return None
    fraction = f".{match[7]}" if match[7] else ""
    return UtcTime(f"{found:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + f"{fraction}Z", has_zone=bool(match[8]))


def to_utc(written: str) -> str:
    """Return the time that a text names as ISO 8601 in UTC, or an empty text if there is no such time."""
    if _is_usual(written):
        return written
    found = read_time(written)
    return found.text if found else ""


def to_epoch(written: str) -> int | None:
    """Return the seconds since 1970 of the time that a text names, or None if there is no such time."""
    found = to_utc(written)
    return int(datetime.fromisoformat(found[:19]).replace(tzinfo=UTC).timestamp()) if found else None


def from_epoch(seconds: int) -> str:
    """Return the time that is so many seconds after 1970 as ISO 8601 in UTC."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}Z"


def wall_clock(written: str, zone: timezone) -> str:
    """Return the time that a text names as a clock in a zone shows it, or an empty text if it cannot."""
    found = to_utc(written)
    try:
        shown = datetime.fromisoformat(found[:19]).replace(tzinfo=UTC).astimezone(zone) if found else None
    except OverflowError:
        shown = None
    return shown.replace(tzinfo=None).isoformat(sep=" ") if shown else ""


def is_plausible(at: str) -> bool:
    """Return True if agents may have run at this time; otherwise a clock was wrong."""
    return "2000" <= at[:4] < "2100"


def is_offset(text: str) -> bool:
    """Return True if a text names a zone as `+hh:mm` does.

    >>> is_offset("+02:00"), is_offset("Europe/Berlin")
    (True, False)
    """
    match = _OFFSET.fullmatch(text.strip())
    return match is not None and _minutes(match[1], match[2], match[3]) is not None


def offset(text: str) -> timezone:
    """Return the zone that `+hh:mm` names; any other text is UTC."""
    match = _OFFSET.fullmatch(text.strip())
    minutes = _minutes(match[1], match[2], match[3]) if match else None
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


def _zone(match: re.Match[str]) -> int | None:
    """Return the minutes east of Greenwich, or None if there is no such zone."""
    if match[9] is None:
        return _ZONES.get(match[8] or "Z")
    return _minutes(match[9], match[10], match[11] or "0")


def _minutes(sign: str, hours: str, minutes: str) -> int | None:
    total = int(hours) * 60 + int(minutes)
    if total > _OFFSET_MINUTES_MAX or int(minutes) > 59:
        return None
    return -total if sign == "-" else total


def spell_duration(seconds: float) -> str:
    """Return a duration for people: two digits, in the largest unit that fits."""
    size, unit = next((each for each in _UNITS if seconds >= each[0]), (1.0, "s"))
    shown = seconds / size
    return f"{shown:.0f} {unit}" if shown >= 10 else f"{shown:.1f}".removesuffix(".0") + f" {unit}"
