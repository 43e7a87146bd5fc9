"""Acts in the content of a record, read and written.

    task       ACK: Claimed task #2.                       ack, task 2
    status     BLOCKED: Task #2 needs an endpoint.         block, task 2
    autonomy   AUTONOMY_UPDATE: qa → gated. Ask first.     autonomy, agent qa, level gated
    message    [APPROVE:#2] Go on.                         approve, task 2
    message    Approved. Go ahead with task #2.            approve, task 2, if the director says so
    message    Accepted.                                   accept, likewise

An act tag at the start decides, in any type; then the keyword of the type; then the type alone. The message
keeps the type as its `tag` if its act is normally written in another type, so that it is rendered as it was.
"""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.dialects.shared.act_tag import read_act_tag, with_act_tag
from palaver.dialects.swarm import grammar
from palaver.dialects.swarm.handles import agent_of
from palaver.model.errors import BadName
from palaver.model.message import Message


class Content(NamedTuple):
    """What a content says."""

    act: str
    tag: str
    task: str
    body: str
    meta: dict[str, object]


def read(kind: str, text: str, *, is_director: bool) -> Content:
    """Return what the content of a record of this type says."""
    if text[:1] == "[" and (tagged := read_act_tag(text)) is not None:
        act, task, body = tagged
        return Content(act, _tag(kind, act), task.removeprefix("#") or task_in(act, body), body, {})
    if kind in grammar.WORDS:
        colon = text.find(":", 0, grammar.WORD_CHARS)
        if colon > 0 and (act := grammar.WORDS[kind].get(text[:colon], "")):
            body = text[colon + 1 :].removeprefix(" ")
            return Content(act, _tag(kind, act), task_in(act, body), body, {})
    if is_director and (act := _verdict(kind, text)):
        return Content(act, _tag(kind, act), task_in(act, text), text, {})
    if kind == "task":
        act = _task_act(text, is_director=is_director)
        return Content(act, kind, task_in(act, text), text, {})
    if kind == "autonomy" and (update := grammar.UPDATE.match(text)):
        try:
            meta: dict[str, object] = {"agent": agent_of(update[1]), "level": update[2].lower()}
            return Content("autonomy", "", "", update[3], meta)
        except BadName:
            pass  # an update of no agent is a plain text
    act = grammar.BARE[kind]
    return Content(act, _tag(kind, act), task_in(act, text), text, {})


def _verdict(kind: str, text: str) -> str:
    """Return the act by which the director decides in plain words, or an empty text."""
    if kind in grammar.GO_AHEAD_TYPES and grammar.GO_AHEAD.match(text):
        return "approve"
    if kind not in grammar.VERDICT_TYPES:
        return ""
    for act, words in grammar.VERDICTS.items():
        if found := words.match(text):
            # "Approved sources only." is a decision of its own.
            is_adjective = kind == "decision" and text[found.end() :][:1] == " " and not task_in(act, text)
            return "" if is_adjective else act
    return ""


def _task_act(text: str, *, is_director: bool) -> str:
    """Return the act of a `task` without a keyword; the director that says "Claim task #2" gives the task."""
    phrase = grammar.PHRASE.match(text)
    if phrase and not (is_director and text.lower().startswith("claim task")):
        return "claim" if phrase[1] else "deliver"
    return "assign" if is_director else "report"


def task_in(act: str, text: str) -> str:
    """Return the task that the text of an act names, or an empty text."""
    if act not in grammar.ABOUT_TASKS or "ask #" not in text:
        return ""
    match = grammar.TASK.search(text)
    return match[1] if match else ""


def _tag(kind: str, act: str) -> str:
    return "" if kind == grammar.OWN[act] else kind


def write(message: Message) -> Iterator[tuple[str, str]]:
    """Yield types and contents that may express the message, the most native first.

    Each must be parsed before it is used. The last one always expresses the message.
    """
    own = grammar.OWN[message.act]
    for kind in (message.tag, own) if message.tag in grammar.BARE else (own,):
        if word := grammar.WORD.get(message.act):
            yield kind, f"{word} {message.body}" if message.body else word
        elif message.act == "autonomy" and (update := _update(message)):
            yield kind, update
        yield kind, message.body
        yield kind, with_act_tag(message.act, message.body, f"#{message.task}" if message.task else "")


def _update(message: Message) -> str:
    agent, level = message.meta.get("agent"), message.meta.get("level")
    if type(agent) is not str or not agent or level not in grammar.LEVELS:
        return ""
    rest = f". {message.body}" if message.body else ""
    return f"AUTONOMY_UPDATE: {agent} → {level}{rest}"
