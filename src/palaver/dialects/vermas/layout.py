"""Where vermas keeps what, and how its files are known."""

from collections.abc import Iterable

from palaver.dialects.vermas import grammar
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Mount, Watched

#: `feed.jsonl` and `events/` hold the same events again, for readers; they are not read.
WATCHED = (
    Watched(".work", "messages.jsonl", Growth.LOG),
    Watched(".work", "work_orders.jsonl", Growth.LOG),
    Watched(".work", "events.jsonl", Growth.LOG),
    Watched(".work", ".assignment-*", Growth.STATE),
)
_NAMES = ("messages.jsonl", "work_orders.jsonl", "events.jsonl", "feed.jsonl")


def files(message: Message, mount: Mount) -> tuple[str, ...]:
    """Return the one file of all mail."""
    assert message.to, mount
    return (grammar.MAIL,)


def assignment_file(agent: str) -> str:
    """Return the file of an agent's assignment: `/` in its address is written as `-`."""
    return f".work/{grammar.ASSIGNMENT}{agent.replace('/', '-')}"


def residents(mount: Mount, files: Iterable[str]) -> tuple[str, ...]:
    """Return the agents that every company has."""
    del mount, files
    return grammar.COMPANY_ROLES


def colleagues(agent: str) -> tuple[str, ...]:
    """Return the agents of a factory that come with any other agent of it."""
    factory, slash, _ = agent.partition("/")
    return tuple(f"{factory}/{role}" for role in grammar.FACTORY_ROLES) if slash else ()


def recognises(path: str, head: bytes) -> int:
    """Return how likely a file is vermas's."""
    folder, _, name = path.rpartition("/")
    at_home = folder.rpartition("/")[2] == ".work"
    if name.startswith(grammar.ASSIGNMENT) or (at_home and name in _NAMES):
        return 3
    line = head.partition(b"\n")[0]
    looks_like = (b'"subject"' in line and b'"body"' in line) or b'"event_type"' in line
    if looks_like or (b'"title"' in line and b'"status"' in line):
        return 2
    return 1 if name in _NAMES else 0
