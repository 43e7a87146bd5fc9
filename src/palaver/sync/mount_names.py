"""MountNames across mounts: the same name is the same agent, unless a mount has a prefix of its own."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from palaver.model.message import Message
from palaver.model.names import EVERYONE, name
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.agents.roster import Roster

_MENTION = re.compile(r"(?<![A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9_/-]|\.(?=[A-Za-z0-9]))*)")
_UNNAMED = ("null", "absent")
# What the bus itself noted about a message; it is of no use to who reads it in another mount.
_NOTED = ("assumed", "id", "rule", "mentions", "team")
_OF_THE_PATROL = ("steps", "fence")


class Route(NamedTuple):
    """The names of a message as the log has them, and what they mean for it."""

    sender: str
    to: tuple[str, ...]
    #: Whether one of the recipients means nobody.
    is_lost: bool
    #: Whether it must still stand in another file of its own mount.
    is_onward: bool
    #: The agents that its text mentions.
    mentions: tuple[str, ...] = ()


def find_mentions(body: str) -> list[str]:
    """Return the handles that a text mentions, in lower case."""
    return [f"@{each.lower()}" for each in _MENTION.findall(body)]


class MountNames:
    """The names of one mount, as the rest of the bus knows them."""

    __slots__ = ("_found", "_mounted", "_roster", "_routes")

    def __init__(self, mounted: MountPoint, roster: Roster) -> None:
        """Take the mount and the roster."""
        self._mounted = mounted
        self._roster = roster
        self._found: dict[str, str] = {}
        # The same few speak to the same few, a hundred thousand times.
        self._routes: dict[tuple[object, ...], Route] = {}

    def route(self, message: Message, file: str) -> Route:
        """Return the names of a message that was found in a file of this mount."""
        key = (file, message.sender, message.auth, message.meta.get("to"), *message.to)
        route = self._routes.get(key)
        if route is None:
            route = self._routes[key] = self._resolve(message, file)
        if "@" in message.body and self._mounted.dialect.addressing.mentions_add_recipients:
            return self._with_mentions(route, message, file)
        return route

    def _resolve(self, message: Message, file: str) -> Route:
        addressing = self._mounted.dialect.addressing
        is_team = message.meta.get("to") in _UNNAMED or addressing.everyone_is_mount
        here = f"@{self._mounted.name}"
        to = [here if each == EVERYONE and is_team else self.address(each) for each in message.to]
        return self.reroute(message.replace(sender=self.speaker(message.sender), to=to or [here]), file)

    def reroute(self, message: Message, file: str, mentions: tuple[str, ...] = ()) -> Route:
        """Return the route of a message whose names are those of the log already."""
        lost = any(self._roster.meaning(each).kind == "none" for each in message.to if each != message.sender)
        onward, mount = self._mounted.dialect.onward, self._mounted.mount
        residents = message.replace(to=[each for each in message.to if self.lives_here(each)])
        is_onward = bool(
            # Somebody of this mount must need it: those who live elsewhere have it in their own files.
            onward(message, mount, file) and onward(residents, mount, file)
        )
        return Route(message.sender, tuple(message.to), lost, is_onward, mentions)

    def _with_mentions(self, route: Route, message: Message, file: str) -> Route:
        """Return the route with the agents that the text mentions among the recipients."""
        meanings = (self._roster.meaning(self.address(each)) for each in find_mentions(message.body))
        agents = dict.fromkeys(each.agents[0] for each in meanings if each.kind == "agent")
        agents.pop(route.sender, None)
        mentions = tuple(agents) if self._mounted.dialect.conventions.mentions_need_ack else ()
        here, named = self._mounted.name, {each.removeprefix("@") for each in route.to}
        # If everyone here is meant already, so is who lives here.
        more = [
            each
            for each in agents
            if each not in named and not (here in named and here in self._roster.agents[each].homes)
        ]
        if not more:
            return route._replace(mentions=mentions)
        return self.reroute(message.replace(sender=route.sender, to=[*route.to, *more]), file, mentions)

    def speaker(self, written: str) -> str:
        """Return the agent that speaks under a name here; an alias is the agent it stands for."""
        bare = name(written.removeprefix("@"))
        if self._mounted.prefix:
            return name(f"{self._mounted.prefix}/{bare}")
        known = self._roster.aliases.get(bare, "") if bare not in self._roster.agents else ""
        return name(known.lstrip("@")) if known and known != EVERYONE else bare

    def address(self, written: str) -> str:
        """Return whom an address means here: first in this mount, then everywhere."""
        if written not in self._found:
            self._found[written] = self._resolved(written)
        return self._found[written]

    def forget(self) -> None:
        """Look again: somebody new is there."""
        self._found.clear()
        self._routes.clear()

    def local(self, message: Message, meant: Mapping[str, str], source: str) -> Message:
        """Return a message as it is to be said in this mount: with the names that are used here.

        Whoever was addressed by a handle, a short name or an alias is called by his own name: that is what
        he looks for. `meant` says whom such a name meant when the message was sent. That everyone of the
        mount where it was said (`source`) was meant, too, is no news to those who are elsewhere.
        """
        here = (self._mounted.name, f"@{self._mounted.name}")
        there = f"@{source}" if source != self._mounted.name else ""
        several = {*self._roster.mounts, *self._roster.lists}
        one = {each: agent for each, agent in meant.items() if each.removeprefix("@") not in several}
        to = [each for each in message.to if each != there] or message.to
        named = (EVERYONE if each in here else self.shown(one.get(each, each)) for each in to)
        noted = (*_NOTED, *_OF_THE_PATROL) if "rule" in message.meta else _NOTED
        return message.replace(
            sender=self.shown(message.sender),
            to=list(dict.fromkeys(named)),
            meta={key: value for key, value in message.meta.items() if key not in noted},
        )

    def names_nobody(self, message: Message) -> bool:
        """Tell whether a line named nobody: then it is for everyone here, a worker's for the manager."""
        if self._mounted.dialect.addressing.unaddressed_is_for_lead:
            manager = self._mounted.dialect.residents(self._mounted.mount, ())
            return [self.speaker(each) for each in manager] == message.to and message.sender not in message.to
        return message.to == [f"@{self._mounted.name}"]

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

    def shown(self, full: str) -> str:
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
