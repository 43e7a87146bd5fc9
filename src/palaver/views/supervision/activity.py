"""The last event of each agent: what it does on the bus, what its program writes, what its hooks report.

And the agents that their lead has asked to stop: nobody reads what they write afterwards, and they are told.
"""

from palaver.model.event import Event, flag, text, texts
from palaver.model.names import BUS
from palaver.views.fold import EVERY, Fold, Folds, on, sender_of, with_act
from palaver.views.query import Query
from palaver.views.tasks.board import is_live, owe_once

_TABLES = (
    "create table activity (agent text primary key, seq integer) without rowid",
    "create table stopped (agent text primary key) without rowid",
)


def is_stopped(db: Query, agent: str) -> bool:
    """Return True if an agent was asked to stop, and has got no work since."""
    return bool(db.execute("select 1 from stopped where agent = ?", (agent,)))


class Activity(Fold):
    """How events change it; written once a batch."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._seen: dict[str, int] = {}
        self._stopped = {str(agent) for (agent,) in folds.execute("select agent from stopped")}

    @on(EVERY)
    def _acted(self, event: Event) -> None:
        self._seen[event.actor] = event.seq

    @on("run.output", "agent.activity")
    def _reported(self, event: Event) -> None:
        if not flag(event.data, "quiet"):
            self._seen[text(event.data, "agent")] = event.seq

    def flush(self) -> None:
        """Write which agents were active; the last event counts, in whatever case the name is written."""
        rows = [(seq, actor.lower()) for actor, seq in self._seen.items() if actor.lower() not in ("", BUS)]
        self._db.executemany("insert or replace into activity (seq, agent) values (?, ?)", sorted(rows))
        self._seen.clear()

    # --- agents that were asked to stop ---

    @on(with_act("shutdown"), with_act("approve"))
    def _decided(self, event: Event) -> None:
        """Stop agents, where that ends their writing; or let them go on, with new work."""
        sender, policy = sender_of(event), self._folds.policy
        reached = self._roster.recipients(sender, texts(event.data, "to")).reached
        agents = {agent for agent in reached if sender in policy.heads(agent) and policy.ends_at_stop(agent)}
        if policy.misfiled(event) or not agents:
            return
        rows = [(agent,) for agent in sorted(agents)]
        if text(event.data, "act") == "approve":
            self._stopped -= agents
            self._db.executemany("delete from stopped where agent = ?", rows)
        else:
            self._stopped |= agents
            self._db.executemany("insert or ignore into stopped values (?)", rows)

    @on("mail.sent")
    def _spoke(self, event: Event) -> None:
        """Tell an agent that it writes in vain; only its own file proves that it does."""
        if not self._stopped or (agent := sender_of(event)) not in self._stopped:
            return
        is_written = event.src is not None and is_live(event) and event.auth == "channel"
        if is_written and text(event.data, "act") != "leave":
            leads = " or ".join(sorted(self._folds.policy.heads(agent)))
            why = f"You wrote after {leads} had asked you to stop, and nobody reads it"
            owe_once(self._db, event, ("written-after-stop", ""), agent, why)
