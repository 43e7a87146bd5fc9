"""Messages into lines of an office's log.

A message is written with the tag of its act if this file, sender and recipients may use it, otherwise with
an act tag in the general tag of the desk: `[INFO] by: ada | [DECIDE] We use Redis.` The trailer holds what
the line does not bring back.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.grammar import BY_NAME, GENERAL, NATIVE, NONE, Desk, Tag
from palaver.dialects.office.layout import OfficeLog, log_of, others
from palaver.dialects.office.parse import ENTRY_INSIDE, read_line
from palaver.dialects.shared.act_tag import with_act_tag
from palaver.dialects.shared.lines import LineEntry, read_back_line
from palaver.dialects.shared.pieces import Unreadable
from palaver.dialects.shared.trailer import with_trailer
from palaver.dialects.shared.translation import render_complete
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.names import EVERYONE, short
from palaver.model.plain import has_hidden

#: What a line must bring back without a trailer.
_WORDS: Final = frozenset(["act", "body"])
# What is escaped in a text: always NUL; if the line would be read as something else, also what begins a
# field or a quoted entry.
_ESCAPES: Final = ("\0", "\0|[")
_TASK: Final = re.compile(r"[^\s|]+")
# A value inside a line: it contains no separator, and is not `-`.
_VALUE: Final = re.compile(r"(?!-\Z)[^\s|](?:[^|\n\r\0]*[^\s|])?")
# A text that ends the line.
_TAIL: Final = re.compile(r"\{(?:text|idle)\}")
# A part of a template that is written only if its field has a value.
_OPTIONAL: Final = re.compile(r"\[([^\]{]*\{([a-z?-]+)\}[^\]]*)\]")
# How much is shown of a text that does not fit into a line.
_SHOWN_CHARS: Final = 2_000


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the line of a message in one file of the mount; parsed, it gives the same message.

    A message that does not fit into a line is shortened, with a note on where to find the rest.
    """
    log = log_of(path, mount)
    message = _without_stop(message, log)
    line = _render(message, log) or _render(_shortened(message), log)
    assert line is not None, f"no line expresses {message!r}"
    return line


def _without_stop(message: Message, log: OfficeLog) -> Message:
    """Return a message without its full stop, if the template ends with one."""
    body = message.body
    tags = _tags(message, _desk(message, log), log) if body.endswith(".") and not body.endswith("..") else []
    return message.replace(body=body[:-1]) if tags and tags[0].template.endswith("{text}.") else message


def _desk(message: Message, log: OfficeLog) -> Desk:
    """Return the desk that a line of the file is written at."""
    if log.desk is not Desk.NEITHER:
        return log.desk
    return Desk.MANAGER if message.sender == log.manager else Desk.WORKER


def _render(message: Message, log: OfficeLog) -> bytes | None:
    """Return the line of a message, None if it is too long."""
    ways = _ways(message, log)
    named = others(message, log.manager) or message.to
    writers = [partial(_line, message, named, tag, text, escape) for tag, text in ways for escape in _ESCAPES]
    read = partial(read_back_line, read=partial(_read_alone, log=log))
    # The plain text informs; what else it might be taken for, the trailer corrects.
    words = _WORDS - {"act"} if message.act == "inform" else _WORDS
    return render_complete(message, writers, read, words)


def _read_alone(line: bytes, log: OfficeLog) -> LineEntry:
    """Read a line; one with an entry in its text must be written with another escape."""
    entry = read_line(line, log)
    if ENTRY_INSIDE in entry.problems:
        raise Unreadable(ENTRY_INSIDE.code, ENTRY_INSIDE.message, ENTRY_INSIDE.fix)
    return entry


def _ways(message: Message, log: OfficeLog) -> Iterator[tuple[Tag, str]]:
    """Yield the ways to write a message, as tags and texts, the plainest first; the last one always works."""
    desk = _desk(message, log)
    tagged = with_act_tag(message.act, message.body, message.task)
    for tag in _tags(message, desk, log):
        if message.task and tag.fields == ("names", "text"):
            yield tag, tagged
        yield tag, message.body
        yield tag, with_act_tag(message.act, message.body)
    if not message.task or message.act == "inform":
        yield GENERAL[desk], message.body
    yield GENERAL[desk], tagged


