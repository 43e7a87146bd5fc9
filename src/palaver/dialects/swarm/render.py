"""A message as a line of the channel.

Compact, so that `grep '"from":"architect"'` finds it. The six fields come first, in the protocol's order,
then whatever the six do not bring back. The line is parsed before it is returned, so nothing can be lost.
"""

from collections.abc import Mapping

from palaver.dialects.shared.translation import missing_fields
from palaver.dialects.swarm import content, extra_fields
from palaver.dialects.swarm.grammar import ABSENT, UNNAMED
from palaver.dialects.swarm.parse import parse
from palaver.model.dialect import Mount, Source
from palaver.model.message import Message
from palaver.model.names import EVERYONE, short
from palaver.model.plain import dumps


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the line of a message; the same message gives the same bytes."""
    head = _head(message, mount)
    for kind, text in content.write(message):
        line = head | {"type": kind, "reasoning": message.reasoning or ABSENT, "content": text}
        found = _read(line, mount, path)
        if found is not None and _expresses(found, message):
            break
    else:
        raise AssertionError(f"no content expresses {message!r}")
    meta = {key: value for key, value in message.meta.items() if key not in found.meta}
    missing = missing_fields(message, found)
    if missing or meta:
        line |= extra_fields.written(missing, meta)
        found = _read(line, mount, path)
        assert found is not None, f"cannot read {line!r}"
    assert not missing_fields(message, found), f"{line!r} does not bring back {message!r}"
    return _bytes(line)


def _head(message: Message, mount: Mount) -> dict[str, object]:
    """Return the fields before the type. Names that the mount lists as unique are shortened."""
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


def _expresses(found: Message, message: Message) -> bool:
    """Return True if the content alone brings back act and body, and adds nothing."""
    return (
        found.act == message.act
        and found.body == message.body
        and found.tag in ("", message.tag)
        and all(key in message.meta and message.meta[key] == value for key, value in found.meta.items())
    )


def _read(line: Mapping[str, object], mount: Mount, path: str) -> Message | None:
    """Return what our own parser makes of a line."""
    return next(parse(Source(path=path, content=_bytes(line), mount=mount)).messages, None)


def _bytes(line: Mapping[str, object]) -> bytes:
    return f"{dumps(line)}\n".encode()
