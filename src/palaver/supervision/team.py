"""The team: the agents that a patrol looks after, and the agents it can turn to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from palaver.dialects import conventions
from palaver.model.event import text
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """The agents of a bus, by what the config and the mounts say about them."""

    live: frozenset[str] = frozenset()
    retired: frozenset[str] = frozenset()
    #: Agents of mounts where silence is counted in polls of a manager, not in minutes.
    counted_in_polls: frozenset[str] = frozenset()
    #: How the files of such an agent call a task.
    called: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    #: The manager of each worker of an office.
    managers: Mapping[str, str]
    #: Where two agents work as a pair: the other one, and the mount of both.
    partners: Mapping[str, str]
    pair_mounts: Mapping[str, str]
    leads: tuple[str, ...] = ()
    #: The manager that the policy names.
    manager: str = ""
    ceo: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    person: str = ""
    #: Whether work is also taken from an agent whose program the bus does not run.
    releases_unseen: bool = False

    def supervisor(self, agent: str) -> str:
        """Return the supervisor of an agent's factory; empty if there is none."""
        supervisor = f"{agent.partition('/')[0]}/supervisor"
        return supervisor if supervisor in self.live and supervisor != agent else ""

    def decider_over(self, agent: str) -> tuple[str, ...]:
        """Return who decides over an agent: operations, and over operations the CEO."""
        return self.ceo if agent in self.operations else self.operations


def read_team(roster: Roster) -> Team:
    """Return the team as the roster and its settings describe it."""
    person = text(roster.config, "person").lower()
    policy = Policy(roster)
    agents = roster.agents.values()
    live = frozenset(agent.id for agent in agents if not agent.retired)

    def resolve(name: str) -> tuple[str, ...]:
        return tuple(roster.meaning(name).agents) if name else ()

    leads = tuple(sorted(policy.leads()))
    ceo = resolve(policy.text("ceo") or "ceo") or ((person,) if person in live else ()) or leads[:1]
    partners, pair_mounts = _pairs(roster)
    counted_in_polls = frozenset(
        agent.id
        for agent in agents
        if any(conventions(roster.mounts.get(home, {})).counts_polls for home in agent.homes)
    )
    return Team(
        live=live,
        retired=frozenset(agent.id for agent in agents if agent.retired),
        counted_in_polls=counted_in_polls,
        called={agent: policy.called(agent) for agent in counted_in_polls},
        managers=_office_heads(roster, live),
        partners=partners,
        pair_mounts=pair_mounts,
        leads=leads,
        manager=next(iter(resolve(policy.text("manager"))), ""),
        ceo=ceo,
        operations=resolve(policy.text("operations") or "operations") or leads or ceo,
        person=person,
        releases_unseen=policy.text("unseen") == "release",
    )


def _office_heads(roster: Roster, live: frozenset[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for home, mount in roster.mounts.items():
        team = conventions(mount)
        manager = team.lead(mount)
        if team.counts_polls and manager in live:
            workers = [agent.id for agent in roster.agents.values() if home in agent.homes]
            found.update({worker: manager for worker in workers if worker != manager})
    return found


def _pairs(roster: Roster) -> tuple[dict[str, str], dict[str, str]]:
    partners: dict[str, str] = {}
    mounts: dict[str, str] = {}
    for home, mount in roster.mounts.items():
        if pair := conventions(mount).pair(mount):
            one, other = pair
            partners |= {one: other, other: one}
            mounts |= {one: home, other: home}
    return partners, mounts
