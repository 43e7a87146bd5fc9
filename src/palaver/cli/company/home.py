"""The mount of a company, and its residents.

Mail of the agents that are registered there is written to `.work/messages.jsonl`. An agent that uses the
commands of the company, or belongs to it by its address, and has no other home, becomes a resident.
"""

from collections.abc import Iterable

from palaver.bus.session import Session
from palaver.dialects.vermas.grammar import COMPANY_ROLES
from palaver.dialects.vermas.layout import colleagues
from palaver.model.event import text
from palaver.sync.mounts.mount_operations import add_resident
from palaver.views.agents.roster import Roster


def company_mount(roster: Roster) -> str:
    """Return the mount of the company; nothing if there is none, or more than one."""
    found = [
        called
        for called, mount in roster.mounts.items()
        if text(mount, "dialect") == "vermas" and not text(mount, "prefix")
    ]
    return found[0] if len(found) == 1 else ""


def at_home(session: Session, *speakers: str) -> str:
    """Make the agents of the company residents of its mount; return that mount."""
    session.view.current()
    roster = session.view.roster()
    home = company_mount(roster)
    if not home:
        return ""
    homeless = [agent.id for agent in roster.agents.values() if not agent.homes and not agent.retired]
    members = [agent for agent in homeless if "/" in agent or agent in COMPANY_ROLES]
    staff = dict.fromkeys([*members, *speakers])
    for agent in staff:
        if agent not in roster.agents or not roster.agents[agent].homes:
            add_resident(session, home, agent)
    staff_of_factories = dict.fromkeys(each for agent in staff for each in colleagues(agent))
    for agent in missing_agents(session, staff_of_factories):
        add_resident(session, home, agent)
    return home


def missing_agents(session: Session, wanted: Iterable[str]) -> list[str]:
    """Return those of these agents that do not exist, and whose address means no other agent."""
    roster = session.view.roster()
    return [each for each in wanted if each not in roster.agents and roster.meaning(each).kind == "none"]