def _tags(message: Message, desk: Desk, log: OfficeLog) -> list[Tag]:
    """Return the usable tags of the act: the variant that was read, then the act's own."""
    if desk is Desk.MANAGER and message.sender != log.manager:
        # Workers take lines with these tags for the manager's word.
        return []
    read = BY_NAME.get(message.tag)
    native = NATIVE.get((desk, message.act))
    known = [tag for tag in (read, native) if tag and tag.act == message.act and tag.desk is desk]
    return [tag for tag in known if (tag.variant or tag is native) and _fits(tag, message)]


def _fits(tag: Tag, message: Message) -> bool:
    """Return True if the template has a field for everything the message needs."""
    if "task" in tag.required and not _can_be_called(message.task):
        return False
    if tag.desk is Desk.MANAGER and "name" in tag.fields and (len(message.to) != 1 or EVERYONE in message.to):
        return False
    # The general tags express a task with an act tag.
    if tag is GENERAL[tag.desk] and message.task:
        return False
    return tag.text not in ("words", "inactive") or _is_value(message.body)


def _line(  # noqa: PLR0917 - the message, how it is written, and what is written beside it
    message: Message, named: list[str], tag: Tag, text: str, escape: str, beside: dict[str, object]
) -> bytes:
    """Fill in the template; the text and the trailer end the line. The manager's inbox names the others."""
    values = _values(message, named, tag, text)
    template = _OPTIONAL.sub(lambda group: group[1] if group[2] in values else "", tag.template)
    fields, *after = _TAIL.split(template)
    head = f"[{message.at or NONE}] [{tag.name}] "
    head += grammar.FIELD.sub(lambda field: values.get(field[1], NONE), fields)
    if not after:
        trailer = with_trailer("", beside)
        return f"{head} {trailer}\n".encode() if trailer else f"{head}\n".encode()
    if not text and tag.dash:
        text = NONE
    tail = with_trailer(text + after[0], beside, escape)
    return f"{head}{tail}\n".encode() if tail else f"{head.removesuffix(' ')}\n".encode()


def _values(message: Message, named: list[str], tag: Tag, text: str) -> dict[str, str]:
    """Return the value of each field of the template that has one and can be written in a line."""
    task = grammar.called(message.task) if _can_be_called(message.task) else ""
    names = ["all" if to == EVERYONE else short(to) for to in named] or ["all"]
    paths = [str(file.get("path", "")) for file in message.files]
    values: dict[str, object] = {
        **{field: message.meta.get(field) for field in tag.fields if field not in grammar.CORE_FIELDS},
        "task": task,
        "task?": task or "none",
        "tasks": task or "none",
        "name": short(message.sender) if tag.desk is Desk.WORKER else names[0],
        "names": ", ".join(names),
        "files": ", ".join(path for path in paths if _is_value(path)),
        "words": text,
        "inactive": text,
    }
    fit = {field: str(value) for field, value in values.items() if _is_value(value)}
    return fit | {"text": text} if text else fit


def _can_be_called(task: str) -> bool:
    """Return True if a line can name a task."""
    return _TASK.fullmatch(task) is not None and not has_hidden(task)


def _is_value(value: object) -> bool:
    """Return True if a value can be written in a line as it is."""
    if type(value) is int:
        return True
    if type(value) is not str or _VALUE.fullmatch(value) is None or has_hidden(value):
        return False
    return "(palaver" not in value and "] [" not in value


def _shortened(message: Message) -> Message:
    """Return a message shortened to fit into a line."""
    return message.replace(
        body=f"{message.body[:_SHOWN_CHARS]} … (the whole text: palaver thread {message.id})",
        subject=message.subject[:_SHOWN_CHARS],
        task=message.task[:_SHOWN_CHARS],
        run=message.run[:_SHOWN_CHARS],
        reasoning="",
        files=[],
        artifacts=[],
        meta={},
    )
