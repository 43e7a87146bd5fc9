"""A message as a line of the channel.

Compact, so that `grep '"from":"architect"'` finds it; the six fields first, in the protocol's order; then
what the six do not give back. What is written is read again before it leaves, so that nothing can be lost.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Mapping

from palaver.dialects.swarm.careful import told
from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.grammar import ABSENT, SIX, UNNAMED
from palaver.dialects.swarm.words import ways
from palaver.model.dialect import Mount, Source
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE, short
from palaver.model.plain import dumps
from palaver.model.translation import FIELDS, lacking, same


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the line of a message; the same message gives the same bytes."""
    head = _head(message, mount)
    for kind, content in ways(message):
        line = head | {"type": kind, "reasoning": message.reasoning or ABSENT, "content": content}
        found = _read(line, mount, path)
        if found is not None and _says(found, message):
            break
    else:
        raise AssertionError(f"no words for {message!r}")
    meta = {key: value for key, value in message.meta.items() if key not in found.meta}
    missing = lacking(message, found)
    if missing or meta:
        from palaver.dialects.swarm import beside

        line |= beside.written(missing, meta)
        found = _read(line, mount, path)
        assert found is not None, f"cannot read {line!r}"
    assert same(message, found), f"{message!r} is not what {line!r} says"
    return _bytes(line)


def _head(message: Message, mount: Mount) -> dict[str, object]:
    """Return the fields before the type. Names that the mount says are unique are written short."""
    unique = mount.settings.get("short", "").split()
    head: dict[str, object] = {"ts": message.at} if message.at else {}
    head["from"] = _name(message.sender, unique)
    unnamed = message.meta.get("to") if message.to == [EVERYONE] else None
    if unnamed not in UNNAMED:
        head["to"] = [f"@{_name(each, unique).removeprefix('@')}" for each in message.to]
    elif unnamed == "null":
        head["to"] = None
    return head


def _name(agent: str, unique: list[str]) -> str:
    return short(agent) if agent in unique else agent


def _says(found: Message, message: Message) -> bool:
    """Tell whether the words alone give the act and the body back, and nothing that was not said."""
    return (
        found.act == message.act
        and found.body == message.body
        and found.tag in ("", message.tag)
        and all(key in message.meta and message.meta[key] == value for key, value in found.meta.items())
    )


def _read(line: Mapping[str, object], mount: Mount, path: str) -> Message | None:
    """Return what our own reader makes of a line.

    JSON gives back a few texts and lists of texts as they are, so of such a line only what it says is read.
    All else is read from its bytes, and what it takes to read those is loaded for it.
    """
    content = _bytes(line)
    if len(content) <= LINE_BYTES and _is_flat(line):
        return told(line, Desk(mount))[0]
    from palaver.dialects.swarm.parse import parse

    return next(parse(Source(path=path, content=content, mount=mount)).messages, None)


def _is_flat(line: Mapping[str, object]) -> bool:
    return len(line) <= len(SIX) + len(FIELDS) and all(
        type(each) is str or (type(each) is list and all(type(part) is str for part in each))
        for each in line.values()
    )


def _bytes(line: Mapping[str, object]) -> bytes:
    return f"{dumps(line)}\n".encode()
