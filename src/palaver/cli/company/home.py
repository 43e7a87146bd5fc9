"""Where a company lives: in the folder that is mounted for it.

Mail stands in `.work/messages.jsonl` for those who live there. Whoever uses the commands of the company, or
is one of it by his address, and lives nowhere else, is at home there.
"""

from palaver.bus.session import Session
from palaver.model.event import text
from palaver.sync.mounts.registration import add_resident
from palaver.views.agents.roster import Roster

# Roles of the company as a whole; all others have their factory in their address.
_COMPANY = ("ceo", "operations")


def company_mount(roster: Roster) -> str:
    """Return the mount of the company; nothing if there is none, or nobody can tell which."""
    found = [
        called
        for called, mount in roster.mounts.items()
        if text(mount, "dialect") == "vermas" and not text(mount, "prefix")
    ]
    return found[0] if len(found) == 1 else ""


def at_home(core: Session, *speakers: str) -> str:
    """Let the people of the company live in its mount; return that mount."""
    core.view.current()
    roster = core.view.roster()
    home = company_mount(roster)
    if not home:
        return ""
    known = [agent.id for agent in roster.agents.values() if not agent.homes and not agent.retired]
    members = [agent for agent in known if "/" in agent or agent in _COMPANY]
    for agent in dict.fromkeys([*members, *speakers]):
        if agent not in roster.agents or not roster.agents[agent].homes:
            add_resident(core, home, agent)
    return home
