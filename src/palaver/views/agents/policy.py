"""The policy that is in force at a place in the log: what the last `config.applied` before it said."""

from palaver.dialects import conventions
from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.names import BUS, short
from palaver.model.plain import loads
from palaver.model.spec import Conventions
from palaver.views.agents.roster import Roster

_STRICTER = ("refuse", "report", "ignore")


class Policy:
    """What the settings of a roster say about work."""

    __slots__ = ("_config", "_policy", "_roster", "_settings")

    def __init__(self, roster: Roster) -> None:
        """Take the roster, which holds the settings; they are read when they are asked for."""
        self._roster = roster
        self._config = ""
        self._settings: dict[str, object] = {}
        self._policy: dict[str, object] = {}

    def text(self, name: str, event: Event | None = None) -> str:
        """Return a word of the policy; the mount that an event came from may have its own."""
        return self._own(name, event) or text(self._now(), name)

    def number(self, name: str, event: Event | None = None) -> int:
        """Return a number of the policy."""
        own = self._own(name, event)
        return int(own) if own.isdecimal() else number(self._now(), name)

    def flag(self, name: str, event: Event | None = None, *, usual: bool = False) -> bool:
        """Return a yes or no of the policy."""
        everywhere = flag(self._now(), name) if name in self._now() else usual
        return everywhere if event is None else self.own_flag(name, event, usual=everywhere)

    def own_flag(self, name: str, event: Event, *, usual: bool) -> bool:
        """Return what the mount that an event came from says, else what is usual there."""
        own = self._own(name, event)
        return own == "true" if own else usual

    def leads(self) -> frozenset[str]:
        """Return who may do with any task what its owner may."""
        named = [self.text("manager"), *texts(self._now(), "leads")]
        return frozenset(agent for name in named if name for agent in self._roster.meaning(name).agents)

    def leads_for(self, event: Event) -> frozenset[str]:
        """Return the same, with the person who has shown a key, or the bus in its own or a manager's name."""
        if self.is_person(event.actor, event.auth):
            return self.leads() | {event.actor}
        if event.actor != BUS or event.auth != "token":
            return self.leads()
        return self.leads() | {BUS, text(event.data, "from").lower()}

    def is_person(self, actor: str, auth: str) -> bool:
        """Return True if it is the person whose bus this is, with proof: they lead all (docs/adr/0021)."""
        self._now()
        return auth == "token" and actor == text(self._settings, "person").lower() != ""

    def talk(self, agent_id: str) -> str:
        """Return what comes of a task at the wrong time for an agent; of its homes the strictest counts."""
        return self.manners(agent_id) or "report"

    def manners(self, agent_id: str) -> str:
        """Return the same; nothing where neither settings nor a protocol want any."""
        homes = self._homes(agent_id)
        for own in ([text(mount, "talk") for mount in homes], [text(self._now(), "talk")]):
            if said := min(filter(None, own), key=_STRICTER.index, default=""):
                return said
        return "refuse" if any(conventions(mount).refuses_untimely_tasks for mount in homes) else ""

    def side_by_side(self, agent_id: str) -> bool:
        """Return True if a mount where an agent lives declares that tasks run side by side."""
        return any(text(mount, "parallel") == "true" for mount in self._homes(agent_id))

    def heads(self, agent_id: str) -> frozenset[str]:
        """Return who leads where an agent lives: the manager of its office, the director of its swarm."""
        return frozenset(conventions(mount).lead(mount) for mount in self._homes(agent_id)) - {"", agent_id}

    def conventions(self, event: Event) -> Conventions:
        """Return the conventions of the mount that a message came from, or those of mail sent by command."""
        self._now()
        mounts = table(self._settings, "mounts")
        return conventions(table(mounts, text(event.src, "mount")) if event.src is not None else {})

    def misfiled(self, event: Event) -> bool:
        """Return True if a message stands in a file that its protocol gives to somebody else."""
        if event.src is None or event.auth != "claimed":
            return False
        pen, file = self.conventions(event).writer_file, text(event.src, "file")
        own = pen.format(short(text(event.data, "from").lower()))
        folder = pen[: pen.rfind("/") + 1]
        return folder != "" and file.startswith(folder) and file != own

    def _homes(self, agent_id: str) -> list[dict[str, object]]:
        """Return the mounts where an agent lives."""
        agent = self._roster.agents.get(agent_id)
        return [self._roster.mounts.get(home, {}) for home in agent.homes] if agent is not None else []

    def _own(self, name: str, event: Event | None) -> str:
        if event is None or event.src is None:
            return ""
        return text(self._roster.mounts.get(text(event.src, "mount"), {}), name)

    def _now(self) -> dict[str, object]:
        if self._roster.settings != self._config:
            self._config = self._roster.settings
            found = loads(self._config)
            self._settings = found if type(found) is dict else {}
            self._policy = table(self._settings, "policy")
        return self._policy
