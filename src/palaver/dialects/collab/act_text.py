"""Acts in a text: tags and prefixes, read and written.

[TASK:price-check] BTC price      assign, task price-check, "BTC price"
[DECIDE] We use Redis.            decide: the act tag, which every act has
APPROVED: go                      approve; the message keeps the prefix as its tag
pause the bot overnight           inform
"""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.dialects.collab import grammar, health_report
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


def read(text: str, parties: Parties, *, can_be_person: bool) -> Content:
    """Return what a text says: an act tag decides, then a tag or prefix of the dialect."""
    if can_be_person and text.startswith(grammar.USER + ":"):
        said = _read(text[len(grammar.USER) + 1 :].removeprefix(" "), parties)
        return said._replace(is_by_person=True, tag=said.tag or grammar.USER)
    return _read(text, parties)


def write(message: Message, parties: Parties) -> Iterator[str]:
    """Yield texts that may express a message, the most native first."""
    body, task, tag = message.body, message.task, message.tag
    heads: list[str] = []
    if _prefixed(tag, parties):
        heads.append(f"{tag}:")
    elif tag and _tagged(f"[{tag}]").tag == tag:
        heads.append(f"[{tag}]")
    if message.act in grammar.WORDS and task:
        heads.append(f"[{grammar.WORDS[message.act]}:{task}]")
    for head in heads:
        yield f"{head} {body}" if body else head
    if message.act == "health" and not task:
        nodes = body or health_report.write(message.meta.get(health_report.META))
        yield f"[{grammar.HEALTH}] {nodes}" if nodes else f"[{grammar.HEALTH}]"
    if message.act == "inform":
        yield body
    yield with_act_tag(message.act, body, task)


def has_tag(text: str) -> bool:
    """Return True if a text begins with a tag that has a meaning."""
    return read_act_tag(text) is not None or _tagged(text).act != "inform"


def _read(text: str, parties: Parties) -> Content:
    if text[:1] == "[":
        tagged = read_act_tag(text)
        return Content(tagged[0], tagged[2], tagged[1]) if tagged else _tagged(text)
    match = grammar.PREFIX.match(text)
    act = _prefixed(match[1], parties) if match else ""
    return Content(act, text[match.end() :], tag=match[1]) if match and act else Content("inform", text)


def _tagged(text: str) -> Content:
    match = grammar.TAG.match(text)
    if match is None:
        return Content("inform", text)
    word, name, body = match[1].upper(), match[2], text[match.end() :]
    if word == grammar.AUTHORIZED:
        return Content("approve", body, tag=word if name is None else f"{word}:{name}")
    if name is None and word == grammar.HEALTH:
        nodes = health_report.read(body)
        return Content("health", body, meta={health_report.META: nodes} if nodes else None)
    if name is None and word == grammar.READY:
        return Content("health", body, tag=word)
    name = (name or "").strip()
    if not name or word not in grammar.TAGS:
        return Content("inform", text)
    if word == "BLOCKED" and name.partition(":")[0] == grammar.GATE:
        return Content("block", body, tag=f"{word}:{name}")
    return Content(grammar.TAGS[word], body, name)


def _prefixed(word: str, parties: Parties) -> str:
    """Return the act of a prefix, or an empty text."""
    if word == grammar.ERROR or word == parties.b.upper() + grammar.ERROR_SUFFIX:
        return "escalate"
    return grammar.PREFIXES.get(word, "")
