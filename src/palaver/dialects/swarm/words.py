"""Acts in the words of swarm, read and written.

    task       ACK: Claimed task #2.                       ack, task 2
    status     BLOCKED: Task #2 needs an endpoint.         block, task 2
    autonomy   AUTONOMY_UPDATE: qa → gated. Ask first.     autonomy, agent qa, level gated
    message    [APPROVE:#2] Go on.                         approve, task 2

A T at the start decides, in any type; else the type's own word; else the type. `tag` says when the type is
not the one in which we would write the act, or its word is only read; so the line comes out as it came in.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Iterator

from palaver.dialects.swarm.grammar import (
    ABOUT_TASKS,
    BARE,
    LEVELS,
    OPENINGS,
    OWN,
    WORD,
    WORD_CHARS,
    WORDS,
)
from palaver.model.message import Message
from palaver.model.saying import heard, say, sayable

#: What a content says: act, tag, task, body; and of a change of autonomy whose, as written, and which level.
Said = tuple[str, str, str, str, str, str]


def read(kind: str, content: str, *, directs: bool) -> Said:
    """Return what a content of this type says; `directs` tells that the director says it."""
    if content[:1] == "[" and (general := heard(content)) is not None:
        act, task, body = general
        tag = "" if kind == OWN[act] else kind
        return act, tag, task.removeprefix("#") or named(act, body), body, "", ""
    if kind in WORDS:
        colon = content.find(":", 0, WORD_CHARS)
        if colon > 0 and (word := WORDS[kind].get(content[:colon])) is not None:
            body = content[colon + 1 :].removeprefix(" ")
            return word, "" if kind == OWN[word] else kind, named(word, body), body, "", ""
    if kind == "task":
        act = _phrase(content) or ("assign" if directs else "report")
        return act, kind, named(act, content), content, "", ""
    if kind == "autonomy" and content.startswith("AUTONOMY_UPDATE:"):
        from palaver.dialects.swarm.patterns import UPDATE

        if update := UPDATE.match(content):
            return "autonomy", "", "", update[3], update[1], update[2]
    act = BARE[kind]
    return act, "" if kind == OWN[act] else kind, named(act, content), content, "", ""


def ways(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the types and contents in which the message may be said, the most native first.

    Each must be read back before it is used; the last one can always be.
    """
    own = OWN[message.act]
    # A text that starts with a word of the protocol, but is not that act, misleads: it gets its T.
    bare = not message.body.startswith(OPENINGS)
    for kind in (message.tag, own) if message.tag in BARE else (own,):
        if message.act in WORD:
            yield kind, _worded(message)
        elif message.act == "autonomy" and (update := _update(message)):
            yield kind, update
        if bare:
            yield kind, message.body
        yield kind, _general(message)


def named(act: str, text: str) -> str:
    """Return the task that the text of an act names, or nothing."""
    place = text.find("ask #") if act in ABOUT_TASKS else -1
    if place < 1:
        return ""
    from palaver.dialects.swarm.patterns import TASK

    match = TASK.search(text, place - 1)
    return match[1] if match else ""


def _phrase(content: str) -> str:
    if content[:1] not in ("c", "C"):
        return ""
    from palaver.dialects.swarm.patterns import PHRASE

    match = PHRASE.match(content)
    if match is None:
        return ""
    return "claim" if match[1] else "deliver"


def _worded(message: Message) -> str:
    word = WORD[message.act]
    return f"{word} {message.body}" if message.body else word


def _general(message: Message) -> str:
    task = f"#{message.task}"
    return say(message.act, message.body, task if message.task and sayable(task) else "")


def _update(message: Message) -> str:
    agent, level = message.meta.get("agent"), message.meta.get("level")
    if type(agent) is not str or not agent or level not in LEVELS:
        return ""
    rest = f". {message.body}" if message.body else ""
    return f"AUTONOMY_UPDATE: {agent} → {level}{rest}"
