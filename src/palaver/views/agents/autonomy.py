"""Autonomy: how freely an agent may act. `gated` asks first, `supervised` reports, `autonomous` does neither.

Only leads set it; if the policy names none, the agent called `td` does.
"""

from typing import ClassVar

from palaver.model.event import Event, table, text
from palaver.model.names import short
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import RosterFold
from palaver.views.fold import Fold, Folds, Reactions, sender_of
from palaver.views.query import Query
from palaver.views.tasks.etiquette import powerless

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
    if policy.is_person(agent, auth):
        return True
    return agent in leads if leads else short(agent) == "td"


class Autonomy(Fold):
    """How messages change the levels."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start from what the database holds."""
        super().__init__(folds)
        self._roster = folds.get(RosterFold).roster
        self._policy = Policy(self._roster)

    def _sent(self, event: Event) -> None:
        if event.data.get("act") == "autonomy" and (agents := self._refused(event)):
            powerless(self._db, event, agents)

    def _refused(self, event: Event) -> list[str]:
        """Apply a message that sets autonomy; return the agents concerned if its sender may not set it."""
        sender = sender_of(event)
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

    REACTIONS: ClassVar[Reactions] = {
        "mail.sent": _sent,
    }
