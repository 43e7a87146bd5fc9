"""Autonomy: how freely an agent may act. `gated` asks first, `supervised` reports, `autonomous` does neither.

Only an agent that directs the other sets it; if there is none, the agent called `td` does.
"""

from palaver.model.event import Event, table, text, texts
from palaver.model.names import short
from palaver.views.agents.policy import Policy
from palaver.views.fold import Fold, on, sender_of, with_act
from palaver.views.query import Query
from palaver.views.tasks.etiquette import report_powerless, report_shutdown, report_unknown_agent

_TABLES = ("create table autonomy (agent text primary key, level text, seq integer, at text) without rowid",)
LEVELS = AUTONOMOUS, SUPERVISED, GATED = ("autonomous", "supervised", "gated")


def level(db: Query, agent: str) -> str:
    """Return the autonomy level of an agent."""
    return set_level(db, agent) or SUPERVISED


def set_level(db: Query, agent: str) -> str:
    """Return the level that an agent was given; empty if there is none."""
    rows = db.execute("select level from autonomy where agent = ?", (agent,))
    return str(rows[0][0]) if rows else ""


def may_set(policy: Policy, agent: str, auth: str, of: str) -> bool:
    """Return True if an agent may set the autonomy of another."""
    directors = policy.directors(of)
    return policy.is_person(agent, auth) or (agent in directors if directors else short(agent) == "td")


class Autonomy(Fold):
    """How messages change the levels."""

    TABLES = _TABLES

    @on(with_act("autonomy"))
    def _set(self, event: Event) -> None:
        sender, policy, meta = sender_of(event), self._folds.policy, table(event.data, "meta")
        agents, wanted = self._roster.meaning(text(meta, "agent")).agents, text(meta, "level")
        why = policy.powerless("autonomy", event)
        if why or not all(may_set(policy, sender, event.auth, agent) for agent in agents or [sender]):
            directors = policy.directors((agents or [sender])[0])
            report_powerless(self._db, event, agents or [sender], directors, why)
        elif not agents and text(meta, "agent"):
            named = text(meta, "agent")
            report_unknown_agent(self._db, event, named, self._roster.nearest(named))
        elif wanted in LEVELS:
            for agent in agents:
                row = (agent, wanted, event.seq, event.timestamp)
                self._db.execute("insert or replace into autonomy values (?, ?, ?, ?)", row)

    @on(with_act("shutdown"))
    def _end(self, event: Event) -> None:
        """Report a request by an agent that does not lead, or is not known to: it is ignored."""
        sender, policy = sender_of(event), self._folds.policy
        agents = {
            agent for written in texts(event.data, "to") for agent in self._roster.meaning(written).agents
        }
        why = policy.powerless("shutdown", event)
        spared = [
            agent for agent in agents - {sender} if why or not policy.may_end(sender, event.auth, agent)
        ]
        if spared:
            report_shutdown(self._db, event, policy.directors(min(spared)), why)
