"""A message as one block of a bus file, byte for byte as the seed writes it.

Fields for which runbus has no key are written as additional front matter: the block is parsed, and whatever
it does not bring back is added.

The id of a message of ours is made from the message alone, so that rendering it again gives the same bytes.
Its random part is that of our own id: `msg-7eqvl7msm3bp` by ada becomes
`MSG-20260222-031544-ada-7eqvl7msm3bp`, so that each of the two leads to the other.
"""

import re
from functools import partial
from hashlib import blake2b
from typing import Final

from palaver.dialects.runbus import body, extra_fields, grammar
from palaver.dialects.runbus.entry import read_time
from palaver.dialects.runbus.parse import parse
from palaver.dialects.shared.act_tag import read_act_tag, with_act_tag
from palaver.dialects.shared.translation import read_back, render_complete
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.names import short
from palaver.model.plain import dumps, has_hidden, number_of, spelled

_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
#: Keys that have a meaning, and so cannot be keys of `meta`.
_TAKEN: Final = frozenset([*grammar.KEYS, *(name.lower() for name in grammar.KEYS.values()), "parents"])
#: The ids that can be written as they are, and the random part of other ids.
_WRITABLE: Final = re.compile(r"MSG-[A-Za-z0-9._-]{1,200}")
_RANDOM: Final = re.compile(r"(?:msg-|evt-)?([A-Za-z0-9]{1,64})")
#: One block can bring back everything, with additional fields.
_WORDS: Final[frozenset[str]] = frozenset()
_NO_TIME: Final = "0000-00-00T00:00:00Z"


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the block of a message; parsed, it gives the message back."""
    word, text = _said(message)
    write = partial(_block, _head(message, word), body.written(text.encode()))
    block = render_complete(message, [write], partial(read_back, parse=parse, mount=mount, path=path), _WORDS)
    assert block is not None, f"no block expresses {message!r}"
    return block


def message_id(message: Message) -> str:
    """Return the id of a message in a file."""
    if _WRITABLE.fullmatch(message.id) and message.id != grammar.PLACEHOLDER_ID:
        return message.id
    at = read_time(message.at)
    stamp = f"{at[:4]}{at[5:7]}{at[8:10]}-{at[11:13]}{at[14:16]}{at[17:19]}" if at else "00000000-000000"
    agent = short(message.sender).lstrip("@") or grammar.NOBODY
    return f"MSG-{stamp}-{agent}-{_random(message)}"


def _said(message: Message) -> tuple[str, str]:
    """Return the type and the text, with an act tag if the type alone does not express the act."""
    text = _without_hidden(message.body)
    if message.act == "escalate":
        return grammar.ESCALATION, with_act_tag(message.act, text)
    word = grammar.NATIVE.get(message.act, "")
    if message.tag and grammar.variant(message.tag) == message.act:
        word = message.tag
    if word == "ANSWER" and not message.reply_to:
        word = ""
    if not word or read_act_tag(text):
        text = with_act_tag(message.act, text)
    return word or grammar.GENERAL, text


def _without_hidden(text: str) -> str:
    """Return a text with the numbers of hidden characters; the front matter has it exactly."""
    if not has_hidden(text):
        return text
    numbered = spelled(text, number_of)
    return numbered if len(numbered.encode()) <= LINE_BYTES else spelled(text, lambda _: "?")


def _head(message: Message, word: str) -> list[str]:
    at = read_time(message.at)
    task = message.task if message.task.startswith(grammar.TASK) else f"{grammar.TASK}{message.task}"
    lines = [
        f"messageId: {message_id(message)}",
        f"type: {word}",
        f"agent: {short(message.sender) or grammar.NOBODY}",
        f"timestamp: {at[:19]}Z" if at else f"timestamp: {_NO_TIME}",
        f"runId: {_line(message.run) or grammar.NO_RUN}",
        f"taskId: {_line(task) if message.task else grammar.NO_TASK}",
    ]
    lists = {
        "relatesTo": [message.reply_to],
        "files": [str(file.get("path", "")) for file in message.files],
        "artifacts": message.artifacts,
    }
    lines += [f"{key}: {value}" for key, items in lists.items() if (value := _line(", ".join(items)))]
    return lines + _meta(message)


def _meta(message: Message) -> list[str]:
    """Return `meta` as front matter, if all of it can be written as it is."""
    keys = {key.lower() for key in message.meta}
    if len(keys) < len(message.meta) or keys & _TAKEN:
        return []
    lines = [
        f"{key}: {value}"
        for key, value in message.meta.items()
        if isinstance(value, str)
        and value
        and value == _line(value)
        and _KEY.fullmatch(key)
        and not key.lower().startswith(grammar.BESIDE)
    ]
    return lines if len(lines) == len(message.meta) else []


def _line(text: str) -> str:
    """Return a text as a line of front matter has it; what that loses is written beside it."""
    return spelled(text, lambda _: " ", also="\n").strip(" \t")


def _block(head: list[str], shown: bytes, beside: dict[str, object]) -> bytes:
    lines = [*head, *(extra_fields.line(name, value) for name, value in beside.items())]
    return b"---\n%s\n---\n%s---\n" % ("\n".join(lines).encode(), shown)


def _random(message: Message) -> str:
    for own in (message.id, message.event_id):
        if match := _RANDOM.fullmatch(own):
            return match[1]
    identity = message.id or dumps([message.sender, message.at, message.act, message.task, message.body])
    return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
