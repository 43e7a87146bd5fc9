"""The roster: the agents of a bus, and the agents that an address means.

An address is matched by whole segments, never by prefix. The first match counts: an agent's id, an alias, a
handle (or short name), a list, a mount (all agents registered in it), a role. Mail to a role is shown to all
its agents, and the first that acknowledges it gets it.
"""

from difflib import get_close_matches
from sqlite3 import DatabaseError
from typing import NamedTuple

from palaver.model.errors import AmbiguousName, BadName
from palaver.model.event import Event, table, text, texts
from palaver.model.names import BUS, EVERYONE, address, name, role, short
from palaver.model.plain import dumps, loads
from palaver.views.query import Query, typed


class Agent(NamedTuple):
    """An agent, as the log knows it."""

    number: int
    id: str
    name: str
    handle: str
    role: str
    about: str
    declared: bool
    retired: bool
    since: str
    seq: int
    at: str
    sent: int
    #: The mounts where it is registered, in that order.
    homes: list[str]
    #: How freely it may act, where that is asked for: the roster does not know.
    autonomy: str = ""

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        return (*self[: len(COLUMNS) - 1], " ".join(self.homes))

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        fields = {
            name: value for name, value in self._asdict().items() if name not in ("number", "seq", "at")
        }
        return {**fields, "last_seq": self.seq, "last_at": self.at}


COLUMNS = Agent._fields[:-1]
# The types of the columns: flags are numbers, and the list of mounts is a text.
_KINDS = [int if kind in (int, bool) else str for kind in [*Agent.__annotations__.values()][:-1]]


class Meaning(NamedTuple):
    """What an address means: its kind (agent, list, mount, role, all, none), and the agents' ids."""

    kind: str
    agents: list[str]
    #: Why it means no agent, for the kind `none`.
    why: str = ""
    #: Of a list, the members that mean no agent, and why.
    lost: tuple[tuple[str, str], ...] = ()


class Recipients(NamedTuple):
    """The agents that a message reaches, each with the address and its kind; and undeliverable addresses."""

    reached: dict[str, tuple[str, str]]
    #: The addresses that mean no agent, and why.
    unreached: list[tuple[str, str]]


def settings_in_force(db: Query) -> dict[str, object]:
    """Return the settings in force, empty before the first config."""
    for value in _stored_settings(db):
        return _parsed(value)
    return {}


def _stored_settings(db: Query) -> list[str]:
    return [value for (value,) in db.execute("select value from setting where name = 'config'")]


def _parsed(value: str) -> dict[str, object]:
    try:
        data = loads(value)
    except ValueError:
        data = None
    if type(data) is not dict:
        # We write it as an object, so the view is damaged.
        raise DatabaseError("the settings cannot be read")
    return data


