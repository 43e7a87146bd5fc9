"""How the patrol spells times and lists."""

from collections.abc import Sequence

from palaver.model.limits import PATROL_NAMED


def lasting(seconds: float) -> str:
    """Return how long something lasts, for people."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{seconds:.0f} s"


def listed(names: Sequence[str]) -> str:
    """Return names, the first of many."""
    more = len(names) - PATROL_NAMED
    return ", ".join(names[:PATROL_NAMED]) + (f" and {more} more" if more > 0 else "")
