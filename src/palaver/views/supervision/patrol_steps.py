"""The steps that the patrol has taken, by the event since which something lasts and the agent concerned.

A step is recorded once it is in the log, in the event that carried it out.
"""

from palaver.model.deadlines import StepMark, parse_mark
from palaver.model.event import Event, table, text, texts
from palaver.model.names import BUS
from palaver.model.waits import WAITING_STATES
from palaver.views.fold import BY_BUS, Fold, on
from palaver.views.query import Query

_TABLES = (
    """create table patrol_step (
        since integer, agent text, rule text, n integer, seq integer,
        primary key (since, agent, rule)) without rowid""",
    "create index patrol_step_rule on patrol_step (rule, seq)",
    "create table patrol (one integer primary key, seq integer)",
)

# The events since which anything lasts that a patrol could take a step for; the rest is history.
_WAITING = ", ".join(f"'{state}'" for state in WAITING_STATES)
_LASTING = f"""
    select seq from activity union all select seq from agent_program union all select seq from assignment
    union all select seq from question where kind <> 'nudge'
    union all select seq from task where state in ({_WAITING})
    union all select seq from notice where open = 1
    union all select s.since from task t cross join patrol_step s
        where t.state = 'open' and s.rule = 'release.' || t.id and s.seq = t.seq
    union all select min(opened) from task where state = 'open' union all select seq from task_claimed"""


def step_marks(event_steps: list[str]) -> list[StepMark]:
    """Return the marks of the steps that an event carried out; what cannot be read is left out."""
    return [mark for each in event_steps if (mark := parse_mark(each)) is not None]


def steps(db: Query) -> dict[tuple[int, str, str], tuple[int, int]]:
    """Return the steps that were taken for what still lasts.

    By since when, agent and rule: how often, and at which event last. Looked up for each thing that lasts,
    and not by reading every step ever taken: a patrol must not become slower over the years.
    """
    rows = db.execute(
        f"select s.since, s.agent, s.rule, s.n, s.seq from ({_LASTING}) o "
        "cross join patrol_step s on s.since = o.seq"
    )
    return {(since, agent, rule): (n, seq) for since, agent, rule, n, seq in rows}


def releases(db: Query) -> list[tuple[int, str, str]]:
    """Return (since, agent, task) of each open task that the patrol took from its holder."""
    return db.execute(
        "select s.since, s.agent, t.id from task t join patrol_step s on s.rule = 'release.' || t.id and "
        "s.seq = t.seq where t.state = 'open'"
    )


def last_patrol(db: Query) -> int:
    """Return the number of the event of the last patrol, 0 if there was none."""
    rows = db.execute("select seq from patrol")
    return int(rows[0][0]) if rows else 0


class PatrolSteps(Fold):
    """How events change them."""

    TABLES = _TABLES

    @on(BY_BUS)
    def _sent(self, event: Event) -> None:
        if text(meta := table(event.data, "meta"), "rule"):
            self._add(texts(meta, "steps"), event)

    @on("agent.nudged", "agent.killed")
    def _taken(self, event: Event) -> None:
        if event.actor == BUS:
            self._add(texts(event.data, "steps"), event)

    def _add(self, named: list[str], event: Event) -> None:
        self._db.executemany(
            "insert or replace into patrol_step values (?, ?, ?, ?, ?)",
            [(step.since, step.agent, step.rule, step.n, event.seq) for step in step_marks(named)],
        )

    @on("patrol.completed")
    def _patrolled(self, event: Event) -> None:
        self._db.execute("insert or replace into patrol values (1, ?)", (event.seq,))
