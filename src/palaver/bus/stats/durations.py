"""How long things took, from the event log alone.

    sent→read, read→answered       one for each message and recipient; by the recipient
    claim→approval                 one for each claim that needed approval; by the claimant
    assigned→started               from the assignment, or the message that gives a task to one agent, to the
                                   first sign of work on it; by that agent
    in STATE                       how long tasks were in a state; by their holder
    nudges, kills, reworks         how many; by the agent concerned

Times are those of the machines that wrote them. A clock that was set back makes a duration of 0, never less.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from msgspec import Meta

from palaver.bus.operations.fields import Actor
from palaver.bus.operations.operation import operation, reads
from palaver.bus.session import Session
from palaver.bus.stats.spread import percentile
from palaver.log.clock import age
from palaver.model.errors import BadArguments
from palaver.model.event import Event, flag, text, texts

#: Names of things that are counted, not timed.
COUNTS: Final = ("nudges", "kills", "reworks")
#: The order in which names are shown; states come after.
_ORDER: Final = ("sent→read", "read→answered", "claim→approval", "assigned→started", *COUNTS)
GroupBy = Annotated[
    str,
    Meta(
        title="WHAT",
        description="one row for each agent or day",
        extra_json_schema={"enum": ["agent", "day"]},
    ),
]
Day = Annotated[str, Meta(title="DAY", description="only from this day on, as 2026-01-31", max_length=2_000)]
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_COUNTED_ACTS: Final = {"nudge": "nudges", "rework": "reworks"}


class Measurement(NamedTuple):
    """One thing that took some time, or happened; the day is that of its end."""

    name: str
    agent: str
    day: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationRow:
    """The summary of the measurements with one name; `who` is the agent or the day, or empty."""

    name: str
    who: str
    count: int
    p50: float
    p95: float
    max: float

    def plain(self) -> dict[str, object]:
        """Return the fields for programs; times in milliseconds."""
        return {
            "name": self.name,
            "who": self.who,
            "count": self.count,
            "p50_ms": round(self.p50 * 1000),
            "p95_ms": round(self.p95 * 1000),
            "max_ms": round(self.max * 1000),
        }


@operation(reads)
def stats(
    session: Session, *, by: GroupBy | None = None, agent: Actor = "", since: Day = ""
) -> list[DurationRow]:
    """Return how long things took: p50, p95 and maximum."""
    if since and not _DAY.fullmatch(since):
        raise BadArguments(f"cannot use the day {since[:40]!r}", "it is not a date", "write it as 2026-01-31")
    found = [each for each in _measure(session) if each.day >= since and agent.lower() in ("", each.agent)]
    return _summarize(found, by or "")


def _measure(core: Session) -> list[Measurement]:
    """Return every measurement of the log."""
    fold = _Fold()
    for batch in core.log.batches():
        for event in batch.events:
            fold.apply(event)
    return [*fold.found, *_times_in_states(core, fold.given)]


def _summarize(found: list[Measurement], by: str) -> list[DurationRow]:
    """Return a row for each name: for everything, by `agent`, or by `day`."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in found:
        groups[each.name, {"agent": each.agent, "day": each.day}.get(by, "")].append(each.seconds)
    order = {name: place for place, name in enumerate(_ORDER)}
    ordered = sorted(groups, key=lambda key: (order.get(key[0], len(order)), key))
    return [
        DurationRow(
            name=name,
            who=who,
            count=len(seconds),
            p50=percentile(seconds, 50) or 0.0,
            p95=percentile(seconds, 95) or 0.0,
            max=max(seconds),
        )
        for name, who in ordered
        if (seconds := groups[name, who])
    ]


