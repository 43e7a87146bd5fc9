"""What a text does: tags and prefixes into acts, and acts into tags and prefixes.

[TASK:price-check] BTC price      assign, task price-check, "BTC price"
[DECIDE] We use Redis.            decide: the general form, which every act has
APPROVED: go                      approve, and the message remembers that it was said so
pause the bot overnight           inform
"""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.dialects.collab import health
from palaver.dialects.collab.cast import Cast
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
from palaver.model import saying
from palaver.model.message import Message


class Said(NamedTuple):
    """What a text says, without who says it."""

    act: str
    body: str
    task: str = ""
    #: The dialect's word, where the act alone would not bring it back.
    tag: str = ""
    meta: dict[str, object] | None = None
    #: The person speaks through somebody else's line.
    by_person: bool = False


def read(text: str, cast: Cast) -> Said:
    """Return what a text says. A T decides, else the first word that we know, else it is plain."""
    if text.startswith(USER + ":"):
        said = _read(text[len(USER) + 1 :].removeprefix(" "), cast)
        return said._replace(by_person=True, tag=said.tag or USER)
    return _read(text, cast)


def forms(message: Message, cast: Cast) -> Iterator[str]:
    """Yield the ways to say a message in this dialect, the most native one first."""
    body, task = message.body, message.task
    yield from _kept(message, cast)
    if message.act in WORDS and task:
        yield _behind(f"[{WORDS[message.act]}:{task}]", body)
    if message.act == "health" and not task:
        yield _behind(f"[{HEALTH}]", body or health.write(message.meta.get(health.META)))
    if message.act == "inform" and not task:
        yield body
    if saying.sayable(task):
        yield saying.say(message.act, body, task)
    yield saying.say(message.act, body)


def has_tag(text: str) -> bool:
    """Tell whether a text starts with a tag that we read."""
    return saying.heard(text) is not None or _tagged(text).act != "inform"


def _read(text: str, cast: Cast) -> Said:
    general = saying.heard(text)
    if general is not None:
        act, task, body = general
        return Said(act, body, task)
    if text[:1] == "[":
        return _tagged(text)
    match = PREFIX.match(text)
    act = _prefixed(match[1], cast) if match else ""
    if match and act:
        return Said(act, text[match.end() :], tag=match[1])
    return Said("inform", text)


def _tagged(text: str) -> Said:
    plain = Said("inform", text)
    match = TAG.match(text)
    if match is None:
        return plain
    word, body = match[1].upper(), text[match.end() :]
    if match[2] is None:
        return _bare(word, body) or plain
    name = match[2].strip()
    if word == AUTHORIZED:
        return Said("approve", body, tag=f"{word}:{match[2]}")
    if not name or word not in TAGS:
        return plain
    if word == "BLOCKED" and name.partition(":")[0] == GATE:
        return Said("block", body, tag=f"{word}:{name}")
    return Said(TAGS[word], body, name)


def _bare(word: str, body: str) -> Said | None:
    if word == HEALTH:
        return Said("health", body, meta=health.meta(health.pairs(body)))
    if word == READY:
        return Said("health", body, tag=READY)
    if word == AUTHORIZED:
        return Said("approve", body, tag=AUTHORIZED)
    return None


def _prefixed(word: str, cast: Cast) -> str:
    if word == ERROR or word == cast.b.upper() + ERROR_SUFFIX:
        return "escalate"
    return PREFIXES.get(word, "")


def _kept(message: Message, cast: Cast) -> Iterator[str]:
    """Yield the form in which the message was said, if its tag is one of ours."""
    tag = message.tag
    if _prefixed(tag, cast):
        yield _behind(f"{tag}:", message.body)
    elif tag and _tagged(f"[{tag}]").tag == tag:
        yield _behind(f"[{tag}]", message.body)


def _behind(head: str, text: str) -> str:
    return f"{head} {text}" if text else head
