"""Every deadline in one table: what may last how long, whose it is, and which step follows.

Each is a key under `[deadlines]` in the config; the reference page is generated from this table. Polls are
polls of the manager of an office. Seconds are counted by the clock of the patrol, only while somebody patrols
(docs/adr/0020).

A deadline is not a difference of two times of day. Between two passes of the patrol at most `gap` seconds
count, by a clock that does not jump; a laptop that slept, a daemon that was down and a clock that was set
make nobody late. The log's own order says what happened when: a mark of the clock records how long the log
was at a moment, so an event is as old as the first mark after it. If the file is lost, waiting time is lost
and nothing else: every event counts as seen just now.

A step of the patrol leaves a mark in the log, by which every later patrol knows that it was taken:

    1204 release.t-1 factory/workers/slot0 1

The event since which something lasts, the rule (with its subject, if a rule can apply to several), the agent
that should have acted, and how many times the step was taken. The patrol writes marks, the view reads them.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from palaver.model.event import table
from palaver.model.plain import dumps, loads

#: No deadline is longer than a year.
MOST: Final = 31_536_000


class Unit(Enum):
    """What a deadline counts; the value is its suffix."""

    SECONDS = " s"
    POLLS = " polls"
    TIMES = ""


@dataclass(frozen=True, slots=True)
class Deadline:
    """One row of the table."""

    key: str
    default: int
    #: What lasts so long, the agent whose deadline it is, and the step that follows.
    what: str
    whose: str
    step: str
    unit: Unit = Unit.SECONDS


DEADLINES: Final = (
    # The patrol itself.
    Deadline("patrol", 30, "no patrol has run", "palaver up", "one pass"),
    Deadline("gap", 120, "no patrol has run", "the patrol", "time beyond this counts for no deadline"),
    # Idle agents.
    Deadline("nudge", 300, "an agent with work is idle", "the agent", "NUDGE, to the agent"),
    Deadline("kill", 900, "it is still idle", "the agent",
             "its program is killed, its work is released, and the agent that gave the work is told"),
    Deadline("escalate", 1_800, "nobody has taken the work, or nobody answers", "the agent that must act",
             "ESCALATION, to operations"),
    Deadline("ceo", 900, "operations has not dealt with an escalation", "operations",
             "ESCALATION, to the CEO"),
    Deadline("grace", 300, "a program has just started", "the agent", "added to all of the above"),
    Deadline("crash", 60, "a program has crashed and its agent holds work", "the agent",
             "its work is released, and the agent that gave it is told"),
    Deadline("stall", 600, "a program prints nothing, and its agent is silent", "the agent",
             "its supervisor is told"),
    Deadline("watchdog", 900, "one agent of a collab has work and is idle", "the agent",
             "its program is killed; the other agent and the CEO are told; it keeps its work"),
    Deadline("ping", 900, "a supervisor is silent while its workers have work", "the supervisor",
             "SUPERVISOR_PING"),
    Deadline("pong", 300, "it does not answer that", "the supervisor", "ESCALATION, to operations"),
    # Waits.
    Deadline("question", 600, "a question is unanswered", "the agent that was asked", "a reminder"),
    Deadline("mention", 600, "a mention is not acknowledged", "the agent that was mentioned", "a reminder"),
    Deadline("shutdown", 300, "a shutdown request is not confirmed", "the agent that was asked",
             "a reminder"),
    Deadline("claim", 600, "a claim is not approved", "the owner, or the leads", "a reminder"),
    Deadline("start", 600, "an assigned task is not started", "its holder", "a reminder"),
    Deadline("handoff", 600, "a handoff is not taken", "its holder", "a reminder"),
    Deadline("reassign", 1_800, "it is still not taken", "its holder",
             "a handoff goes back to its giver; an assigned task is open again, and its owner is told"),
    Deadline("delivery", 600, "a delivery is not checked", "its checkers", "a reminder"),
    Deadline("block", 600, "a task is blocked", "the owner, or the leads", "a reminder"),
    Deadline("report", 3_600, "a task is neither delivered nor blocked nor reported on", "its holder",
             "a reminder"),
    Deadline("circle", 300, "agents wait for each other in a cycle", "all of them",
             "ESCALATION, to operations"),
    Deadline("closed", 60, "an assignment is for finished or unknown work", "the agent that gave it",
             "it is reported"),
    # Reminders.
    Deadline("cooldown", 600, "an agent was reminded", "the agent", "no other reminder before"),
    Deadline("reminders", 3, "reminders of one wait", "the agent", "no more of them", Unit.TIMES),
    Deadline("cap", 20, "reminders to one agent in a day", "the agent", "no more of them", Unit.TIMES),
    # Offices count polls of their manager.
    Deadline("wake", 1, "a worker with work was silent", "the worker", "WAKE", Unit.POLLS),
    Deadline("wake_final", 2, "the same", "the worker", "WAKE_FINAL", Unit.POLLS),
    Deadline("abandon", 3, "the same", "the worker", "ABANDON: its work is released, and the manager is told",
             Unit.POLLS),
    Deadline("idle_warning", 3, "a worker without work claims none of the open tasks", "the worker",
             "IDLE_WARNING", Unit.POLLS),
    Deadline("idle_report", 4, "the same", "the worker", "IDLE_REPORT, to the lead", Unit.POLLS),
    Deadline("claim_polls", 3, "a claim is not approved in so many polls of its worker", "the manager",
             "TIMEOUT: the claim is released", Unit.POLLS),
    # What leaves the machine.
    Deadline("notify", 10, "the command of `notify.command` runs", "the command", "it is killed"),
)  # fmt: skip
DEFAULTS: Final[Mapping[str, float]] = {row.key: float(row.default) for row in DEADLINES}


def in_force(settings: dict[str, object]) -> dict[str, float]:
    """Return every deadline, as the settings say, or else its default."""
    written = table(settings, "deadlines")
    numbers = {key: float(value) for key, value in written.items() if isinstance(value, int | float)}
    return {key: numbers.get(key, default) for key, default in DEFAULTS.items()}


# ---------------------------------------------------------------- the clock of the patrol

#: How marks are thinned out: up to an age in seconds, keep one mark in so many seconds (0: keep all).
_THINNED: Final = ((3_600.0, 0.0), (86_400.0, 300.0), (2_592_000.0, 3_600.0), (float("inf"), 86_400.0))
_MARKS_MOST: Final = 4_000


#: The last event of the log, and the patrolled second at which it was seen.
_Mark = tuple[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatrolClock:
    """How many seconds were patrolled, and how long the log was when."""

    now: float = 0.0
    #: The machine's monotonic clock at the last pass, and the boot that it counts from.
    ticks: float = 0.0
    boot: str = ""
    marks: tuple[_Mark, ...] = ()

    def advance(self, *, ticks: float, boot: str, head: int, gap: float) -> "PatrolClock":
        """Return the clock after one more pass, given the machine's clock and the last event of the log."""
        # If an older log was restored, nothing that was seen is known of it.
        marks = () if head < self.head else self.marks
        now = self.now + (min(max(0.0, ticks - self.ticks), gap) if boot == self.boot else 0.0)
        if not marks or head > self.head:
            marks = _thin((*marks, (head, now)), now)
        return PatrolClock(now=now, ticks=ticks, boot=boot, marks=marks)

    @property
    def head(self) -> int:
        """Return the last event of the log at the last mark."""
        return self.marks[-1][0] if self.marks else 0

    def first_seen(self, seq: int) -> float:
        """Return the moment at which an event was first seen; now if it was not seen before."""
        place = bisect_left(self.marks, seq, key=itemgetter(0))
        return self.marks[place][1] if place < len(self.marks) else self.now

    def age(self, seq: int) -> float:
        """Return how many patrolled seconds have passed since an event."""
        return self.now - self.first_seen(seq)

    def head_at(self, age: float) -> int:
        """Return the last event that is at least this old; 0 if none is."""
        place = bisect_left(self.marks, self.now - age + 1e-9, key=itemgetter(1))
        return self.marks[place - 1][0] if place else 0

    def encode(self) -> bytes:
        """Return the content of the clock's file."""
        marks = [[head, round(moment, 3)] for head, moment in self.marks]
        fields = {"boot": self.boot, "ticks": round(self.ticks, 3), "now": round(self.now, 3), "marks": marks}
        return dumps(fields).encode() + b"\n"


