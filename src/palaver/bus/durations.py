"""How long things took, from the event log alone.

    sent→read, read→answered       one figure a message and recipient; by who read and answered
    claim→approval                 one a claim that had to be approved; by who claimed
    assigned→started               from the assignment, or the message that gives a task to one agent, to the
                                   first sign of work on it; by who has it
    in STATE                       how long tasks were in a state; by who held them
    nudges, kills, reworks         how often; by whom they befell

Times are those of the machines that wrote. A clock that was set back makes a figure of 0, never one below.
"""

from collections import defaultdict
from collections.abc import Iterator

from palaver.bus.session import Session
from palaver.log.stamp import read as seconds_of
from palaver.model.event import Event, flag, text, texts

_COUNTED = {"nudge": "nudges", "rework": "reworks"}


class Figure:
    """One thing that took so long, or happened: which, whose, on which day."""

    __slots__ = ("agent", "day", "name", "seconds")

    def __init__(self, name: str, agent: str, at: str, seconds: float) -> None:
        """Take them; the day is that of its end."""
        self.name = name
        self.agent = agent
        self.day = at[:10]
        self.seconds = seconds


class Row:
    """What figures of one name amount to."""

    __slots__ = ("count", "max", "name", "p50", "p95", "who")

    def __init__(self, name: str, who: str, figures: list[float]) -> None:
        """Take the figures; `who` is the agent or the day, or nothing."""
        ordered = sorted(figures)
        self.name = name
        self.who = who
        self.count = len(ordered)
        self.p50, self.p95, self.max = (_at(ordered, share) for share in (0.5, 0.95, 1.0))

    def plain(self) -> dict[str, object]:
        """Return every field, for programs; times in milliseconds."""
        return {
            "name": self.name,
            "who": self.who,
            "count": self.count,
            "p50_ms": round(self.p50 * 1000),
            "p95_ms": round(self.p95 * 1000),
            "max_ms": round(self.max * 1000),
        }


def _at(ordered: list[float], share: float) -> float:
    """Return the value below which a share of them lies, by the nearest rank."""
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)] if ordered else 0.0


def figures(core: Session, *, since: str = "") -> list[Figure]:
    """Return every figure of the log whose end is not before a day."""
    clerk = _Clerk()
    for batch in core.log.batches():
        for event in batch.events:
            clerk.see(event)
    found = [*clerk.figures, *_states(core, clerk.given)]
    return [each for each in found if each.day >= since]


