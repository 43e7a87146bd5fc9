"""Handles and the agents they name."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from palaver.dialects.swarm.grammar import ALIASES, MENTION
from palaver.model.errors import BadName
from palaver.model.masking.masks import clip
from palaver.model.message import Message
from palaver.model.names import EVERYONE, address

#: A channel names the same few agents again and again.
_REMEMBERED: Final = 4_096


@lru_cache(maxsize=_REMEMBERED)
def agent_of(name: str) -> str:
    """Return the agent that a name without `@` means, or raise `BadName`."""
    found = address(name)
    if found[:1] == "@":
        raise BadName(f"cannot use the name {clip(name, 80)!a}", "no agent has it", "write one agent's name")
    return resolve_alias(found)


def resolve_alias(name: str) -> str:
    """Return the handle for a title that is used as a handle."""
    return ALIASES.get(name, name)


@lru_cache(maxsize=_REMEMBERED)
def agents_of(handles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the agents that handles name, each once, or raise `BadName`."""
    names = [handle.removeprefix("@") for handle in handles]
    return tuple(dict.fromkeys(EVERYONE if name.lower() == "all" else agent_of(name) for name in names))


def named_agents(message: Message) -> list[str]:
    """Return the agents that a message names: as recipients, or in its text."""
    recipients = [each for each in message.to if each != EVERYONE]
    return list(dict.fromkeys([*recipients, *mentioned_agents(message.body)]))


def mentioned_agents(text: str) -> Iterator[str]:
    """Yield the agents that a text mentions by handle."""
    for match in MENTION.finditer(text):
        try:
            agent = agent_of(match[1])
        except BadName:
            continue
        if agent != EVERYONE:
            yield agent
