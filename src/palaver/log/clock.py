"""Times and random ids for events: the only place of the core that reads the clock and randomness.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
import time

# Maps each byte to one of 32 letters: the alphabet of base32, eight times.
_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567" * 8


def letters() -> str:
    """Return twelve random letters: sixty bits, so no other process will get the same."""
    return os.urandom(12).translate(_LETTERS).decode()


def many_letters(count: int) -> list[str]:
    """Return the letters of several ids, drawn at once."""
    drawn = os.urandom(12 * count).translate(_LETTERS).decode()
    return [drawn[place : place + 12] for place in range(0, 12 * count, 12)]


def new_id(kind: str) -> str:
    """Return a new id of a kind: `evt-…`, `msg-…`."""
    return f"{kind}-{letters()}"


def now() -> str:
    """Return the time for people, in UTC with milliseconds; order never depends on it."""
    second, rest = divmod(time.time_ns(), 1_000_000_000)
    return f"{iso_second(second)}.{rest // 1_000_000:03d}Z"


def iso_second(second: int) -> str:
    """Return a second of the system clock as ISO 8601 in UTC, without the Z."""
    t = time.gmtime(second)
    return f"{t[0]:04d}-{t[1]:02d}-{t[2]:02d}T{t[3]:02d}:{t[4]:02d}:{t[5]:02d}"


def ago(seconds: int) -> str:
    """Return the time some seconds ago, as `now` writes it."""
    second, rest = divmod(time.time_ns(), 1_000_000_000)
    return f"{iso_second(second - seconds)}.{rest // 1_000_000:03d}Z"


def later(at: str, seconds: int) -> str:
    """Return the time some seconds after another one; empty if that cannot be parsed."""
    try:
        return iso_second(int(read(at)) + seconds) + "Z"
    except (ValueError, OverflowError, OSError):
        return ""


def read(at: str) -> float:
    """Return the seconds since 1970 of a time as `now` writes it; raise ValueError if it is not one.

    Computed here, because importing `datetime` costs as much as a start of Python.
    """
    year, month, day = int(at[0:4]), int(at[5:7]), int(at[8:10])
    # Days since 1 March of the year 0: then a leap day is the last one of its year.
    shifted = year - (month < 3)
    days = 365 * shifted + shifted // 4 - shifted // 100 + shifted // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719_468
    return days * 86_400 + int(at[11:13]) * 3_600 + int(at[14:16]) * 60 + float(at[17:].rstrip("Z"))


def age(then: str, at: str) -> float:
    """Return the seconds between two times of the log; 0 if one cannot be parsed."""
    try:
        return max(0.0, read(at) - read(then))
    except ValueError:
        return 0.0
