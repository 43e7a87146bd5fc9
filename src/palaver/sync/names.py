"""Names across mounts: the same name is the same agent, unless a mount has a prefix of its own.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Iterable, Mapping

from palaver.model.message import Message
from palaver.model.names import EVERYONE, name
from palaver.model.value import Value
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.agents.roster import Roster

_MENTION = r"(?<![A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9_/-]|\.(?=[A-Za-z0-9]))*)"
_UNNAMED = ("null", "absent")
# What the bus itself noted about a message; it is of no use to who reads it in another mount.
_NOTED = ("assumed", "id", "rule", "mentions", "team")
_OF_THE_PATROL = ("steps", "fence")


class Route(Value):
    """Who speaks to whom, as the log has it; and what that means for the message."""

    __slots__ = ("lost", "onward", "sender", "to")

    def __init__(self, sender: str, to: list[str], *, lost: bool, onward: bool) -> None:
        """Take who speaks to whom.

        `lost` says that one of them means nobody, `onward` that it must still stand in another file of its
        own mount.
        """
        self.sender = sender
        self.to = to
        self.lost = lost
        self.onward = onward


class Names:
    """The names of one mount, as the rest of the bus knows them."""

    __slots__ = ("_file", "_found", "_mounted", "_roster", "_routes", "version")

    def __init__(self, mounted: MountPoint, roster: Roster, file: str = "") -> None:
        """Take the mount, who there is, and the file that messages are found in."""
        self._mounted = mounted
        self._roster = roster
        self._file = file
        self._found: dict[str, str] = {}
        # The same few speak to the same few, a hundred thousand times.
        self._routes: dict[tuple[object, ...], Route] = {}
        #: Goes up when what was found of names no longer holds.
        self.version = 0

    def settle(self, message: Message) -> Route:
        """Put the names of a message that was found in this mount into the form that the log has."""
        key = parties(message)
        route = self._routes.get(key)
        if route is None:
            route = self._routes[key] = self._route(message)
        message.sender, message.to = route.sender, list(route.to)
        if "@" in message.body and self.are_mentioned:
            self._add_mentioned(message)
            if message.to != route.to:
                return self.judged(message)
        return route

    def settled(self, key: tuple[object, ...]) -> Route | None:
        """Return what such names were settled to; None if nobody has asked yet, or somebody new is there."""
        return self._routes.get(key)

    @property
    def are_mentioned(self) -> bool:
        """Tell whether a text can name recipients here."""
        return self._mounted.dialect.addressing.mentions_add_recipients

    def _route(self, message: Message) -> Route:
        unnamed = message.meta.get("to") in _UNNAMED or self._mounted.dialect.addressing.everyone_is_mount
        here = f"@{self._mounted.name}"
        message.sender = self.speaker(message.sender)
        message.to = [
            here if each == EVERYONE and unnamed else self.address(each) for each in message.to
        ] or [here]
        return self.judged(message)

    def judged(self, message: Message) -> Route:
        """Return what the recipients of a message mean for it."""
        lost = any(self._roster.meaning(each).kind == "none" for each in message.to if each != message.sender)
        onward = self._mounted.dialect.onward
        is_onward = bool(
            # Somebody of this mount must need it: those who live elsewhere have it in their own files.
            onward(message, self._mounted.mount, self._file)
            and onward(self._for_residents(message), self._mounted.mount, self._file)
        )
        return Route(message.sender, message.to, lost=lost, onward=is_onward)

    def speaker(self, written: str) -> str:
        """Return the agent that speaks under a name here; an alias is the agent it stands for."""
        bare = name(written.removeprefix("@"))
        if self._mounted.prefix:
            return name(f"{self._mounted.prefix}/{bare}")
        known = self._roster.aliases.get(bare, "") if bare not in self._roster.agents else ""
        return name(known.lstrip("@")) if known and known != EVERYONE else bare

    def address(self, written: str) -> str:
        """Return whom an address means here: first in this mount, then everywhere."""
        found = self._found.get(written)
        if found is None:
            found = self._found[written] = self._resolved(written)
        return found

    def forget(self) -> None:
        """Look again: somebody new is there."""
        self._found.clear()
        self._routes.clear()
        self.version += 1

    def local(self, message: Message, meant: Mapping[str, str], source: str) -> Message:
        """Return a message as it is to be said in this mount: with the names that are used here.

        Whoever was addressed by a handle, a short name or an alias is called by his own name: that is what
        he looks for. `meant` says whom such a name meant when the message was sent. That everyone of the
        mount where it was said (`source`) was meant, too, is no news to those who are elsewhere.
        """
        said = _copy(message)
        said.sender = self._short(message.sender)
        here = (self._mounted.name, f"@{self._mounted.name}")
        there = f"@{source}" if source != self._mounted.name else ""
        several = {*self._roster.mounts, *self._roster.lists}
        one = {each: agent for each, agent in meant.items() if each.removeprefix("@") not in several}
        to = [each for each in message.to if each != there] or message.to
        named = (EVERYONE if each in here else self._short(one.get(each, each)) for each in to)
        said.to = list(dict.fromkeys(named))
        noted = (*_NOTED, *_OF_THE_PATROL) if "rule" in message.meta else _NOTED
        said.meta = {key: value for key, value in message.meta.items() if key not in noted}
        return said

    def shown(self, agent: str) -> str:
        """Return what an agent is called in this mount."""
        return self._short(agent) if agent else ""

    def names_nobody(self, message: Message) -> bool:
        """Tell whether a line named nobody: then it is for everyone here, a worker's for the manager."""
        if self._mounted.dialect.addressing.unaddressed_is_for_lead:
            manager = self._mounted.dialect.residents(self._mounted.mount, ())
            return [self.speaker(each) for each in manager] == message.to and message.sender not in message.to
        return message.to == [f"@{self._mounted.name}"]

    def _for_residents(self, message: Message) -> Message:
        """Return a message as if it were only for those of its recipients who live in this mount."""
        said = _copy(message)
        said.to = [each for each in message.to if self.lives_here(each)]
        return said

    def agents(self, addresses: Iterable[str]) -> set[str]:
        """Return the agents whom addresses name one by one."""
        meanings = (self._roster.meaning(each) for each in addresses)
        return {each.agents[0] for each in meanings if each.kind == "agent"}

    def lives_here(self, address: str) -> bool:
        """Tell whether an address means somebody of this mount."""
        agents = self._roster.meaning(address).agents
        return any(self._mounted.name in self._roster.agents[each].homes for each in agents)

    def _resolved(self, written: str) -> str:
        prefix = self._mounted.prefix
        if written == EVERYONE:
            return written
        bare = written.removeprefix("@")
        if prefix and f"{prefix}/{bare}" in self._roster.agents:
            return f"{prefix}/{bare}"
        if self._roster.meaning(written).kind != "none":
            return written
        return self._stranger(bare) or (f"{prefix}/{bare}" if prefix else written)

    def _stranger(self, bare: str) -> str:
        """Return whom a name with the name of his mount before it means: `t1/td` is the td of t1."""
        home, _, local = bare.partition("/")
        settings = self._roster.mounts.get(home)
        if not settings or not local:
            return ""
        prefix = settings.get("prefix")
        full = f"{prefix}/{local}" if prefix else local
        known = self._roster.agents.get(full)
        return full if known and home in known.homes else ""

    def _short(self, full: str) -> str:
        """Return what somebody is called here; a stranger is not called like one of us."""
        bare = full.removeprefix("@")
        prefix = self._mounted.prefix
        if not prefix:
            return full
        if bare.startswith(f"{prefix}/"):
            return bare.removeprefix(f"{prefix}/")
        known = self._roster.agents.get(bare)
        if known and known.homes and f"{prefix}/{bare}" in self._roster.agents:
            return f"{known.homes[0]}/{bare}"
        return full

    def _add_mentioned(self, message: Message) -> None:
        """Let those whom the text names have it, too; note them where they are to acknowledge it."""
        # Most messages mention nobody; what it takes to find out is loaded by the first that may.
        from re import findall

        named = {each.removeprefix("@") for each in message.to}
        meanings = [
            self._roster.meaning(self.address(f"@{each.lower()}")) for each in findall(_MENTION, message.body)
        ]
        found = dict.fromkeys(each.agents[0] for each in meanings if each.kind == "agent")
        found.pop(message.sender, None)
        if found and self._mounted.dialect.conventions.mentions_need_ack:
            message.meta = {**message.meta, "mentions": list(found)}
        for agent in found:
            if agent in named:
                continue
            if named & {self._mounted.name} and self._mounted.name in self._roster.agents[agent].homes:
                # Everyone here is meant already.
                continue
            message.to.append(agent)
            named.add(agent)


def parties(message: Message) -> tuple[object, ...]:
    """Return all of a message as it was found that its names depend on, but for its text."""
    return (message.sender, message.auth, message.meta.get("to") if message.meta else None, *message.to)


def _copy(message: Message) -> Message:
    said = Message.__new__(Message)
    for field in Message.__slots__:
        setattr(said, field, getattr(message, field))
    return said