class _Fold:
    """Goes through the events once, and keeps what has not ended yet."""

    def __init__(self) -> None:
        self.found: list[Measurement] = []
        #: Messages that give a task to one agent, and that agent.
        self.given: dict[str, str] = {}
        self._sent: dict[str, str] = {}
        self._read: dict[tuple[str, str], str] = {}
        self._answered: set[tuple[str, str]] = set()
        self._claims: dict[str, tuple[str, str]] = {}
        # By agent: when something was assigned, empty once it is started; and what.
        self._assigned: dict[str, str] = {}
        self._refs: dict[str, str] = {}
        # When a task was given to an agent that has not started it.
        self._tasked: dict[tuple[str, str], str] = {}
        self._appliers = {
            "mail.sent": self._apply_sent,
            "mail.read": self._apply_read,
            "assignment.set": self._apply_assigned,
            "assignment.checked": self._apply_checked,
            "assignment.cleared": self._apply_cleared,
            "run.started": self._apply_run_started,
            "run.ended": self._apply_run_ended,
        }

    def apply(self, event: Event) -> None:
        applier = self._appliers.get(event.event_type)
        if applier is not None:
            applier(event)

    def _add(self, name: str, agent: str, start: str, end: str) -> None:
        self.found.append(Measurement(name, agent, end[:10], age(start, end)))

    def _apply_sent(self, event: Event) -> None:
        data, at = event.data, event.timestamp
        sender, act, task = text(data, "from") or event.actor, text(data, "act"), text(data, "task")
        self._sent[text(data, "message_id")] = at
        answered = (text(data, "reply_to"), sender)
        if answered in self._read and answered not in self._answered:
            self._answered.add(answered)
            self._add("read→answered", sender, self._read[answered], at)
        if act in ("assign", "handoff") and task and len(texts(data, "to")) == 1:
            self.given[text(data, "message_id")] = receiver = texts(data, "to")[0]
            self._give(task.lower(), receiver.lower(), at)
        if act == "claim" and task:
            self._claims.setdefault(task, (sender, at))
        elif act == "approve" and task in self._claims:
            claimant, start = self._claims.pop(task)
            self._add("claim→approval", claimant, start, at)
        elif act in ("refuse", "release") and task:
            self._claims.pop(task, None)
        elif act == "ack" and task:
            self._start(sender, at, task)
        for agent in texts(data, "to") if act in _COUNTED_ACTS else []:
            self.found.append(Measurement(_COUNTED_ACTS[act], agent, at[:10]))

    def _give(self, task: str, agent: str, at: str) -> None:
        """Note that an agent was given a task; work that is given in two ways is started once."""
        if self._refs.get(agent) != task:
            self._tasked[task, agent] = at

    def _apply_read(self, event: Event) -> None:
        reader = text(event.data, "reader") or event.actor
        for message in texts(event.data, "message_ids") or texts(event.data, "message_id"):
            if (message, reader) not in self._read and message in self._sent:
                self._read[message, reader] = event.timestamp
                self._add("sent→read", reader, self._sent[message], event.timestamp)

    def _apply_assigned(self, event: Event) -> None:
        agent = text(event.data, "agent").lower()
        self._refs[agent] = text(event.data, "ref_id").lower()
        self._tasked.pop((self._refs[agent], agent), None)
        if flag(event.data, "replace") or agent not in self._assigned:
            self._assigned[agent] = event.timestamp

    def _apply_checked(self, event: Event) -> None:
        if flag(event.data, "found"):
            self._start(text(event.data, "agent").lower() or event.actor, event.timestamp)

    def _apply_cleared(self, event: Event) -> None:
        agent = text(event.data, "agent").lower()
        self._assigned.pop(agent, None)
        self._refs.pop(agent, None)

    def _apply_run_started(self, event: Event) -> None:
        self._start(text(event.data, "agent").lower(), event.timestamp, text(event.data, "task"))

    def _start(self, agent: str, at: str, task: str = "") -> None:
        """Note that an agent has started what was assigned to it; only the first sign of work counts."""
        given = self._tasked.pop((task.lower(), agent.lower()), "")
        start = self._assigned.get(agent, "") or given
        if start:
            if agent in self._assigned:
                self._assigned[agent] = ""
            self._add("assigned→started", agent, start, at)

    def _apply_run_ended(self, event: Event) -> None:
        if text(event.data, "reason") == "killed":
            self.found.append(Measurement("kills", text(event.data, "agent").lower(), event.timestamp[:10]))


def _times_in_states(core: Session, given: dict[str, str]) -> Iterator[Measurement]:
    """Yield how long each task was in each state, from the moves that had an effect."""
    since: dict[str, tuple[str, str, str]] = {}
    for task, at, actor, act, after, message in core.view.current().execute(
        "select task, at, actor, act, after, message from task_move where why = '' order by seq"
    ):
        state, start, holder = since.get(task, ("", at, ""))
        if state and state != after:
            yield Measurement(f"in {state}", holder, at[:10], age(start, at))
        if state != after:
            # An agent that takes a task holds it, also while a delivery waits for another agent.
            taker = given.get(message) or (actor if act in ("claim", "ack", "resume") else holder)
            since[task] = (after, at, taker)