def _thin(marks: tuple[_Mark, ...], now: float) -> tuple[_Mark, ...]:
    """Drop old marks that are close together; the events between then count as younger.

    Of each interval the last mark is kept. Intervals do not move, so no mark is thinned out twice.
    """
    kept: dict[tuple[float, int], _Mark] = {}
    for place in range(len(marks) - 1, -1, -1):
        moment = marks[place][1]
        width = next(width for most, width in _THINNED if now - moment <= most)
        kept.setdefault((width, int(moment // width) if width else place), marks[place])
    return tuple(islice(kept.values(), _MARKS_MOST))[::-1]


def decode_clock(content: bytes) -> PatrolClock:
    """Return the clock that a file holds; a new one if the content is not valid."""
    try:
        fields = loads(content.decode().rstrip())
        assert type(fields) is dict
        now, ticks, boot = float(fields["now"]), float(fields["ticks"]), fields["boot"]
        marks = tuple((int(head), float(moment)) for head, moment in fields["marks"])
    except (ValueError, TypeError, KeyError, AssertionError):
        return PatrolClock()
    ordered = all(one[0] < other[0] and one[1] <= other[1] for one, other in pairwise(marks))
    sane = len(marks) <= _MARKS_MOST and type(boot) is str and now >= 0
    if not ordered or not sane or (marks and marks[-1][1] > now):
        return PatrolClock()
    return PatrolClock(now=now, ticks=ticks, boot=boot, marks=marks)


# ---------------------------------------------------------------- marks of steps


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
