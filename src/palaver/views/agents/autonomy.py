"""Autonomy: how freely an agent may act. `gated` asks first, `supervised` reports, `autonomous` does neither.

Only who leads sets it; where the policy names nobody, the agent that is called `td` does.
"""

from sqlite3 import Connection

from palaver.model.event import Event, table, text
from palaver.model.names import short
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.query import Query

TABLES = ("create table autonomy (agent text primary key, level text, seq integer, at text) without rowid",)
INDEXES: tuple[str, ...] = ()
LEVELS = ("autonomous", "supervised", "gated")
USUAL = "supervised"


def level(db: Query, agent: str) -> str:
    """Return how freely an agent may act."""
    for (found,) in db.execute("select level from autonomy where agent = ?", (agent,)):
        return str(found)
    return USUAL


def may_set(policy: Policy, agent: str, auth: str) -> bool:
    """Tell whether an agent may set the autonomy of others."""
    leads = policy.leads()
    if policy.is_person(agent, auth):
        return True
    return agent in leads if leads else short(agent) == "td"


class Autonomy:
    """How messages change it."""

    __slots__ = ("_db", "_policy", "_roster")

    def __init__(self, db: Connection, roster: Roster) -> None:
        """Take the view and the roster."""
        self._db = db
        self._roster = roster
        self._policy = Policy(roster)

    def said(self, event: Event) -> list[str]:
        """Apply a message with the act `autonomy`; return whom it was to concern if its sender may not."""
        sender = (text(event.data, "from") or event.actor).lower()
        meta = table(event.data, "meta")
        wanted = text(meta, "level")
        strict = self._policy.text("identity") == "strict" and event.auth == "claimed"
        agents = self._roster.meaning(text(meta, "agent")).agents
        if strict or not may_set(self._policy, sender, event.auth):
            return agents or [sender]
        for agent in agents if wanted in LEVELS else []:
            self._db.execute(
                "insert or replace into autonomy values (?, ?, ?, ?)",
                (agent, wanted, event.seq, event.timestamp),
            )
        return []
