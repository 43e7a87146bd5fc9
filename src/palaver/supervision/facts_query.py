"""Reads the facts of this moment from the view."""

from palaver.bus.tasks.leases import running
from palaver.model.deadlines import PatrolClock, in_force
from palaver.model.task import says_nothing
from palaver.model.waits import WAITING_STATES, task_wait
from palaver.supervision.facts import AgentProgram, Facts, HeldTask, OpenWait, Orphan, StrayAssignment
from palaver.supervision.team import Team, read_team
from palaver.views.agents.roster import Roster
from palaver.views.query import Query
from palaver.views.supervision import notices, patrol_steps

# Polls of leads that are looked at; an office that needs more has given up long ago.
_POLLS_MOST = 2_000
_DAY_SECONDS = 86_400.0


def read_facts(db: Query, roster: Roster, clock: PatrolClock) -> Facts:
    """Return the facts of this moment."""
    team = read_team(roster)
    tasks = _held_tasks(db)
    [(oldest_open,)] = db.execute("select coalesce(min(opened), 0) from task where state = 'open'")
    return Facts(
        clock=clock,
        deadlines=in_force(roster.config),
        team=team,
        active=dict(db.execute("select agent, seq from activity")),
        programs=_programs(db),
        tasks=tasks,
        waits=_questions(db) + _task_waits(tasks, team),
        leases=running(db),
        block_counts=_block_counts(db),
        stray_assignments=_stray_assignments(db),
        polls=_polls(db),
        oldest_open=oldest_open,
        last_claims=dict(db.execute("select agent, seq from task_claimed")) if team.counted_in_polls else {},
        orphans=list(map(Orphan._make, patrol_steps.releases(db))),
        steps=patrol_steps.steps(db),
        notices=notices.notices(db),
        reminded=notices.reminders(db, clock.head_at(_DAY_SECONDS)),
        last_patrol=patrol_steps.last_patrol(db),
    )


def _programs(db: Query) -> dict[str, AgentProgram]:
    # The last row of each agent stays: a running program comes after ended ones, a newer one after older
    # ones.
    rows = db.execute(
        "select agent, run, seq, ended, code, signal, reason from agent_program "
        "order by agent, ended = 0, seq"
    )
    return {agent: AgentProgram(*row) for agent, *row in rows}


def _held_tasks(db: Query) -> list[HeldTask]:
    marks = ", ".join("?" * len(WAITING_STATES))
    columns = ", ".join(HeldTask._fields)
    rows = db.execute(f"select {columns} from task where state in ({marks})", WAITING_STATES)
    return list(map(HeldTask._make, rows))


def _questions(db: Query) -> list[OpenWait]:
    rows = db.execute("select kind, seq, asked, asker, id, task from question where kind <> 'nudge'")
    return list(map(OpenWait._make, rows))


def _task_waits(tasks: list[HeldTask], team: Team) -> list[OpenWait]:
    found = []
    for held in tasks:
        kind, waiter, movers = task_wait(held, team.leads)
        found += [OpenWait(kind.name, held.seq, mover, waiter, held.id, held.id) for mover in movers or ["-"]]
    return found


def _block_counts(db: Query) -> dict[str, int]:
    """Return how often its holder was blocked on each task; a reason that follows is no second block."""
    rows = db.execute(
        "select t.id, m.before, m.gist from task t join task_move m on m.task = t.id and m.act = 'block' and "
        "m.why = '' and m.actor = t.holder where t.state = 'blocked' order by m.seq"
    )
    counts: dict[str, int] = {}
    reasons: dict[str, str] = {}
    for task, before, reason in rows:
        gives_reason = before == "blocked" and task in reasons and says_nothing("block", reasons[task])
        counts[task] = counts.get(task, 0) + (not gives_reason)
        reasons[task] = reason
    return counts


def _stray_assignments(db: Query) -> list[StrayAssignment]:
    rows = db.execute(
        "select a.agent, a.ref, a.giver, a.seq from assignment a left join task t on t.id = a.ref "
        "where a.kind = 'work_order' and (t.id is null or t.state in ('done', 'cancelled'))"
    )
    return list(map(StrayAssignment._make, rows))


def _polls(db: Query) -> dict[tuple[str, bool], list[int]]:
    found: dict[tuple[str, bool], list[int]] = {}
    rows = db.execute("select agent, lead, seq from poll order by seq desc limit ?", (_POLLS_MOST,))
    for agent, lead, seq in rows:
        found.setdefault((agent, bool(lead)), []).append(seq)
    return found