def rows(found: list[Figure], by: str = "") -> list[Row]:
    """Return what figures amount to: all together, by `agent`, or by `day`."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for each in found:
        groups[each.name, {"agent": each.agent, "day": each.day}.get(by, "")].append(each.seconds)
    order = {name: place for place, name in enumerate(NAMES)}
    ordered = sorted(groups, key=lambda key: (order.get(key[0], len(order)), key))
    return [Row(name, who, groups[name, who]) for name, who in ordered]


class _Clerk:
    """Goes through the events once, and keeps what is not over yet."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []
        self._sent: dict[str, str] = {}
        self._read: dict[tuple[str, str], str] = {}
        self._answered: set[tuple[str, str]] = set()
        self._claims: dict[str, tuple[str, str]] = {}
        # By agent: when something was assigned, nothing once it is begun; and what.
        self._assigned: dict[str, str] = {}
        self._refs: dict[str, str] = {}
        # Tasks that were given to one agent who has not begun, and when.
        self._tasked: dict[tuple[str, str], str] = {}
        # Messages that give a task to somebody, and to whom.
        self.given: dict[str, str] = {}
        self._apply = {
            "mail.sent": self._said,
            "mail.read": self._was_read,
            "assignment.set": self._assign,
            "assignment.checked": self._checked,
            "assignment.cleared": self._cleared,
            "run.started": self._started,
            "run.ended": self._ended,
        }

    def see(self, event: Event) -> None:
        known = self._apply.get(event.event_type)
        if known is not None:
            known(event)

    def _note(self, name: str, agent: str, start: str, end: str) -> None:
        self.figures.append(Figure(name, agent, end, _between(start, end)))

    def _said(self, event: Event) -> None:
        fields, at = event.data, event.timestamp
        sender, act, task = text(fields, "from") or event.actor, text(fields, "act"), text(fields, "task")
        self._sent[text(fields, "message_id")] = at
        answered = (text(fields, "reply_to"), sender)
        if answered in self._read and answered not in self._answered:
            self._answered.add(answered)
            self._note("read→answered", sender, self._read[answered], at)
        if act in ("assign", "handoff") and task and len(texts(fields, "to")) == 1:
            self.given[text(fields, "message_id")] = receiver = texts(fields, "to")[0]
            self._give(task.lower(), receiver.lower(), at)
        if act == "claim" and task:
            self._claims.setdefault(task, (sender, at))
        elif act == "approve" and task in self._claims:
            claimant, start = self._claims.pop(task)
            self._note("claim→approval", claimant, start, at)
        elif act in ("refuse", "release") and task:
            self._claims.pop(task, None)
        elif act == "ack" and task:
            self._begin(sender, at, task)
        for befallen in texts(fields, "to") if act in _COUNTED else []:
            self.figures.append(Figure(_COUNTED[act], befallen, at, 0.0))

    def _give(self, task: str, agent: str, at: str) -> None:
        """Note that an agent was given a task; the same work, given in two ways, is begun once."""
        if self._refs.get(agent) != task:
            self._tasked[task, agent] = at

    def _was_read(self, event: Event) -> None:
        reader = text(event.data, "reader") or event.actor
        for message in texts(event.data, "message_ids") or texts(event.data, "message_id"):
            if (message, reader) not in self._read and message in self._sent:
                self._read[message, reader] = event.timestamp
                self._note("sent→read", reader, self._sent[message], event.timestamp)

    def _assign(self, event: Event) -> None:
        agent = text(event.data, "agent").lower()
        self._refs[agent] = text(event.data, "ref_id").lower()
        self._tasked.pop((self._refs[agent], agent), None)
        if flag(event.data, "replace") or agent not in self._assigned:
            self._assigned[agent] = event.timestamp

    def _checked(self, event: Event) -> None:
        if flag(event.data, "found"):
            self._begin(text(event.data, "agent").lower() or event.actor, event.timestamp)

    def _cleared(self, event: Event) -> None:
        agent = text(event.data, "agent").lower()
        self._assigned.pop(agent, None)
        self._refs.pop(agent, None)

    def _started(self, event: Event) -> None:
        self._begin(text(event.data, "agent").lower(), event.timestamp, text(event.data, "task"))

    def _begin(self, agent: str, at: str, task: str = "") -> None:
        """Note that an agent has taken up what was assigned to it; only the first sign counts."""
        given = self._tasked.pop((task.lower(), agent.lower()), "")
        start = self._assigned.get(agent, "") or given
        if start:
            if agent in self._assigned:
                self._assigned[agent] = ""
            self._note("assigned→started", agent, start, at)

    def _ended(self, event: Event) -> None:
        if text(event.data, "reason") == "killed":
            self.figures.append(Figure("kills", text(event.data, "agent").lower(), event.timestamp, 0.0))


def _states(core: Session, given: dict[str, str]) -> Iterator[Figure]:
    """Yield how long each task was in each state, from the moves that had an effect."""
    db = core.view.current()
    since: dict[str, tuple[str, str, str]] = {}
    for task, at, actor, act, after, message in db.execute(
        "select task, at, actor, act, after, message from task_move where why = '' order by seq"
    ):
        state, start, holder = since.get(task, ("", at, ""))
        if state and state != after:
            yield Figure(f"in {state}", holder, at, _between(start, at))
        if state != after:
            # Who takes a task up holds it; what is handed in waits for somebody else.
            taken = given.get(message) or (actor if act in ("claim", "ack", "resume") else holder)
            since[task] = (after, at, taken)


def _between(start: str, end: str) -> float:
    try:
        return max(0.0, seconds_of(end) - seconds_of(start))
    except ValueError:
        return 0.0


#: What there is, in the order in which it is shown; states come after.
NAMES = ("sent→read", "read→answered", "claim→approval", "assigned→started", "nudges", "kills", "reworks")
