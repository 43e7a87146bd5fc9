"""Times as nearly all are written, and as we write them: 2026-01-25T23:45:00.000Z, or without a fraction.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

_DAYS = {"02": "28", "04": "30", "06": "30", "09": "30", "11": "30"}


def is_usual(text: str) -> bool:
    """Tell whether a time needs no change: UTC, of this century, without a leap second."""
    date, clock, rest = text[:10], text[10:19], text[19:]
    if not text.isascii() or date[4:5] + date[7:8] != "--" or clock[:1] + clock[3:4] + clock[6:7] != "T::":
        return False
    month, day, hour, minute, second = date[5:7], date[8:], clock[1:3], clock[4:6], clock[7:]
    if not (date[:4] + month + day + hour + minute + second).isdigit() or len(clock) != 9:
        return False
    if date[:2] != "20" or not "01" <= month <= "12" or not "01" <= day <= _last(date[:4], month):
        return False
    fraction = rest[1:-1]
    is_whole = rest == "Z" or (
        rest[:1] == "." and rest[-1:] == "Z" and fraction.isdigit() and len(fraction) < 10
    )
    return is_whole and hour <= "23" and minute <= "59" and second <= "59"


def _last(year: str, month: str) -> str:
    """Return the last day of a month."""
    return "29" if month == "02" and int(year) % 4 == 0 else _DAYS.get(month, "31")
