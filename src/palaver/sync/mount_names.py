"""The names of a mount: the same name is the same agent everywhere, unless the mount has a prefix."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from palaver.model.errors import Refusal
from palaver.model.event import text
from palaver.model.message import WRITTEN, Message
from palaver.model.names import BUS, EVERYONE, name, refuse_secret
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.agents.roster import Roster

_MENTION = re.compile(r"(?<![A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9_/-]|\.(?=[A-Za-z0-9]))*)")
_UNNAMED = ("null", "absent", "empty")
# How much alike a word and a name are if the word is the name, misspelt; and how many names are offered.
_CLOSE = 0.8
_OFFERED = 3
# What the bus itself noted about a message; it is of no use to its readers in another mount.
_NOTED = ("assumed", "broken", "id", "rule", "mentions")
_OF_THE_PATROL = ("steps", "fence")


class Route(NamedTuple):
    """The names of a message as the log has them, and what they mean for it."""

    sender: str
    to: tuple[str, ...]
    #: Whether one of the recipients matches no agent.
    is_lost: bool
    #: Whether it must also be written to another file of its own mount.
    is_onward: bool
    #: The agents that its text mentions.
    mentions: tuple[str, ...] = ()
    #: A name in its text that was meant for an agent, and means nobody.
    stranger: str = ""


def find_mentions(body: str) -> list[str]:
    """Return the handles that a text mentions, in lower case."""
    return [f"@{each.lower()}" for each in _MENTION.findall(body)]


class MountNames:
    """The names of one mount, as the rest of the bus knows them."""

    def __init__(self, mounted: MountPoint, roster: Roster) -> None:
        """Take the mount and the roster."""
        self._mounted = mounted
        self._roster = roster
        # The same few agents write to the same few, a hundred thousand times.
        self._routes: dict[tuple[object, ...], Route] = {}
        self._misspelt: dict[str, list[str]] = {}

    def route(self, message: Message, file: str) -> Route:
        """Return the names of a message that was found in a file of this mount."""
        addressing = self._mounted.dialect.addressing
        key = (file, message.sender, message.auth, message.tag, message.meta.get("to"), *message.to)
        route = self._routes.get(key)
        if route is None:
            here = f"@{self._mounted.name}"
            is_team = message.meta.get("to") in _UNNAMED or addressing.everyone_is_mount
            to = list(map(partial(self.address, everyone=here if is_team else EVERYONE), message.to))
            resolved = message.replace(sender=self.speaker(message.sender), to=to or [here])
            route = self._routes[key] = self.reroute(resolved, file)
        if addressing.mentions_add_recipients and "@" in message.body:
            return self._with_mentions(route, message, file)
        return route

    def reroute(self, message: Message, file: str, mentions: tuple[str, ...] = ()) -> Route:
        """Return the route of a message whose names are those of the log already."""
        is_lost = False
        for each in message.to:
            is_lost = is_lost or (each != message.sender and self._roster.meaning(each).kind == "none")
        return Route(message.sender, tuple(message.to), is_lost, self._is_onward(message, file), mentions)

    def _is_onward(self, message: Message, file: str) -> bool:
        """Return True if an agent of this mount needs a message in another file, too.

        Those that live elsewhere have it in their own files.
        """
        onward, mount = self._mounted.dialect.onward, self._mounted.mount
        if onward is None:
            return False
        residents = [each for each in message.to if self.lives_here(each)]
        return bool(onward(self.local(message.replace(to=residents), {}, mount.name), mount, file))

    def _with_mentions(self, route: Route, message: Message, file: str) -> Route:
        """Return the route with the agents that the text mentions among the recipients."""
        addresses = [self.address(each) for each in find_mentions(message.body)]
        meanings = {each: self._roster.meaning(each) for each in addresses}
        agents = dict.fromkeys(each.agents[0] for each in meanings.values() if each.kind == "agent")
        agents.pop(route.sender, None)
        roles = [each.removeprefix("@") for each, meaning in meanings.items() if meaning.kind == "role"]
        needs_ack = self._mounted.dialect.conventions.mentions_need_ack
        mentions = tuple(agents) if needs_ack else ()
        here, named = self._mounted.name, {each.removeprefix("@") for each in route.to}
        is_for_all, addressed = named == {here}, self._mounted.dialect.addressing.addressed_by_mention
        stranger = self._find_stranger(message) if needs_ack or (is_for_all and addressed) else ""
        if is_for_all and agents and message.act in addressed:
            route = self.reroute(message.replace(sender=route.sender, to=[*agents]), file, mentions)
            return route._replace(stranger=stranger)
        # A message for everyone here is for the residents already.
        more = [
            each
            for each in agents
            if each not in named and not (here in named and here in self._roster.agents[each].homes)
        ]
        more += [each for each in dict.fromkeys(roles) if each not in named]
        if not more:
            return route._replace(mentions=mentions, stranger=stranger)
        longer = message.replace(sender=route.sender, to=[*route.to, *more])
        return self.reroute(longer, file, mentions)._replace(stranger=stranger)

    def _find_stranger(self, message: Message) -> str:
        """Return the first mention that was meant for an agent but names none.

        A line that must name an agent and begins with a mention does so. Elsewhere an @ may be anything, such
        as a decorator in code, unless the word is close to the name of an agent.
        """
        must_name = message.act in self._mounted.dialect.addressing.addressed_by_mention
        for each in find_mentions(message.body):
            if self._roster.meaning(self.address(each)).kind == "none" and (
                (must_name and message.body.lower().startswith(each)) or self.misspelt(each)
            ):
                return each
        return ""

    def misspelt(self, written: str) -> list[str]:
        """Return the names that a word almost is: those that it begins, or else those that it is close to."""
        if written not in self._misspelt:
            word = written.removeprefix("@")
            begun = [agent.id for agent in self._roster.live() if agent.id.startswith(f"{word}-")]
            close = get_close_matches(word, self._roster.nearest(word), cutoff=_CLOSE)
            self._misspelt[written] = sorted(begun)[:_OFFERED] or close
        return self._misspelt[written]

    def speaker(self, written: str) -> str:
        """Return the agent that a name means as a sender here; an alias means its agent."""
        bare = name(written.removeprefix("@"))
        if self._mounted.prefix:
            return name(f"{self._mounted.prefix}/{bare}")
        known = self._roster.aliases.get(bare, "") if bare not in self._roster.agents else ""
        return name(known.lstrip("@")) if known and known != EVERYONE else bare

    def is_known(self, written: str) -> bool:
        """Return True if a name is that of an agent, or of the person that the agents work for."""
        try:
            speaker = self.speaker(written)
        except Refusal:
            return False
        return speaker in self._roster.agents or speaker == text(self._roster.config, "person").lower()

    def address(self, written: str, everyone: str = EVERYONE) -> str:
        """Return the address that is meant here: first one of this mount, then one of the bus."""
        prefix = self._mounted.prefix
        if written == EVERYONE:
            return everyone
        bare = written.removeprefix("@")
        if prefix and f"{prefix}/{bare}" in self._roster.agents:
            return f"{prefix}/{bare}"
        if self._roster.meaning(written).kind != "none":
            return written
        refuse_secret(bare)
        return self._stranger(bare) or (f"{prefix}/{bare}" if prefix else written)

    def _stranger(self, bare: str) -> str:
        """Return the agent whose name is written with that of its mount: `t1/td` is the td of t1."""
        home, _, local = bare.partition("/")
        settings = self._roster.mounts.get(home)
        if not settings or not local:
            return ""
        prefix = settings.get("prefix")
        full = f"{prefix}/{local}" if prefix else local
        known = self._roster.agents.get(full)
        return full if known and home in known.homes else ""

    def forget(self) -> None:
        """Forget the routes, because there is a new agent."""
        self._routes.clear()
        self._misspelt.clear()

    def local(self, message: Message, meant: Mapping[str, str], source: str) -> Message:
        """Return a message as it is to be written in this mount: with the names that are used here.

        An agent that was addressed by a handle, a short name or an alias is called by its own name: that is
        what it looks for. `meant` has the agent that such a name meant when the message was sent. That the
        message was for everyone of the mount where it was found (`source`) is no news elsewhere.
        """
        here = (self._mounted.name, f"@{self._mounted.name}")
        there = f"@{source}" if source != self._mounted.name else ""
        named: dict[str, None] = {}
        for each in [each for each in message.to if each != there] or message.to:
            bare = each.removeprefix("@")
            is_group = bare in self._roster.mounts or bare in self._roster.lists
            named[EVERYONE if each in here else self.shown(each if is_group else meant.get(each, each))] = (
                None
            )
        noted = (*_NOTED, *_OF_THE_PATROL) if "rule" in message.meta else _NOTED
        if there:
            # How it was written there is of no use here.
            noted = (*noted, WRITTEN)
        reason = message.reasoning
        if message.sender == BUS and not reason:
            rule, broken = text(message.meta, "rule"), text(message.meta, "broken")
            reason = self._mounted.dialect.notice_reason(rule, broken)
        return message.replace(
            sender=self.shown(message.sender),
            to=[*named],
            reasoning=reason,
            meta={key: value for key, value in message.meta.items() if key not in noted},
        )

    def shown(self, full: str) -> str:
        """Return what an agent is called here; a stranger is not called like a resident."""
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

    def names_nobody(self, message: Message) -> bool:
        """Return True if a line named no recipient: then it is for everyone here, a worker's for the lead."""
        if self._mounted.dialect.addressing.unaddressed_is_for_lead:
            manager = self._mounted.dialect.residents(self._mounted.mount, ())
            return [self.speaker(each) for each in manager] == message.to and message.sender not in message.to
        return message.to == [f"@{self._mounted.name}"]

    def agents(self, addresses: Iterable[str]) -> set[str]:
        """Return the agents that addresses name one by one, or by their role."""
        meanings = (self._roster.meaning(each) for each in addresses)
        return {agent for each in meanings if each.kind in ("agent", "role") for agent in each.agents}

    def askers(self, message: Message) -> set[str]:
        """Return the agents whose question a message may answer.

        A plain message answers those that it names, an explicit answer everyone that it reaches.
        """
        found = self.agents([*message.to, *find_mentions(message.body)])
        if message.act == "answer":
            found.update(*(self._roster.meaning(each).agents for each in message.to))
        return found

    def reaches(self, message: Message, agent: str) -> bool:
        """Return True if a message was for an agent."""
        return any(agent in self._roster.meaning(each).agents for each in message.to)

    def lives_here(self, address: str) -> bool:
        """Return True if an address means an agent of this mount."""
        agents = self._roster.meaning(address).agents
        return any(self._mounted.name in self._roster.agents[each].homes for each in agents)
