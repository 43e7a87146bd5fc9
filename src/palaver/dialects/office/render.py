"""Messages into lines of an office's log.

A message is written with the tag of its act if this file, sender and recipients may use it, otherwise with
an act tag in the general tag of the desk: `[INFO] by: ada | [DECIDE] We use Redis.` The trailer holds what
the line does not bring back.
"""

import re
from collections.abc import Iterator
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.entry import read_entry
from palaver.dialects.office.grammar import BY_NAME, GENERAL, NATIVE, NONE, Desk, Tag
from palaver.dialects.office.layout import Pen, pen_of
from palaver.dialects.office.parse import parse
from palaver.dialects.shared.act_tag import fits_act_tag, with_act_tag
from palaver.dialects.shared.pieces import Unreadable
from palaver.dialects.shared.trailer import with_trailer
from palaver.dialects.shared.translation import missing_fields
from palaver.model.dialect import Mount, Source
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE, short

#: A tag, and the text for its place.
_Way = tuple[Tag, str]

# What is escaped in a text: the separator of fields, and NUL.
_ESCAPE: Final = "|\0"
_TASK: Final = re.compile(r"[^\s|]+")
# A value inside a line: it contains no separator, and is not `-`.
_VALUE: Final = re.compile(r"(?!-\Z)[^\s|](?:[^|\n\r\0]*[^\s|])?")
# A text that ends the line.
_TAIL: Final = re.compile(r"\{(?:text|idle)\}")
# How much is shown of a text that does not fit into a line.
_SHOWN_CHARS: Final = 2_000


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the line of a message in one file of the mount; parsed, it gives the same message.

    A message that does not fit into a line is shortened, with a note on where to find the rest.
    """
    line = _said(message, mount, path)
    return line if len(line) <= LINE_BYTES else _said(_shortened(message), mount, path)


def _said(message: Message, mount: Mount, path: str) -> bytes:
    pen = pen_of(path, mount)
    way, found = _chosen(message, pen)
    line = f"{_line(message, way, missing_fields(message, found))}\n".encode()
    if len(line) <= LINE_BYTES:
        again = list(parse(Source(path=path, content=line, mount=mount)).messages)
        assert len(again) == 1, line
        assert not missing_fields(message, again[0]), line
    return line


def _chosen(message: Message, pen: Pen) -> tuple[_Way, Message]:
    """Return the first way that expresses act and text, and the message as it is parsed."""
    for way in _ways(message, pen):
        try:
            found, _ = read_entry(_line(message, way, {}), pen)
        except Unreadable:
            continue
        if len(found) == 1 and found[0].act == message.act and found[0].body == message.body:
            return way, found[0]
    raise AssertionError(f"no line expresses {message.plain()}")


def _ways(message: Message, pen: Pen) -> Iterator[_Way]:
    """Yield the ways to write a message, the plainest first; the last one can express every message."""
    desk = pen.desk
    if desk is Desk.NEITHER:
        desk = Desk.MANAGER if message.sender == pen.manager else Desk.WORKER
    task = message.task if fits_act_tag(message.task) else ""
    for tag in _tags(message, desk, pen):
        if task and tag.fields == ("names", "text"):
            yield tag, with_act_tag(message.act, message.body, task)
        yield tag, message.body
        yield tag, with_act_tag(message.act, message.body)
    if not task:
        yield GENERAL[desk], message.body
    yield GENERAL[desk], with_act_tag(message.act, message.body, task)


def _tags(message: Message, desk: Desk, pen: Pen) -> list[Tag]:
    """Return the usable tags of the act: the variant that was read, then the act's own."""
    if desk is Desk.MANAGER and message.sender != pen.manager:
        # Workers take lines with these tags for the manager's word.
        return []
    read = BY_NAME.get(message.tag)
    native = NATIVE.get((desk, message.act))
    known = [tag for tag in (read, native) if tag and tag.act == message.act and tag.desk is desk]
    return [tag for tag in known if (tag.variant or tag is native) and _fits(tag, message)]


def _fits(tag: Tag, message: Message) -> bool:
    """Return True if the template has a field for everything the message needs."""
    if "task" in tag.required and not _TASK.fullmatch(message.task):
        return False
    if tag.desk is Desk.MANAGER and "name" in tag.fields and (len(message.to) != 1 or EVERYONE in message.to):
        return False
    # The general tags express a task with an act tag.
    if tag is GENERAL[tag.desk] and message.task:
        return False
    return tag.text not in ("words", "inactive") or _is_value(message.body)


def _line(message: Message, way: _Way, beside: dict[str, object]) -> str:
    """Fill in the template; the text and the trailer end the line."""
    tag, text = way
    values = _values(message, tag, text)
    head = f"[{message.at or NONE}] [{tag.name}] "
    template = re.sub(r"\[([^\]]*)\]", lambda group: _optional(group[1], values), tag.template)
    fields, *after = _TAIL.split(template)
    head += re.sub(r"\{([a-z?-]+)\}", lambda field: values.get(field[1], NONE), fields)
    if not after:
        trailer = with_trailer("", beside)
        return f"{head} {trailer}" if trailer else head
    if not text and tag.dash:
        text = NONE
    # A quoted entry must not look like a glued one.
    escape = f"{_ESCAPE}[" if grammar.INSIDE.search(text) else _ESCAPE
    tail = with_trailer(text + after[0], beside, escape)
    return head + tail if tail else head.removesuffix(" ")


def _optional(group: str, values: dict[str, str]) -> str:
    return group if all(field in values for field in re.findall(r"\{([a-z?-]+)\}", group)) else ""


def _values(message: Message, tag: Tag, text: str) -> dict[str, str]:
    """Return the value of each field of the template that has one and can be written in a line."""
    task = ""
    if _TASK.fullmatch(message.task):
        task = message.task if message.task.startswith("rework-") else f"task-{message.task}"
    names = [_shown(each) for each in message.to] or ["all"]
    values: dict[str, object] = {
        **{field: message.meta.get(field) for field in tag.fields if grammar.is_extra(field)},
        "task": task,
        "task?": task or "none",
        "tasks": task or "none",
        "name": _shown(message.sender) if tag.desk is Desk.WORKER else names[0],
        "names": ", ".join(names),
        "files": ", ".join(path for path in _paths(message) if _is_value(path)),
        "words": text,
        "inactive": text,
    }
    fit = {field: str(value) for field, value in values.items() if _is_value(value)}
    if text:
        fit["text"] = text
    return fit


def _shown(name: str) -> str:
    return "all" if name == EVERYONE else short(name)


def _paths(message: Message) -> Iterator[str]:
    for file in message.files:
        path = file.get("path")
        if isinstance(path, str):
            yield path


def _is_value(value: object) -> bool:
    """Return True if a value can be written in a line as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return True
    if not isinstance(value, str) or _VALUE.fullmatch(value) is None:
        return False
    return "(palaver" not in value and "] [" not in value


def _shortened(message: Message) -> Message:
    """Return a message shortened to fit into a line."""
    return Message(
        sender=message.sender,
        to=message.to,
        body=f"{message.body[:_SHOWN_CHARS]} … (the whole text: palaver thread {message.id})",
        id=message.id,
        act=message.act,
        subject=message.subject[:_SHOWN_CHARS],
        priority=message.priority,
        task=message.task[:_SHOWN_CHARS],
        run=message.run[:_SHOWN_CHARS],
        reply_to=message.reply_to,
        tag=message.tag,
        at=message.at,
    )
