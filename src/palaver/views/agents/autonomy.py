"""Autonomy: how freely an agent may act. `gated` asks first, `supervised` reports, `autonomous` does neither.

Only leads set it; if the policy names none, the agent called `td` does.
"""

from palaver.model.event import Event, table, text
from palaver.model.names import short
from palaver.views.agents.policy import Policy
from palaver.views.fold import Fold, on, sender_of, with_act
from palaver.views.query import Query
from palaver.views.tasks.etiquette import report_powerless

_TABLES = ("create table autonomy (agent text primary key, level text, seq integer, at text) without rowid",)
LEVELS = ("autonomous", "supervised", "gated")
USUAL = "supervised"


def level(db: Query, agent: str) -> str:
    """Return the autonomy level of an agent."""
    for (found,) in db.execute("select level from autonomy where agent = ?", (agent,)):
        return str(found)
    return USUAL


def may_set(policy: Policy, agent: str, auth: str) -> bool:
    """Return True if an agent may set the autonomy of others."""
    leads = policy.leads()
    return policy.is_person(agent, auth) or (agent in leads if leads else short(agent) == "td")


class Autonomy(Fold):
    """How messages change the levels."""

    TABLES = _TABLES

    @on(with_act("autonomy"))
    def _set(self, event: Event) -> None:
        sender, policy, meta = sender_of(event), self._folds.policy, table(event.data, "meta")
        agents, wanted = self._roster.meaning(text(meta, "agent")).agents, text(meta, "level")
        strict = policy.text("identity") == "strict" and event.auth == "claimed"
        if strict or not may_set(policy, sender, event.auth):
            report_powerless(self._db, event, agents or [sender])
        elif wanted in LEVELS:
            for agent in agents:
                row = (agent, wanted, event.seq, event.timestamp)
                self._db.execute("insert or replace into autonomy values (?, ?, ?, ?)", row)
