"""What the patrol remembers: its clock, and the marks of its steps.

The clock counts only the time during which somebody patrolled (docs/adr/0020).

A deadline is not a difference of two times of day. Between two passes of the patrol at most `gap` seconds
count, by a clock that does not jump; a laptop that slept, a daemon that was down and a clock that was set
make nobody late. The log's own order says what happened when: a mark records how long the log was at a moment
of this clock, so an event is as old as the first mark after it.

If the file is lost, waiting time is lost and nothing else: every event counts as seen just now.

A step of the patrol leaves a mark in the log, by which every later patrol knows that it was taken:

    1204 release.t-1 factory/workers/slot0 1

The event since which something lasts, the rule (with its subject, if a rule can apply to several), the agent
that should have acted, and how many times the step was taken. The patrol writes marks, the view reads them.
"""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from palaver.model.plain import dumps, loads

#: How marks are thinned out: up to an age in seconds, keep one mark in so many seconds (0: keep all).
_THINNED: Final = ((3_600.0, 0.0), (86_400.0, 300.0), (2_592_000.0, 3_600.0), (float("inf"), 86_400.0))
_MARKS_MOST: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PatrolClock:
    """How many seconds were patrolled, and how long the log was when."""

    now: float = 0.0
    #: The machine's monotonic clock at the last pass, and the boot that it counts from.
    ticks: float = 0.0
    boot: str = ""
    #: The marks: the last event of the log, and the moment at which it was.
    heads: tuple[int, ...] = ()
    moments: tuple[float, ...] = ()

    def advance(self, *, ticks: float, boot: str, head: int, gap: float) -> "PatrolClock":
        """Return the clock after one more pass, given the machine's clock and the last event of the log."""
        heads, moments = self.heads, self.moments
        if heads and head < heads[-1]:
            # An older log was restored: nothing that was seen is known of it.
            heads, moments = (), ()
        now = self.now + (min(max(0.0, ticks - self.ticks), gap) if boot == self.boot else 0.0)
        if not heads or head > heads[-1]:
            heads, moments = _thin((*heads, head), (*moments, now), now)
        return PatrolClock(now=now, ticks=ticks, boot=boot, heads=heads, moments=moments)

    @property
    def head(self) -> int:
        """Return the last event of the log at the last mark."""
        return self.heads[-1] if self.heads else 0

    def first_seen(self, seq: int) -> float:
        """Return the moment at which an event was first seen; now if it was not seen before."""
        place = bisect_left(self.heads, seq)
        return self.moments[place] if place < len(self.moments) else self.now

    def age(self, seq: int) -> float:
        """Return how many patrolled seconds have passed since an event."""
        return self.now - self.first_seen(seq)

    def head_at(self, age: float) -> int:
        """Return the last event that is at least this old; 0 if none is."""
        place = bisect_left(self.moments, self.now - age + 1e-9)
        return self.heads[place - 1] if place else 0

    def encode(self) -> bytes:
        """Return the content of the clock's file."""
        marks = [[head, round(moment, 3)] for head, moment in zip(self.heads, self.moments, strict=True)]
        fields = {"boot": self.boot, "ticks": round(self.ticks, 3), "now": round(self.now, 3), "marks": marks}
        return dumps(fields).encode() + b"\n"


def _thin(
    heads: tuple[int, ...], moments: tuple[float, ...], now: float
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Drop old marks that are close together; the events between then count as younger.

    Of each interval the last mark is kept. Intervals do not move, so no mark is thinned out twice.
    """
    kept: list[int] = []
    intervals: set[tuple[float, int]] = set()
    for place in range(len(moments) - 1, -1, -1):
        moment = moments[place]
        width = next(width for most, width in _THINNED if now - moment <= most)
        interval = (width, int(moment // width) if width else place)
        if interval not in intervals:
            intervals.add(interval)
            kept.append(place)
    kept = kept[:_MARKS_MOST][::-1]
    return tuple(heads[place] for place in kept), tuple(moments[place] for place in kept)


def decode_clock(content: bytes) -> PatrolClock:
    """Return the clock that a file holds; a new one if the content is not valid."""
    try:
        fields = loads(content.decode().rstrip())
        assert type(fields) is dict
        now, ticks, boot, marks = (fields[name] for name in ("now", "ticks", "boot", "marks"))
        found = PatrolClock(
            now=float(now),
            ticks=float(ticks),
            boot=boot,
            heads=tuple(int(head) for head, _ in marks),
            moments=tuple(float(moment) for _, moment in marks),
        )
    except (ValueError, TypeError, KeyError, AssertionError):
        return PatrolClock()
    return found if _is_valid(found) else PatrolClock()


def _is_valid(clock: PatrolClock) -> bool:
    ordered = all(a < b for a, b in pairwise(clock.heads)) and all(a <= b for a, b in pairwise(clock.moments))
    sane = len(clock.heads) <= _MARKS_MOST and type(clock.boot) is str and clock.now >= 0
    return ordered and sane and (not clock.moments or clock.moments[-1] <= clock.now)


class StepMark(NamedTuple):
    """One mark."""

    since: int
    rule: str
    agent: str
    n: int

    def encode(self) -> str:
        """Return the mark as an event holds it."""
        return f"{self.since} {self.rule} {self.agent} {self.n}"


def qualified_rule(rule: str, subject: str = "") -> str:
    """Return the rule with its subject: each task is released by itself."""
    return f"{rule}.{subject}" if subject else rule


def parse_mark(text: str) -> StepMark | None:
    """Return the mark that a text encodes, or None."""
    match text.split(" "):
        case [since, rule, agent, n] if since.isdecimal() and n.isdecimal():
            return StepMark(int(since[:18]), rule, agent, int(n[:18]))
    return None
