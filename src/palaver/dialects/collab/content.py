"""Acts in a text: tags and prefixes, read and written.

[TASK:price-check] BTC price      assign, task price-check, "BTC price"
[DECIDE] We use Redis.            decide: the act tag, which every act has
APPROVED: go                      approve; the message keeps the prefix as its tag
pause the bot overnight           inform
"""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.dialects.collab import health
from palaver.dialects.collab.grammar import (
    AUTHORIZED,
    ERROR,
    ERROR_SUFFIX,
    GATE,
    HEALTH,
    PREFIX,
    PREFIXES,
    READY,
    TAG,
    TAGS,
    USER,
    WORDS,
)
from palaver.dialects.collab.parties import Parties
from palaver.dialects.shared.act_tag import read_act_tag, with_act_tag
from palaver.model.message import Message


class Content(NamedTuple):
    """What a text says."""

    act: str
    body: str
    task: str = ""
    #: The dialect's word, if the act alone would not bring it back.
    tag: str = ""
    meta: dict[str, object] | None = None
    #: Whether the person is the sender, on a line of another party.
    is_by_person: bool = False


def read(text: str, parties: Parties) -> Content:
    """Return what a text says: an act tag decides, then a tag or prefix of the dialect."""
    if text.startswith(USER + ":"):
        said = _read(text[len(USER) + 1 :].removeprefix(" "), parties)
        return said._replace(is_by_person=True, tag=said.tag or USER)
    return _read(text, parties)


def write(message: Message, parties: Parties) -> Iterator[str]:
    """Yield texts that may express a message, the most native first."""
    body, task = message.body, message.task
    yield from _with_kept_tag(message, parties)
    if message.act in WORDS and task:
        yield _with(f"[{WORDS[message.act]}:{task}]", body)
    if message.act == "health" and not task:
        yield _with(f"[{HEALTH}]", body or health.write(message.meta.get(health.META)))
    if message.act == "inform" and not task:
        yield body
    yield with_act_tag(message.act, body, task)


def has_tag(text: str) -> bool:
    """Return True if a text begins with a tag that has a meaning."""
    return read_act_tag(text) is not None or _tagged(text).act != "inform"


def _read(text: str, parties: Parties) -> Content:
    tagged = read_act_tag(text)
    if tagged is not None:
        act, task, body = tagged
        return Content(act, body, task)
    if text[:1] == "[":
        return _tagged(text)
    match = PREFIX.match(text)
    act = _prefixed(match[1], parties) if match else ""
    if match and act:
        return Content(act, text[match.end() :], tag=match[1])
    return Content("inform", text)


def _tagged(text: str) -> Content:
    match = TAG.match(text)
    if match is None:
        return Content("inform", text)
    word, body = match[1].upper(), text[match.end() :]
    if match[2] is None:
        return _bare(word, body) or Content("inform", text)
    name = match[2].strip()
    if word == AUTHORIZED:
        return Content("approve", body, tag=f"{word}:{match[2]}")
    if not name or word not in TAGS:
        return Content("inform", text)
    if word == "BLOCKED" and name.partition(":")[0] == GATE:
        return Content("block", body, tag=f"{word}:{name}")
    return Content(TAGS[word], body, name)


def _bare(word: str, body: str) -> Content | None:
    if word == HEALTH:
        return Content("health", body, meta=health.meta(health.pairs(body)))
    if word == READY:
        return Content("health", body, tag=READY)
    if word == AUTHORIZED:
        return Content("approve", body, tag=AUTHORIZED)
    return None


def _prefixed(word: str, parties: Parties) -> str:
    if word == ERROR or word == parties.b.upper() + ERROR_SUFFIX:
        return "escalate"
    return PREFIXES.get(word, "")


def _with_kept_tag(message: Message, parties: Parties) -> Iterator[str]:
    """Yield the text with the tag that the message keeps, if the dialect has it."""
    tag = message.tag
    if _prefixed(tag, parties):
        yield _with(f"{tag}:", message.body)
    elif tag and _tagged(f"[{tag}]").tag == tag:
        yield _with(f"[{tag}]", message.body)


def _with(head: str, text: str) -> str:
    return f"{head} {text}" if text else head
