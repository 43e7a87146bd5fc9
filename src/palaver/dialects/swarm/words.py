"""Acts in the words of swarm, read and written.

    task       ACK: Claimed task #2.                       ack, task 2
    status     BLOCKED: Task #2 needs an endpoint.         block, task 2
    autonomy   AUTONOMY_UPDATE: qa → gated. Ask first.     autonomy, agent qa, level gated
    message    [APPROVE:#2] Go on.                         approve, task 2

A T at the start decides, in any type; else the type's own word; else the type. `tag` says when the type is
not the one in which we would write the act, or its word is only read; so the line comes out as it came in.
"""

from collections.abc import Iterator

from palaver.dialects.swarm.grammar import (
    ABOUT_TASKS,
    BARE,
    LEVELS,
    OWN,
    PHRASES,
    TASK,
    UPDATE,
    WORD,
    WORDS,
)
from palaver.model.message import Message
from palaver.model.saying import heard, say, sayable


#: What a content says: act, tag, task, body; and of a change of autonomy whose, as written, and which level.
Said = tuple[str, str, str, str, str, str]


def read(kind: str, content: str, *, directs: bool) -> Said:
    """Return what a content of this type says; `directs` tells that the director says it."""
    general = heard(content) if content[:1] == "[" else None
    if general is not None:
        act, task, body = general
        tag = "" if kind == OWN[act] else kind
        return act, tag, task.removeprefix("#") or named(act, body), body, "", ""
    for word, act in WORDS.get(kind, ()):
        if content.startswith(word):
            body = content[len(word) :].removeprefix(" ")
            return act, "" if kind == OWN[act] else kind, named(act, body), body, "", ""
    if kind == "task":
        act = _phrase(content) or ("assign" if directs else "report")
        return act, kind, named(act, content), content, "", ""
    if kind == "autonomy" and (update := UPDATE.match(content)):
        return "autonomy", "", "", update[3], update[1], update[2]
    act = BARE[kind]
    return act, "" if kind == OWN[act] else kind, named(act, content), content, "", ""


def ways(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the types and contents in which the message may be said, the most native first.

    Each must be read back before it is used; the last one can always be.
    """
    own = OWN[message.act]
    if message.tag in BARE:
        yield message.tag, _worded(message)
        yield message.tag, message.body
        yield message.tag, _general(message)
    if message.act in WORD:
        yield own, _worded(message)
    elif message.act == "autonomy" and (update := _update(message)):
        yield own, update
    yield own, message.body
    yield own, _general(message)


def named(act: str, text: str) -> str:
    """Return the task that the text of an act names, or nothing."""
    if act not in ABOUT_TASKS or ("ask #" not in text and "ASK #" not in text):
        return ""
    match = TASK.search(text)
    return match[1] if match else ""


def _phrase(content: str) -> str:
    return next((act for phrase, act in PHRASES if phrase.match(content)), "")


def _worded(message: Message) -> str:
    word = WORD.get(message.act, "")
    return f"{word} {message.body}" if word and message.body else word + message.body


def _general(message: Message) -> str:
    task = f"#{message.task}"
    return say(message.act, message.body, task if message.task and sayable(task) else "")


def _update(message: Message) -> str:
    agent, level = message.meta.get("agent"), message.meta.get("level")
    if type(agent) is not str or not agent or level not in LEVELS:
        return ""
    rest = f". {message.body}" if message.body else ""
    return f"AUTONOMY_UPDATE: {agent} → {level}{rest}"
