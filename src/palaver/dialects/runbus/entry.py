"""One message from its parts: the fields of front matter and a text, or a line in one of the older forms."""

import re
from functools import lru_cache
from typing import Final

from palaver.dialects.runbus import body as body_text
from palaver.dialects.runbus import grammar, one_line
from palaver.dialects.runbus.blocks import BlockSpan
from palaver.dialects.runbus.extra_fields import restore_fields
from palaver.dialects.runbus.front_matter import Fields, listed, read_fields, scalar
from palaver.dialects.shared.act_tag import read_act_tag
from palaver.dialects.shared.pieces import Problem, Unreadable, decode
from palaver.dialects.shared.translation import read_sender
from palaver.model.clock_text import is_plausible, to_utc
from palaver.model.limits import LINE_BYTES
from palaver.model.masking.masks import clip
from palaver.model.message import WORDLESS, Message
from palaver.model.mounted_files import Provenance
from palaver.model.names import EVERYONE

_PARENT: Final = re.compile(r"(?:msg_id[ \t]*:[ \t]*)?[\"']?([A-Za-z0-9][A-Za-z0-9._-]*)")
_DATE: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})( ?(?:[A-Za-z]+|[+-][0-9:]+)?)")
_ABSENT: Final = ("", "")
#: Key of a pair in an older line → field.
_PAIRS: Final = {"agent": "agent", "from": "agent", "task": "task", "run": "run", "re": "re", "parent": "re"}


def decode_content(content: bytes) -> str:
    """Return bytes as text, or raise `Unreadable`."""
    return decode(content, not_utf8="RUN001", nul="RUN002")


def read_time(written: str) -> str:
    """Return a time as ISO 8601 in UTC, or an empty text. A date alone is its first minute."""
    at = to_utc(written)
    date = None if at else _DATE.fullmatch(written)
    return to_utc(f"{date[1]} 00:00{date[2]}") if date else at


def read_block(
    content: bytes, block: BlockSpan, problems: list[Problem], provenance: Provenance
) -> Message | None:
    """Return the message of a block, None for the placeholder, or raise `Unreadable`."""
    if block.fault:
        raise Unreadable(*block.fault)
    fields = read_fields(decode_content(content[block.front : block.rule]).replace("\r\n", "\n"))
    text = decode_content(body_text.read(content[block.body : block.stop]))
    message_id = _take(fields, "id")
    if message_id == grammar.PLACEHOLDER_ID:
        if text.startswith(grammar.PLACEHOLDER_TEXT):
            return None
        fix = "give the message its own id"
        raise Unreadable("RUN011", f"{message_id} is the id of the placeholder", fix)
    if not message_id:
        fix = "write messageId: MSG-YYYYMMDD-HHMMSS-<agent>-<rand>"
        problems.append(Problem("RUN020", "it has no messageId", fix))
    message = _message(fields, text, problems, message_id=message_id, provenance=provenance)
    if len(message.body.encode()) > LINE_BYTES:
        raise Unreadable("RUN003", "its text is too long", f"write at most {LINE_BYTES} bytes")
    if not block.closed:
        problems.append(Problem("RUN026", "it has no closing ---", "write --- below the text"))
    return message


def read_line(line: one_line.Line, continuation: str, problems: list[Problem]) -> Message:
    """Return the message of a line in one of the older forms and the lines below it that continue its text.

    Raise `Unreadable` if it is none.
    """
    fields = {"type": ("type", line.word), "at": ("timestamp", line.at)}
    for key, value in line.pairs.items():
        name = _PAIRS.get(key, key)
        fields[key if name in fields else name] = key, scalar(value) if key in _PAIRS else value
    fields.setdefault("agent", ("agent", grammar.NOBODY))
    return _message(fields, one_line.join(line.body, continuation), problems, subject=line.subject)


def _message(
    fields: Fields,
    text: str,
    problems: list[Problem],
    *,
    message_id: str = "",
    subject: str = "",
    provenance: Provenance = Provenance.NONE,
) -> Message:
    """Return the message of fields and a text; the fields that are left become `meta`."""
    act, tag = _act(_take(fields, "type").upper(), problems)
    task = _task(_take(fields, "task"))
    tagged = read_act_tag(text)
    if tagged is not None:
        act, named_task, text = tagged
        task = named_task or task
    if not text and act not in WORDLESS:
        problems.append(Problem("RUN027", "it has no text", "write a text between the front matter and ---"))
    agent = _take(fields, "agent")
    if not agent:
        problems.append(Problem("RUN021", "it names no agent", "write agent: <type>-<role>-<N>"))
    reply_to = _take(fields, "re") or _parent(fields)
    run = _take(fields, "run")
    files, artifacts = _items(fields, "files"), _items(fields, "artifacts")
    at = _time(_take(fields, "at"), problems)
    beside = [name for name in fields if name.startswith(grammar.BESIDE)]
    extra = {name.removeprefix(grammar.BESIDE): fields.pop(name)[1] for name in beside}
    message = Message(
        id=message_id,
        sender=_sender(agent),
        to=[EVERYONE],
        subject=subject,
        body=text,
        act=act,
        task=task,
        run="" if run in grammar.NONE or run == grammar.NO_RUN else run,
        reply_to=reply_to,
        files=[{"path": path} for path in files],
        artifacts=artifacts,
        meta=dict(fields.values()),
        tag=tag,
        at=at,
    )
    return restore_fields(message, extra, problems, provenance) if extra else message


def _take(fields: Fields, name: str) -> str:
    return fields.pop(name, _ABSENT)[1]


def _items(fields: Fields, name: str) -> list[str]:
    return listed(fields.pop(name)[1]) if name in fields else []


def _act(word: str, problems: list[Problem]) -> tuple[str, str]:
    """Return the act of a type, and the tag under which the message keeps a type that is only read."""
    if act := grammar.TYPES.get(word):
        return act, ""
    if act := grammar.variant(word):
        return act, word
    fix = f"use {', '.join(grammar.TYPES)}"
    if word:
        problems.append(Problem("RUN024", f"the type {clip(word, 40)!a} is unknown", fix))
    else:
        problems.append(Problem("RUN025", "it has no type", fix))
    return "inform", word


@lru_cache(maxsize=1_024)
def _sender(agent: str) -> str:
    return read_sender(agent or grammar.NOBODY, grammar.BAD_NAME)


def _task(text: str) -> str:
    if text in grammar.NONE or text == grammar.NO_TASK:
        return ""
    return text.removeprefix(grammar.TASK)


def _time(text: str, problems: list[Problem]) -> str:
    at = read_time(text)
    if not at:
        message = f"{clip(text, 40)!a} is not a time" if text else "it has no timestamp"
        problems.append(Problem("RUN022", message, "write timestamp: YYYY-MM-DDTHH:MM:SSZ"))
    elif not is_plausible(at):
        problems.append(Problem("RUN023", f"the time {at} is implausible", "check the agent's clock"))
    return at


def _parent(fields: Fields) -> str:
    """Return the first parent; the field remains as `meta` unless that is all of it."""
    field = fields.get("parents")
    if field is None:
        return ""
    _, value = field
    first = listed(value)[:1]
    match = _PARENT.match(first[0]) if first else None
    if match is None:
        return ""
    if match[1] == value.strip("[] \t\n-\"'"):
        del fields["parents"]
    return match[1]
