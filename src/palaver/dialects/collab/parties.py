"""The parties of a mount: the two agents, the person, and the words that name them.

A -> B:      the agent that the mount calls `a`, to the agent it calls `b`
JEREMY ->    the person
TEAM         everyone
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, timezone
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from palaver.dialects.collab.grammar import SYSTEM, TEAM, USER
from palaver.model import names
from palaver.model.clock_text import offset
from palaver.model.errors import BadName
from palaver.model.mounted_files import Mount

#: The sender of what the daemon and cron write.
THE_SYSTEM: Final = SYSTEM.lower()


# Compared by identity, so that it can be the key of a cache; `parties_of` makes one per mount.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parties:
    """The parties of one mount, and its time zone."""

    a: str
    b: str
    person: str
    #: The sender of a file in the inbox that does not name one.
    dropper: str
    #: Other agents that the mount lists as senders.
    others: frozenset[str]
    zone: timezone
    #: Word in lower case → address.
    words: Mapping[str, str]
    #: Address → name, for those that the mount does not spell in lower case.
    spellings: Mapping[str, str]

    def address(self, word: str) -> str:
        """Return the address that a word in a line means, or raise `BadName`."""
        found = self.words.get(word.lower()) if word.isascii() else None
        return names.address(word) if found is None else found

    @property
    def zone_suffix(self) -> str:
        """Return the zone as the end of an ISO 8601 time."""
        return "Z" if self.zone is UTC else str(self.zone).removeprefix("UTC")

    def called(self, address: str) -> str:
        """Return an address as a sentence names it: as the mount spells it."""
        return self.spellings.get(address, address)

    def written(self, address: str) -> str:
        """Return an address as a line writes it: the short name, as the mount spells it or in capitals."""
        if address == names.EVERYONE:
            return TEAM
        mark = "@" if address.startswith("@") else ""
        bare = address.removeprefix("@")
        return mark + (self.spellings.get(bare) or names.short(bare).upper())

    def knows(self, word: str) -> bool:
        """Return True if the word names a party of this mount."""
        return word.isascii() and word.lower() in self.words


def parties_of(mount: Mount) -> Parties:
    """Return the parties of a mount; a setting that is missing or is not a name has its default."""
    return _parties(tuple(sorted(mount.settings.items())))


@lru_cache(maxsize=64)
def _parties(items: tuple[tuple[str, str], ...]) -> Parties:
    settings = dict(items)
    a = _name(settings, "a", "a")
    b = _name(settings, "b", "b")
    person = _name(settings, "person", USER.lower())
    others = frozenset(_names(settings.get("others", "")))
    words = {"a": a, "b": b, USER.lower(): person}
    words |= {name: name for name in (*others, THE_SYSTEM, a, b, person)}
    words[TEAM.lower()] = names.EVERYONE
    spelled = [text for text in map(settings.get, ("a", "b", "person")) if text and not text.islower()]
    return Parties(
        a=a,
        b=b,
        person=person,
        dropper=_name(settings, "inbox-from", a),
        others=others,
        zone=offset(settings.get("timezone", "")),
        words=MappingProxyType(words),
        spellings=MappingProxyType({text.lower(): text for text in spelled if text.lower() in words}),
    )


def _name(settings: Mapping[str, str], setting: str, default: str) -> str:
    found = _names(settings.get(setting, ""))
    return found[0] if found else default


def _names(text: str) -> list[str]:
    found: list[str] = []
    for word in text.split(","):
        try:
            found.append(names.name(word.strip()))
        except BadName:
            continue
    return found
