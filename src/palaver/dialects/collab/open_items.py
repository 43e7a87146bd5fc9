"""The threads of a chat log, for rules: open questions and open tasks."""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parties import THE_SYSTEM, parties_of
from palaver.dialects.shared.rule import CheckedFile, Located, Violations
from palaver.model.message import Message
from palaver.model.names import BUS, EVERYONE
from palaver.model.task import says_nothing

#: Acts that open a task, that close it, and that answer a question without naming it.
OPENING: Final = frozenset(["assign", "handoff"])
ENDING: Final = frozenset(["deliver", "block", "cancel", "accept", "refuse", "release"])
_ANSWERING: Final = frozenset(["answer", "inform", "approve", "refuse", "decide"])
#: How much of a text is searched for requests and promises.
LOOKED_AT: Final = 4_096


def chat(file: CheckedFile) -> Iterator[Located]:
    """Yield the messages of a chat log; files of the inbox have no order."""
    return iter(()) if is_inbox(file.source.path) else file.messages()


def between_agents(file: CheckedFile) -> Iterator[Located]:
    """Yield the messages from one agent to another; the person and the bus may write as they like.

    If the mount does not name the person, every sender to the whole team counts as the person.
    """
    free = {parties_of(file.source.mount).person, THE_SYSTEM, BUS}
    if "person" not in file.source.mount.settings:
        free |= {message.sender for message in file.parsed.messages if EVERYONE in message.to}
    for each in file.messages():
        if each.message.sender not in free and EVERYONE not in each.message.to:
            yield each


def exchanges(file: CheckedFile) -> Iterator[tuple[Located, tuple[Located, ...], Located | None]]:
    """Yield the messages of a chat log, the open questions to their senders, and the one each answers."""
    asked: dict[str, list[Located]] = {}
    for each in chat(file):
        message = each.message
        waiting = asked.get(message.sender, [])
        answered = _answered(message, waiting)
        yield each, tuple(waiting), answered
        if answered is not None:
            waiting.remove(answered)
        if message.act in ENDING and message.task:
            _drop(asked, message)
        if message.act == "ask":
            for name in message.to:
                asked.setdefault(name, []).append(each)


def tasks(file: CheckedFile) -> Iterator[tuple[Located, dict[str, Located]]]:
    """Yield the messages of a chat log, each with those that opened the tasks that are open, by task."""
    found: dict[str, Located] = {}
    ended: dict[str, Located] = {}
    for each in chat(file):
        yield each, found
        key = each.message.task.casefold()
        if not key:
            continue
        if each.message.act in OPENING:
            found[key] = each
        elif each.message.act in ENDING and key in found:
            ended[key] = found.pop(key)
        elif each.message.act == "resume" and key in ended:
            found[key] = ended.pop(key)


def line_count(raw: bytes) -> int:
    """Return the number of lines that a message has in its file."""
    return raw.strip().count(b"\n") + 1


def check_explanation(file: CheckedFile, *, act: str, state: str, noun: str) -> Violations:
    """Yield the messages with an act whose text must give a result or a reason in one line, and does not."""
    for each in file.messages():
        message = each.message
        if message.act != act:
            continue
        task = message.task or "a task"
        if says_nothing(act, message.body):
            yield each.violation(f"{task} is {state} without a {noun}", f"give the {noun} on the same line")
        elif line_count(each.raw) > 1:
            yield each.violation(f"the {noun} for {task} has several lines", "write one line, or name a file")


def _answered(message: Message, waiting: list[Located]) -> Located | None:
    """Return the question that a message answers: the one it names, or the oldest."""
    if message.act in ("ask", *OPENING):
        return None
    mine = [each for each in waiting if each.message.sender in message.to or EVERYONE in message.to]
    topic = message.task.casefold()
    named = [each for each in mine if topic and each.message.task.casefold() == topic]
    return next(iter(named or (mine if message.act in _ANSWERING else ())), None)


def _drop(asked: dict[str, list[Located]], end: Message) -> None:
    """Drop the questions of an agent about a task that it has closed."""
    for questions in asked.values():
        questions[:] = [
            each
            for each in questions
            if each.message.sender != end.sender or each.message.task.casefold() != end.task.casefold()
        ]
