"""What a patrol looks at: everything of one moment of the view, as plain values.

Gathered by questions of the view and nothing else; the patrol itself asks nobody.
"""

from typing import Final, NamedTuple

from palaver.bus.tasks.leases import Lease, running
from palaver.dialects import conventions
from palaver.model.deadlines import USUAL, in_force
from palaver.model.event import text
from palaver.model.plain import loads
from palaver.model.task import TO_DO
from palaver.model.watch import Watch
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.query import Query
from palaver.views.supervision import vigil
from palaver.views.supervision.vigil import Word

#: States in which a holder waits for somebody.
STUCK: Final = ("claimed", "blocked")
_LIVE: Final = (*TO_DO, *STUCK, "delivered", "checking")
#: Rounds of leads that are looked at; an office that needs more has given up long ago.
_ROUNDS_MOST: Final = 2_000


class Program:
    """The programs of an agent, taken together: what still runs counts, else the last that ended."""

    __slots__ = ("code", "ended", "reason", "run", "seq", "signal")

    def __init__(self, row: tuple[str, int, int, int, int, str]) -> None:
        """Take a row: its run, the event of its start, that of its end, and how it ended."""
        self.run, self.seq, self.ended, self.code, self.signal, self.reason = row

    @property
    def crashed(self) -> bool:
        """Tell whether it ended otherwise than it should; one whose end nobody saw did."""
        return bool(self.ended and (self.code or self.signal or self.reason == "lost"))


class Held:
    """A task that somebody has."""

    __slots__ = ("checker", "fence", "giver", "holder", "id", "owner", "seq", "state")

    def __init__(self, row: tuple[str, str, str, str, str, str, int, int]) -> None:
        """Take a row."""
        self.id, self.state, self.holder, self.owner, self.giver, self.checker, self.seq, self.fence = row


class Item(NamedTuple):
    """Something that somebody waits for: what, since which event, who must move, who waits, its id.

    A tuple, and made by the row: there may be a hundred thousand.
    """

    kind: str
    since: int
    agent: str
    waiter: str
    about: str
    task: str


class Facts:
    """All that a patrol looks at."""

    __slots__ = (
        "active",
        "assigned",
        "blocks",
        "by_rounds",
        "ceo", "circles",
        "claimed",
        "command",
        "deadlines",
        "heads",
        "idle_since",
        "items",
        "leads", "leases",
        "live",
        "manager",
        "opened",
        "operations",
        "orphans",
        "pairs", "partners",
        "patrolled",
        "person",
        "programs",
        "reminded",
        "retired",
        "roles",
        "rounds",
        "steps",
        "tasks",
        "unseen",
        "watch",
        "words",
    )  # fmt: skip

    def __init__(self, watch: Watch) -> None:
        """Take the clock; the rest is filled in."""
        self.watch = watch
        self.deadlines: dict[str, float] = dict(USUAL)
        # The last activity of each agent, its programs, and who is gone.
        self.active: dict[str, int] = {}
        self.programs: dict[str, Program] = {}
        self.retired: set[str] = set()
        self.live: set[str] = set()
        self.roles: dict[str, str] = {}
        # Who lives where silence is counted in rounds.
        self.by_rounds: set[str] = set()
        # The manager of each worker of an office; the other one of two, and the mount of both.
        self.heads: dict[str, str] = {}
        self.partners: dict[str, str] = {}
        self.pairs: dict[str, str] = {}
        self.tasks: list[Held] = []
        self.items: list[Item] = []
        # The claims that run, by task.
        self.leases: dict[str, Lease] = {}
        # The holder's blocks of each blocked task; assignments to work that is over.
        self.blocks: dict[str, int] = {}
        self.assigned: list[tuple[str, str, str, int]] = []
        # Who has looked as a lead, and as a worker, at which events.
        self.rounds: dict[tuple[str, bool], list[int]] = {}
        # The oldest task that is open, and who last claimed or delivered anything, and when.
        self.opened = 0
        self.claimed: dict[str, int] = {}
        # Tasks that the patrol released and nobody has taken: since when, from whom, which.
        self.orphans: list[tuple[int, str, str]] = []
        # (since, agent, rule) → how often, and at which event last.
        self.steps: dict[tuple[int, str, str], tuple[int, int]] = {}
        self.words: list[Word] = []
        # Reminders of the last day: how many, and the last one.
        self.reminded: dict[str, tuple[int, int]] = {}
        self.patrolled = 0
        self.operations: tuple[str, ...] = ()
        self.ceo: tuple[str, ...] = ()
        self.leads: tuple[str, ...] = ()
        self.manager = ""
        self.person = ""
        self.unseen = "report"
        # Worked out from the rest, when a patrol begins: since when who is idle, and who waits in a circle.
        self.idle_since: dict[str, int] = {}
        self.circles: list[tuple[int, list[str]]] = []

    def after(self, key: str) -> float:
        """Return a deadline."""
        return self.deadlines[key]

    def done(self, since: int, agent: str, rule: str) -> tuple[int, int]:
        """Return how often a step was taken, and at which event last; zeros if never."""
        return self.steps.get((since, agent, rule), (0, 0))

    def supervisor(self, agent: str) -> str:
        """Return who supervises an agent, by its factory; nothing if nobody does."""
        factory = agent.partition("/")[0]
        wanted = f"{factory}/supervisor"
        return wanted if wanted in self.live and wanted != agent else ""

    def is_person(self, agent: str) -> bool:
        """Tell whether nobody may expect an answer in minutes."""
        return agent == self.person or (agent in self.ceo and agent not in self.programs)


