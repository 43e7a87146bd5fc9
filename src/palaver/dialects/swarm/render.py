"""A message as a line of the channel.

Compact, so that `grep '"from":"architect"'` finds it. The six fields come first, in the protocol's order,
then whatever the six do not bring back. The line is parsed before it is returned, so nothing can be lost.
"""

from functools import partial
from typing import Final

from palaver.dialects.shared.lines import read_back_line
from palaver.dialects.shared.translation import render_complete
from palaver.dialects.swarm import act_text, extra_fields
from palaver.dialects.swarm.grammar import ABSENT, NO_REASON, UNNAMED
from palaver.dialects.swarm.layout import director_of
from palaver.dialects.swarm.parse import read_line
from palaver.dialects.swarm.record import unnamed_form
from palaver.model.message import WRITTEN, Message
from palaver.model.mounted_files import Mount
from palaver.model.names import EVERYONE, short
from palaver.model.plain import dumps

#: What the type and the content must bring back.
_WORDS: Final = frozenset(["act", "body"])


def render(message: Message, mount: Mount, path: str) -> bytes:  # noqa: ARG001 - there is one file
    """Return the line of a message; the same message gives the same bytes."""
    head = _head(message, mount)
    if typed := _typed(message, mount):
        return f"{dumps(head | typed)}\n".encode()
    reasoning = message.reasoning or NO_REASON
    writers = (partial(_line, head, reasoning, *way) for way in act_text.write(message))

    director = director_of(mount)

    def read(content: bytes) -> Message | None:
        found = read_back_line(content, partial(read_line, director=director))
        return found if found and _adds_nothing(found, message) else None

    line = render_complete(message, writers, read, _WORDS)
    assert line is not None, f"no content expresses {message!r}"
    return line


def _typed(message: Message, mount: Mount) -> dict[str, object]:
    """Return the fields of a line that was typed for this channel; none if it was not."""
    match message.meta.get(WRITTEN):
        case {"mount": mount.name, "to": to, "type": str(kind), "opening": str(opening)} if mount.name:
            said = {"reasoning": message.reasoning or ABSENT[0], "content": f"{opening}{message.body}"}
            return {"to": to, "type": kind, **said}
        case _:
            return {}


def _line(head: dict[str, object], reasoning: str, kind: str, text: str, beside: dict[str, object]) -> bytes:
    fields = head | {"type": kind, "reasoning": reasoning, "content": text}
    if beside:
        said = act_text.read(kind, text, is_director=False).meta
        if unnamed := unnamed_form(head):
            said = said | {"to": unnamed}
        fields |= extra_fields.written(beside, said)
    return f"{dumps(fields)}\n".encode()


def _adds_nothing(found: Message, message: Message) -> bool:
    """Return True if a content means no tag and no `meta` that the message does not have."""
    meta = message.meta
    known = all(key in meta and meta[key] == value for key, value in found.meta.items())
    return known and found.tag in ("", message.tag)


def _head(message: Message, mount: Mount) -> dict[str, object]:
    """Return the fields before the type. Names that the mount lists as unique are shortened."""
    unique = mount.settings.get("short", "").split()
    head: dict[str, object] = {"ts": message.at} if message.at else {}
    head["from"] = _name(message.sender, unique)
    unnamed = message.meta.get("to") if message.to == [EVERYONE] else None
    if unnamed not in UNNAMED:
        head["to"] = [f"@{_name(each, unique).removeprefix('@')}" for each in message.to]
    elif unnamed != "absent":
        head["to"] = [] if unnamed == "empty" else None
    return head


def _name(agent: str, unique: list[str]) -> str:
    return short(agent) if agent in unique else agent
