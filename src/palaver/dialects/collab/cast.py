"""Who is who in a mount: the two agents, the person, and the words that stand for them.

A -> B:      is the agent that the mount calls `a`, to the one it calls `b`
JEREMY ->    is the person
TEAM         is everyone
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from palaver.dialects.collab import times
from palaver.dialects.collab.grammar import SYSTEM, TEAM, USER
from palaver.model import names
from palaver.model.dialect import Mount
from palaver.model.errors import BadName

#: Who says what the daemon and cron write.
THE_SYSTEM: Final = SYSTEM.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The parties of one mount, and its zone."""

    a: str
    b: str
    person: str
    #: Who drops files into the inbox, if the file does not say.
    dropper: str
    #: Others who may speak here, as the mount names them.
    others: frozenset[str]
    #: Seconds east of Greenwich.
    east: int
    #: Words in small letters, and whom they mean.
    words: Mapping[str, str]

    def address(self, word: str) -> str:
        """Return whom a word of a line means, or refuse a name that is none."""
        found = self.words.get(word.lower()) if word.isascii() else None
        return names.address(word) if found is None else found

    def knows(self, word: str) -> bool:
        """Tell whether the word is a name of this mount, so that a line may well start with it."""
        return word.isascii() and word.lower() in self.words


def cast_of(mount: Mount) -> Cast:
    """Read the settings of a mount; what is missing or cannot be a name is as usual."""
    return _cast(tuple(sorted(mount.settings.items())))


@lru_cache(maxsize=64)
def _cast(items: tuple[tuple[str, str], ...]) -> Cast:
    """Read settings once: whoever writes a message reads them several times."""
    settings = dict(items)
    a = _name(settings, "a", "a")
    b = _name(settings, "b", "b")
    person = _name(settings, "person", USER.lower())
    others = frozenset(_names(settings.get("others", "")))
    words = {"a": a, "b": b, USER.lower(): person}
    words |= {name: name for name in (*others, THE_SYSTEM, a, b, person)}
    words[TEAM.lower()] = names.EVERYONE
    return Cast(
        a=a,
        b=b,
        person=person,
        dropper=_name(settings, "inbox-from", a),
        others=others,
        east=times.offset(settings.get("timezone", "")),
        words=MappingProxyType(words),
    )


def written(address: str) -> str:
    """Return how a line calls somebody: the short name in capitals."""
    if address == names.EVERYONE:
        return TEAM
    mark = "@" if address.startswith("@") else ""
    return mark + names.short(address.removeprefix("@")).upper()


def _name(settings: Mapping[str, str], setting: str, usual: str) -> str:
    found = _names(settings.get(setting, ""))
    return found[0] if found else usual


def _names(text: str) -> list[str]:
    found: list[str] = []
    for word in text.split(","):
        try:
            found.append(names.name(word.strip()))
        except BadName:
            continue
    return found
