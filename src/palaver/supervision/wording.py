"""How the patrol words durations and lists."""

from collections.abc import Sequence

from palaver.model.limits import PATROL_NAMED


def spell_duration(seconds: float) -> str:
    """Return a duration for people, in the largest unit that fits."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{seconds:.0f} s"


def spell_names(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = len(names) - PATROL_NAMED
    return ", ".join(names[:PATROL_NAMED]) + (f" and {more} more" if more > 0 else "")
