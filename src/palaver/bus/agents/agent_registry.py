"""The agents of a bus, and its distribution lists."""

from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.operations import keys
from palaver.bus.operations.fields import About, AgentName, Handle, Key, Level, Reason, Role
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.dialects import DIALECTS, spec
from palaver.model.errors import NotFound, StorageFailed
from palaver.model.event import Event, text
from palaver.model.limits import LOCK_SECONDS
from palaver.model.names import BUS, address, name
from palaver.views.agents import autonomy
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Agent, Roster

Retired = Annotated[bool, Meta(description="also retired agents")]


def roster(session: Session) -> Roster:
    """Return the roster as it is now."""
    apply(session)
    session.view.current()
    return session.view.roster()


@operation(reads)
def agents(session: Session, *, retired: Retired = False) -> list[Agent]:
    """Return the agents, by name."""
    known = roster(session).agents.values()
    shown = sorted((agent for agent in known if retired or not agent.retired), key=lambda agent: agent.id)
    return [_with_autonomy(session, agent) for agent in shown]


def _with_autonomy(session: Session, agent: Agent) -> Agent:
    """Return an agent with its level of autonomy, if its team has levels or it was given one."""
    level = autonomy.set_level(session.view, agent.id)
    if not level and Policy(session.view.roster()).supervisors(agent.id):
        level = autonomy.SUPERVISED
    return agent._replace(autonomy=level)


def _registered_before(session: Session, first: Event) -> Agent:
    return find_agent(session, keys.field_of(first, "agent.registered", "agent"))


@operation(writes, repeat=_registered_before)
def add_agent(
    session: Session,
    agent: AgentName,
    *,
    handle: Handle = "",
    role: Role = "",
    about: About = "",
    level: Level = 0,
    key: Key = "",
) -> Agent:
    """Register an agent, or bring back a retired one."""
    encodable(about)
    harmless(about, "description")
    fields: dict[str, object] = {
        "handle": handle and address(handle).lstrip("@"),
        "role": role and name(role),
        "level": level,
        "about": about,
    }
    known = roster(session)
    before = known.agents.get(name(agent))
    if handle or role or level or (before is not None and before.retired):
        require(session, "register", by=session.agent, over=name(agent), data={"agent": agent, **fields})
    home = _team_home(known, name(agent))
    return register(session, agent, by=session.agent or BUS, key=key, mount=home, **fields)


def _team_home(known: Roster, agent: str) -> str:
    """Return the mount where the colleagues of an agent live, if it has one."""
    for home, settings in known.mounts.items():
        prefix = f"{local}/" if (local := text(settings, "prefix").lower()) else ""
        if text(settings, "dialect") in DIALECTS and agent.startswith(prefix):
            colleagues = spec(text(settings, "dialect")).colleagues(agent.removeprefix(prefix))
            if not {prefix + each for each in colleagues}.isdisjoint(known.residents(home)):
                return home
    return ""


def register(session: Session, agent: str, *, by: str = BUS, key: str = "", **fields: object) -> Agent:
    """Register an agent, with the fields that are given: `mount` is a mount where it lives."""
    agent_id = name(agent)
    given = {field: value for field, value in fields.items() if value}
    keys.append(session, draft("agent.registered", by, {"agent": agent, **given}, key=key))
    return _settled(session, agent_id)


def _retired_before(session: Session, first: Event) -> Agent:
    return find_agent(session, keys.field_of(first, "agent.retired", "agent"))


@operation(writes, repeat=_retired_before)
def retire_agent(session: Session, agent: AgentName, *, reason: Reason = "", key: Key = "") -> Agent:
    """Retire an agent. Mail to it is undeliverable from now on; what it said stays."""
    encodable(reason)
    harmless(reason, "reason")
    found = find_agent(session, agent)
    require(session, "retire", by=session.agent, over=found.id)
    if not found.retired:
        # First: if this process dies now, no sender still finds the agent in the roster cache.
        session.view.withhold()
        data: dict[str, object] = {"agent": found.id, "reason": reason}
        keys.append(session, draft("agent.retired", session.agent or BUS, data, key=key))
    return _settled(session, found.id)


def find_agent(session: Session, agent: str) -> Agent:
    """Return an agent, or refuse with names that look like it."""
    agent_id = name(agent)
    known = roster(session)
    if agent_id not in known.agents:
        session.view.insist()
        close = known.nearest(agent_id)
        hint = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists them"
        raise NotFound(f"no agent {agent_id}", "nobody has that name", hint)
    return known.agents[agent_id]


def _settled(session: Session, agent_id: str) -> Agent:
    """Return an agent once its change counts everywhere; senders must not believe the old roster."""
    apply(session)
    session.view.current(LOCK_SECONDS)
    session.view.insist()
    found = session.view.roster().agents.get(agent_id)
    if found is None:
        raise StorageFailed(f"cannot add {agent_id}", "the log was replaced meanwhile", "do it again")
    return _with_autonomy(session, found)


@operation(reads)
def lists(session: Session) -> dict[str, list[str]]:
    """Return the distribution lists, as they are written in the config."""
    return dict(sorted(roster(session).lists.items()))
