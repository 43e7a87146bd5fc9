"""One message out of its parts: fields of front matter and a text, or a line in one of the older forms."""

import re
from typing import Final

from palaver.dialects.runbus import grammar, oneline, texts, times
from palaver.dialects.runbus.beside import named, put_back
from palaver.dialects.runbus.framing import Block
from palaver.dialects.runbus.front import Field, fields, listed, scalar
from palaver.dialects.runbus.notes import Notes, Wrong
from palaver.model.limits import LINE_BYTES
from palaver.model.message import WORDLESS, Message
from palaver.model.names import EVERYONE
from palaver.model.saying import heard

_PARENT: Final = re.compile(r"(?:msg_id[ \t]*:[ \t]*)?[\"']?([A-Za-z0-9][A-Za-z0-9._-]*)")
#: What pairs of an older line mean.
_PAIRS: Final = {"agent": "agent", "from": "agent", "task": "task", "run": "run", "re": "re", "parent": "re"}


def decoded(content: bytes) -> str:
    """Return bytes as text, or raise `Wrong`."""
    if b"\0" in content:
        raise Wrong(grammar.NUL, "there is a NUL byte in it", "write text only")
    try:
        return content.decode()
    except UnicodeDecodeError as fault:
        raise Wrong(
            grammar.NOT_TEXT, f"byte {fault.start} of it is not UTF-8", "save the file as UTF-8"
        ) from fault


def block_message(content: bytes, block: Block, notes: Notes) -> Message | None:
    """Return the message of a block, None for the placeholder, or raise `Wrong`."""
    _framed(block)
    given = fields(decoded(content[block.front : block.rule]).replace("\r\n", "\n"))
    body = decoded(texts.read(content[block.body : block.stop]))
    message_id = _taken(given, "id")
    if message_id == grammar.PLACEHOLDER_ID:
        if body.startswith(grammar.PLACEHOLDER_TEXT):
            return None
        said = f"{message_id} is the placeholder's id"
        raise Wrong(grammar.PLACEHOLDER_USED, said, "give the message an id of its own")
    if not message_id:
        way_out = "write messageId: MSG-YYYYMMDD-HHMMSS-<agent>-<rand>"
        notes.note(grammar.NO_ID, "it has no messageId", way_out)
    message = _message(given, body, notes)
    message.id = message_id
    if len(message.body.encode()) > LINE_BYTES:
        raise Wrong(grammar.TOO_LONG, "its text is too long", f"write at most {LINE_BYTES} bytes")
    if not block.closed:
        notes.note(grammar.NOT_CLOSED, "it has no closing ---", "write --- below the text")
    return message


def _framed(block: Block) -> None:
    """Raise if a block has no end, or not its own."""
    if block.too_long:
        raise Wrong(grammar.TOO_LONG, "it does not end", "close it with ---")
    if block.torn:
        raise Wrong(grammar.TORN, "it was torn, and the next message is glued to it", "send it again")
    if block.unended:
        way_out = "write --- and the text below the front matter"
        raise Wrong(grammar.UNENDED, "its front matter has no end", way_out)


def line_message(line: oneline.Line, notes: Notes) -> Message:
    """Return the message of a line in one of the older forms."""
    given = {"type": Field("type", line.word, 0), "at": Field("timestamp", line.at, 0)}
    extra: dict[str, object] = {}
    for key, value in line.pairs.items():
        name = _PAIRS.get(key)
        if name is None or name in given:
            extra[key] = value
        else:
            given[name] = Field(key, value, 0)
    given.setdefault("agent", Field("agent", grammar.NOBODY, 0))
    message = _message(given, line.body, notes)
    message.subject = line.subject
    message.meta = {**message.meta, **extra}
    return message


def _message(given: dict[str, Field], body: str, notes: Notes) -> Message:
    """Return the message that fields and a text say; what is left over goes along as meta."""
    word = scalar(given.pop("type").value).upper() if "type" in given else ""
    act, tag = _act(word, notes)
    task = _task(_taken(given, "task"))
    said = heard(body)
    if said is not None:
        act, named_task, body = said
        task = named_task or task
    if not body and act not in WORDLESS:
        notes.note(grammar.NO_BODY, "it says nothing", "write a text between the front matter and ---")
    agent = _taken(given, "agent")
    if not agent:
        notes.note(grammar.NO_AGENT, "it names no agent", "write agent: <type>-<role>-<N>")
    reply_to = _taken(given, "re") or _parent(given)
    run = _taken(given, "run")
    files, artifacts = _items(given, "files"), _items(given, "artifacts")
    at = _time(_taken(given, "at"), notes)
    beside = {
        name.removeprefix(grammar.BESIDE): given.pop(name).value
        for name in tuple(given)
        if name.startswith(grammar.BESIDE)
    }
    message = Message(
        sender=_sender(agent),
        to=[EVERYONE],
        body=body,
        act=act,
        task=task,
        run="" if run in grammar.NONE or run == grammar.NO_RUN else run,
        reply_to=reply_to,
        files=[{"path": path} for path in files],
        artifacts=artifacts,
        meta={field.key: field.value for field in given.values()},
        tag=tag,
        at=at,
    )
    if beside:
        put_back(message, beside, notes)
    return message


def _taken(given: dict[str, Field], name: str) -> str:
    field = given.pop(name, None)
    return scalar(field.value) if field else ""


def _items(given: dict[str, Field], name: str) -> list[str]:
    field = given.pop(name, None)
    return listed(field.value) if field else []


def _act(word: str, notes: Notes) -> tuple[str, str]:
    """Return the act of a type, and the tag under which it is remembered if it is only read."""
    if act := grammar.TYPES.get(word):
        return act, ""
    if act := grammar.variant(word):
        return act, word
    known = f"use {', '.join(grammar.TYPES)}"
    if word:
        notes.note(grammar.ODD_TYPE, f"nobody knows the type {word[:40]!a}", known)
    else:
        notes.note(grammar.NO_TYPE, "it has no type", known)
    return "inform", word


def _sender(agent: str) -> str:
    sender = named(agent or grammar.NOBODY)
    if sender == EVERYONE:
        raise Wrong(grammar.BAD_NAME, "nobody speaks for all", "name the agent")
    return sender


def _task(text: str) -> str:
    if text in grammar.NONE or text == grammar.NO_TASK:
        return ""
    return text.removeprefix(grammar.TASK)


def _time(text: str, notes: Notes) -> str:
    at = times.normalised(text)
    if not at:
        said = f"there is no time {text[:40]!a}" if text else "it has no timestamp"
        notes.note(grammar.NO_TIME, said, "write timestamp: YYYY-MM-DDTHH:MM:SSZ")
    elif not times.likely(at):
        notes.note(grammar.ODD_TIME, f"nobody ran agents at {at}", "set the clock of the agent")
    return at


def _parent(given: dict[str, Field]) -> str:
    """Return the first of the successor's parents; where that is not all of it, it stays as meta too."""
    field = given.get("parents")
    if field is None:
        return ""
    first = listed(field.value)[:1]
    match = _PARENT.match(first[0]) if first else None
    if match is None:
        return ""
    if match[1] == field.value.strip("[] \t\n-\"'"):
        del given["parents"]
    return match[1]