class Roster:
    """All agents, aliases and lists of one moment."""

    def __init__(self, db: Query | None = None) -> None:
        """Start from what the view holds."""
        self.agents: dict[str, Agent] = {}
        self.aliases: dict[str, str] = {}
        self.lists: dict[str, list[str]] = {}
        self.mounts: dict[str, dict[str, object]] = {}
        #: The settings in force, as they are stored, and parsed.
        self.settings = ""
        self.config: dict[str, object] = {}
        #: Whether the meaning of an address may have changed.
        self.changed = False
        #: The agents whose rows are not written yet.
        self.dirty: set[str] = set()
        self._meanings: dict[str, Meaning] = {}
        if db is not None:
            for row in db.execute(f"select {', '.join(COLUMNS)} from agent order by number"):
                # A damaged view may hold anything.
                *fields, homes = typed(row, _KINDS)
                found = Agent._make([*fields, homes.split(), ""])
                self.agents[found.id] = found._replace(
                    declared=bool(found.declared), retired=bool(found.retired)
                )
            for value in _stored_settings(db):
                self._configure(value)

    def copy(self) -> "Roster":
        """Return a roster that can be changed without changing this one."""
        twin = Roster()
        twin.agents, twin.aliases, twin.lists = dict(self.agents), self.aliases, self.lists
        twin.mounts, twin.settings, twin.config = self.mounts, self.settings, self.config
        return twin

    # --- changes by events ---

    def seen(self, agent_id: str, event: Event) -> None:
        """Note that an agent sent something; the sender of a message is registered by it."""
        agent = self.agents.get(agent_id)
        if agent is None:
            agent = self._new(agent_id, event)
            if agent is None:
                return
        if event.actor == BUS and agent_id != BUS:
            # The bus sent it in the agent's name, which is no activity of the agent.
            return
        self.agents[agent_id] = agent._replace(sent=agent.sent + 1, seq=event.seq, at=event.timestamp)
        self.dirty.add(agent_id)

    def registered(self, event: Event) -> None:
        """Apply `agent.registered`."""
        data = event.data
        shown = text(data, "agent")
        agent = self.agents.get(shown.lower()) or self._new(shown, event)
        if agent is None:
            return
        mount = text(data, "mount")
        self._put(
            agent._replace(
                declared=True,
                retired=False,
                handle=text(data, "handle") or agent.handle,
                role=text(data, "role") or agent.role,
                about=text(data, "about") or agent.about,
                homes=[*agent.homes, mount] if mount and mount not in agent.homes else agent.homes,
            )
        )

    def retired(self, event: Event) -> None:
        """Apply `agent.retired`."""
        agent = self.agents.get(text(event.data, "agent").lower())
        if agent is not None:
            self._put(agent._replace(retired=True))

    def configured(self, event: Event) -> None:
        """Apply `config.applied`."""
        self._configure(dumps(event.data))
        self.changed = True
        self._meanings.clear()

    def _configure(self, value: str) -> None:
        self.settings = value
        self.config = data = _parsed(value)
        self.aliases = {key: v for key, v in table(data, "alias").items() if type(v) is str}
        lists = table(data, "lists")
        self.lists = {key: texts(lists, key) for key in lists}
        mounts = table(data, "mounts")
        self.mounts = {key: table(mounts, key) for key in mounts}

    def _new(self, shown: str, event: Event) -> Agent | None:
        try:
            agent_id = name(shown)
        except BadName:
            return None
        agent = Agent(
            number=len(self.agents) + 1,
            id=agent_id,
            name=shown,
            handle=short(agent_id),
            role=role(agent_id),
            about="",
            declared=False,
            retired=False,
            since=event.timestamp,
            seq=event.seq,
            at="",
            sent=0,
            homes=[],
        )
        self._put(agent)
        return agent

    def _put(self, agent: Agent) -> None:
        self.agents[agent.id] = agent
        self.changed = True
        self.dirty.add(agent.id)
        self._meanings.clear()

    # --- queries ---

    def meaning(self, written: str) -> Meaning:
        """Return the meaning of an address; never raise, because the log may contain anything."""
        found = self._meanings.get(written)
        if found is None:
            found = self._meanings[written] = self._find(written)
        return found

    def recipients(self, sender: str, to: list[str]) -> Recipients:
        """Return the agents that the addresses of a message mean; a group does not mean its own sender."""
        reached: dict[str, tuple[str, str]] = {}
        unreached: list[tuple[str, str]] = []
        for written in to:
            meaning = self.meaning(written)
            unreached += meaning.lost if meaning.kind == "list" else ()
            if meaning.kind == "none":
                unreached.append((written, meaning.why))
                continue
            many = meaning.kind != "agent"
            for agent_id in meaning.agents:
                if not many or agent_id != sender:
                    reached.setdefault(agent_id, (written, meaning.kind))
            if many and not reached and meaning.kind != "mount":
                unreached.append((written, "nobody else is there"))
        return Recipients(reached, unreached)

    def resolve(self, written: str) -> Meaning:
        """Return the meaning of an address; refuse one that fits two agents."""
        found = self.meaning(written)
        if found.kind == "none" and found.agents:
            full = ", ".join(found.agents)
            raise AmbiguousName(f"cannot tell whom '{written}' means", f"it fits {full}", "use the full name")
        return found

    def nearest(self, written: str, *, roles: bool = False) -> list[str]:
        """Return the names closest to a misspelt one; with `roles` those of roles too."""
        live = self.live()
        known = {agent.id: agent.id for agent in live} | {agent.handle: agent.id for agent in live}
        known |= {listed: listed for listed in (*self.lists, *self.mounts)}
        groups = sorted({agent.role for agent in live if agent.role}) if roles else []
        known |= {word: group for group in groups for word in (short(group), group)}
        close = get_close_matches(written.lower().lstrip("@"), sorted(known), n=5, cutoff=0.6)
        # A name that is close itself comes before one that is known by a close handle.
        rank = {match: place for place, match in enumerate(close)}
        return sorted({known[match] for match in close}, key=lambda name: rank.get(name, len(close)))[:3]

    def bells(self, agent_id: str) -> list[str]:
        """Return every address, as it might be written, by which mail reaches this agent."""
        found = [written for written in self.addresses() if agent_id in self.meaning(written).agents]
        return found or [agent_id]

    def live(self) -> list[Agent]:
        """Return the agents that are not retired."""
        return [agent for agent in self.agents.values() if not agent.retired]

    def addresses(self) -> list[str]:
        """Return every address that means an agent, without `@`."""
        wanted = {EVERYONE}
        for agent in self.agents.values():
            wanted |= {agent.id, agent.handle, short(agent.id), agent.role, role(agent.id)}
        wanted |= set(self.aliases) | set(self.lists) | set(self.mounts)
        wanted.discard("")
        return sorted(w for w in wanted if self.meaning(w).kind != "none")

    def residents(self, mount: str) -> list[str]:
        """Return the agents registered in a mount."""
        return [agent.id for agent in self.live() if mount in agent.homes]

    def _find(self, written: str) -> Meaning:
        try:
            known_as = self._known_as(address(written))
        except BadName as bad:
            return Meaning("none", [], bad.why)
        if direct := self._by_name(known_as):
            return direct
        if known_as in self.lists:
            return self._by_list(known_as)
        if known_as in self.mounts:
            # A mount without agents still has its files.
            return Meaning("mount", self.residents(known_as))
        return self._by_role(known_as)

    def _known_as(self, wanted: str) -> str:
        """Return an address without its `@`, or what it is an alias of; an agent's id is never an alias."""
        bare = wanted.lstrip("@")
        if wanted != EVERYONE and bare not in self.agents:
            wanted = self.aliases.get(bare, bare)
        return wanted if wanted == EVERYONE else wanted.lstrip("@")

    def _by_name(self, known_as: str) -> Meaning | None:
        if known_as == EVERYONE:
            everyone = [agent.id for agent in self.live()]
            return Meaning("all", everyone) if everyone else Meaning("none", [], "there is nobody yet")
        agent = self.agents.get(known_as)
        if agent is None:
            return self._by_handle(known_as)
        if agent.retired:
            return Meaning("none", [], "it is retired")
        # The address of a role may have an agent of its own, beside those in the role.
        others = self._by_role(agent.id).agents if "/" in agent.id else []
        return Meaning("role", [agent.id, *others]) if others else Meaning("agent", [agent.id])

    def _by_handle(self, bare: str) -> Meaning | None:
        fits = [agent.id for agent in self.live() if bare in (agent.handle, short(agent.id))]
        if len(fits) == 1:
            return Meaning("agent", fits)
        return Meaning("none", fits, "it fits more than one agent") if fits else None

    def _by_list(self, bare: str) -> Meaning:
        agents: dict[str, None] = {}
        lost: dict[str, str] = {}
        done: set[str] = set()
        # A list may name lists, and those may name it: each name is looked at once, in order.
        waiting = [bare]
        while waiting:
            each = waiting.pop()
            if each in done:
                continue
            done.add(each)
            direct = self._by_name(each)
            if direct is None and each in self.lists:
                waiting += [self._known_as(member) for member in reversed(self.lists[each])]
                continue
            found = direct or self._by_role(each)
            if found.kind == "none":
                lost[each] = f"{found.why}; it is a member of {bare}"
            agents.update(dict.fromkeys(found.agents if found.kind != "none" else ()))
        if agents:
            return Meaning("list", list(agents), lost=tuple(lost.items()))
        why = f"it has no member that exists ({', '.join(lost)})" if lost else "the list is empty"
        return Meaning("none", [], why, tuple(lost.items()))

    def _by_role(self, bare: str) -> Meaning:
        fits = [agent.id for agent in self.live() if bare in (agent.role, role(agent.id))]
        return Meaning("role", fits) if fits else Meaning("none", [], "no such agent")