def gather(db: Query, roster: Roster, watch: Watch) -> Facts:
    """Return the facts of this moment."""
    facts = Facts(watch)
    _settings(facts, roster)
    facts.active = dict(db.execute("select agent, seq from activity"))
    # Of each agent the last row stays: what runs comes after what has ended, the newest after older ones.
    for agent, *row in db.execute(
        "select agent, run, seq, ended, code, signal, reason from vigil_run order by agent, ended = 0, seq"
    ):
        facts.programs[agent] = Program(tuple(row))
    marks = ", ".join("?" * len(_LIVE))
    rows = db.execute(
        f"select id, state, holder, owner, giver, checker, seq, fence from task where state in ({marks})",
        _LIVE,
    )
    facts.tasks = [Held(row) for row in rows]
    facts.items = _questions(db) + _states(facts)
    facts.blocks = dict(
        db.execute(
            "select t.id, count(*) from task t join task_move m on m.task = t.id and m.act = 'block' and "
            "m.why = '' and m.actor = t.holder where t.state = 'blocked' group by t.id"
        )
    )
    facts.assigned = db.execute(
        "select a.agent, a.ref, a.giver, a.seq from assignment a left join task t on t.id = a.ref "
        "where a.kind = 'work_order' and (t.id is null or t.state in ('done', 'cancelled'))"
    )
    facts.leases = running(db)
    _supervised(facts, db)
    return facts


def _supervised(facts: Facts, db: Query) -> None:
    """Fill in what supervision itself has done, and the rounds."""
    for agent, lead, seq in db.execute(
        "select agent, lead, seq from poll order by seq desc limit ?", (_ROUNDS_MOST,)
    ):
        facts.rounds.setdefault((agent, bool(lead)), []).append(seq)
    [(facts.opened,)] = db.execute("select coalesce(min(opened), 0) from task where state = 'open'")
    if facts.by_rounds:
        facts.claimed = dict(db.execute("select agent, seq from task_claimed"))
    facts.orphans = db.execute(
        "select s.since, s.agent, t.id from task t join vigil_step s on s.rule = 'release.' || t.id and "
        "s.seq = t.seq where t.state = 'open'"
    )
    facts.steps = vigil.steps(db)
    facts.words = vigil.words(db)
    day = facts.watch.head_at(86_400.0)
    for agent, count, last in db.execute(
        "select agent, count(*), max(seq) from vigil_word where rule = 'remind' and seq > ? group by agent",
        (day,),
    ):
        facts.reminded[agent] = (count, last)
    for (seq,) in db.execute("select seq from vigil_patrol"):
        facts.patrolled = seq


def _settings(facts: Facts, roster: Roster) -> None:
    """Fill in who there is, and what the config says."""
    settings = loads(roster.settings) if roster.settings else {}
    settings = settings if type(settings) is dict else {}
    facts.deadlines = in_force(roster.settings)
    policy = Policy(roster)
    facts.person = text(settings, "person").lower()
    facts.unseen = policy.text("unseen") or "report"
    for agent in roster.agents.values():
        (facts.retired if agent.retired else facts.live).add(agent.id)
        facts.roles[agent.id] = agent.role
        if any(conventions(roster.mounts.get(home, {})).counts_rounds for home in agent.homes):
            facts.by_rounds.add(agent.id)
    _teams(facts, roster)

    def means(name: str) -> tuple[str, ...]:
        return tuple(roster.meaning(name).agents) if name else ()

    person = (facts.person,) if facts.person in facts.live else ()
    facts.manager = next(iter(means(policy.text("manager"))), "")
    facts.leads = tuple(sorted(policy.leads()))
    facts.ceo = means(policy.text("ceo") or "ceo") or person or facts.leads[:1]
    facts.operations = means(policy.text("operations") or "operations") or facts.leads or facts.ceo


def _teams(facts: Facts, roster: Roster) -> None:
    """Fill in who is whose manager, and who is one of two."""
    for home, mount in roster.mounts.items():
        team = conventions(mount)
        if team.counts_rounds:
            manager = team.lead(mount)
            workers = [each.id for each in roster.agents.values() if home in each.homes]
            if manager in facts.live:
                facts.heads.update({worker: manager for worker in workers if worker != manager})
        one, other = text(mount, "a").lower(), text(mount, "b").lower()
        if team.works_in_pairs and one and other:
            facts.partners.update({one: other, other: one})
            facts.pairs.update({one: home, other: home})


def _questions(db: Query) -> list[Item]:
    rows = db.execute("select kind, seq, asked, asker, id, task from question where kind <> 'nudge'")
    return list(map(Item._make, rows))


def _states(facts: Facts) -> list[Item]:
    """Return what the states of tasks wait for."""
    found = []
    for held in facts.tasks:
        above = [held.owner] if held.owner else list(facts.leads)
        kind, waiter, movers = {
            "claimed": ("approval", held.holder, above),
            "assigned": ("start", held.owner or held.giver, [held.holder]),
            "handed": ("handoff", held.giver, [held.holder]),
            "working": ("report", held.owner, [held.holder]),
            "rework": ("report", held.owner, [held.holder]),
            "blocked": ("block", held.holder, above),
            "delivered": ("check", held.holder, held.checker.split() or above),
            "checking": ("check", held.holder, held.checker.split() or above),
        }[held.state]
        found += [
            Item(kind, held.seq, mover, waiter, about=held.id, task=held.id) for mover in movers or ["-"]
        ]
    return found
