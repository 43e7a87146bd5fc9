"""The clock of the patrol: time that somebody watched, and nothing else (docs/adr/0020).

A deadline is not a difference of two times of day. Between two passes of the patrol at most `gap` seconds
count, by a clock that does not jump; a laptop that slept, a daemon that was down and a clock that was set
make nobody older. What happened when is told by the log's own order: a mark says how far the log was
at a moment of this clock, so something is as old as the first mark behind it.

Whoever loses the file loses waiting time, and nothing else: everything counts as seen just now.
"""

from bisect import bisect_left
from typing import Final

from palaver.model.plain import dumps, loads

#: Marks: all of the last hour, then one in so many seconds, up to an age.
_THINNED: Final = ((3_600.0, 0.0), (86_400.0, 300.0), (2_592_000.0, 3_600.0), (float("inf"), 86_400.0))
_MARKS_MOST: Final = 4_000


class Watch:
    """How long somebody has watched, and how far the log was when."""

    __slots__ = ("_heads", "_moments", "boot", "now", "ticks")

    def __init__(self) -> None:
        """Start without a past."""
        self.now = 0.0
        # What the machine's clock said at the last pass, and since which start of the machine it counts.
        self.ticks = 0.0
        self.boot = ""
        self._heads: list[int] = []
        self._moments: list[float] = []

    def look(self, *, ticks: float, boot: str, head: int, gap: float) -> None:
        """Note one pass: the machine's clock, since which start it counts, and how far the log is."""
        if self._heads and head < self._heads[-1]:
            # An older log was put back: nothing that we have seen is known of it.
            self._heads, self._moments = [], []
        if boot == self.boot:
            self.now += min(max(0.0, ticks - self.ticks), gap)
        self.ticks, self.boot = ticks, boot
        if not self._heads or head > self._heads[-1]:
            self._heads.append(head)
            self._moments.append(self.now)
            self._thin()

    @property
    def head(self) -> int:
        """Return how far the log was when it last grew under our eyes."""
        return self._heads[-1] if self._heads else 0

    def since(self, seq: int) -> float:
        """Return the moment at which an event was first seen; now, if it was not seen before."""
        place = bisect_left(self._heads, seq)
        return self._moments[place] if place < len(self._moments) else self.now

    def age(self, seq: int) -> float:
        """Return for how long somebody has watched since an event."""
        return self.now - self.since(seq)

    def head_at(self, age: float) -> int:
        """Return up to which event all is at least so old; 0 if nothing is."""
        place = bisect_left(self._moments, self.now - age + 1e-9)
        return self._heads[place - 1] if place else 0

    def _thin(self) -> None:
        """Forget marks that are close together and old; what lies between then counts as younger.

        Of each stretch of the clock the last mark is kept; stretches do not move, so none is thinned twice.
        """
        kept: list[int] = []
        stretches: set[tuple[float, int]] = set()
        for place in range(len(self._moments) - 1, -1, -1):
            moment = self._moments[place]
            wide = next(wide for most, wide in _THINNED if self.now - moment <= most)
            stretch = (wide, int(moment // wide) if wide else place)
            if stretch not in stretches:
                stretches.add(stretch)
                kept.append(place)
        kept = kept[:_MARKS_MOST][::-1]
        self._heads = [self._heads[place] for place in kept]
        self._moments = [self._moments[place] for place in kept]

    def written(self) -> bytes:
        """Return what a file holds of it."""
        marks = [[head, round(moment, 3)] for head, moment in zip(self._heads, self._moments, strict=True)]
        fields = {"boot": self.boot, "ticks": round(self.ticks, 3), "now": round(self.now, 3), "marks": marks}
        return dumps(fields).encode() + b"\n"


def read(content: bytes) -> Watch:
    """Return the watch that a file holds; a new one if it holds none."""
    watch = Watch()
    try:
        fields = loads(content.decode().rstrip())
        assert type(fields) is dict
        now, ticks, boot, marks = (fields[name] for name in ("now", "ticks", "boot", "marks"))
        heads = [int(head) for head, _ in marks]
        moments = [float(moment) for _, moment in marks]
        good = heads == sorted(set(heads)) and moments == sorted(moments) and len(heads) <= _MARKS_MOST
        if good and type(boot) is str and float(now) >= 0 and (not moments or moments[-1] <= float(now)):
            watch.now, watch.ticks, watch.boot = float(now), float(ticks), boot
            watch._heads, watch._moments = heads, moments  # noqa: SLF001 - it is the same class's own file
    except (ValueError, TypeError, KeyError, AssertionError):
        return Watch()
    return watch
