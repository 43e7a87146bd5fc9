"""The threads of a chat log, for rules: open questions and open tasks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parties import THE_SYSTEM, parties_of
from palaver.dialects.shared.rule import CheckedFile, Located, Violation
from palaver.model.dialect import Place
from palaver.model.message import Message
from palaver.model.names import EVERYONE
from palaver.model.task import says_nothing

#: Acts that open a task, that close it, and that answer a question without naming it.
OPENING: Final = frozenset(["assign", "handoff"])
ENDING: Final = frozenset(["deliver", "block", "cancel", "accept", "refuse", "release"])
_ANSWERING: Final = frozenset(["answer", "inform", "approve", "refuse", "decide"])
#: How the text of a task says that it runs in parallel.
_PARALLEL: Final = re.compile(r"\b(?:in )?parallel\b|\bconcurrent(?:ly)?\b|\bmeanwhile\b", re.IGNORECASE)


#: How much of a text is searched for requests and promises.
LOOKED_AT: Final = 4_096


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question without an answer."""

    place: Place
    asker: str
    asked: str
    topic: str

    def __str__(self) -> str:
        """Name it as a line does."""
        return f"[QUESTION:{self.topic}]" if self.topic else "the question"


class Exchange(NamedTuple):
    """A message, the questions to its sender that were open, and the one that it answers."""

    place: Place
    message: Message
    waiting: tuple[OpenQuestion, ...]
    answered: OpenQuestion | None


class OpenTask(NamedTuple):
    """An open task, and where it was assigned."""

    place: Place
    name: str
    opener: str
    holders: tuple[str, ...]


def chat(file: CheckedFile) -> Iterator[Located]:
    """Yield the messages of a chat log; files of the inbox have no order."""
    return iter(()) if is_inbox(file.source.path) else file.messages()


def between_agents(file: CheckedFile) -> Iterator[Located]:
    """Yield the messages from one agent to another; the person and the system may write as they like.

    If the mount does not name the person, every sender to the whole team counts as the person.
    """
    free = {parties_of(file.source.mount).person, THE_SYSTEM}
    if "person" not in file.source.mount.settings:
        free |= {message.sender for message in file.parsed.messages if EVERYONE in message.to}
    for each in file.messages():
        if each.message.sender not in free and EVERYONE not in each.message.to:
            yield each


def exchanges(file: CheckedFile) -> Iterator[Exchange]:
    """Yield the messages of a chat log, each with the open questions to its sender."""
    asked: dict[str, list[OpenQuestion]] = {}
    for place, message, _ in chat(file):
        waiting = asked.get(message.sender, [])
        answered = _answered(message, waiting)
        yield Exchange(place, message, tuple(waiting), answered)
        if answered is not None:
            waiting.remove(answered)
        if message.act in ENDING and message.task:
            _drop(asked, message)
        if message.act == "ask":
            for name in message.to:
                asked.setdefault(name, []).append(OpenQuestion(place, message.sender, name, message.task))


def tasks(file: CheckedFile) -> Iterator[tuple[Place, Message, dict[str, OpenTask]]]:
    """Yield the messages of a chat log, each with the tasks that were open before it, by name."""
    found: dict[str, OpenTask] = {}
    ended: dict[str, OpenTask] = {}
    for place, message, _ in chat(file):
        yield place, message, found
        key = message.task.casefold()
        if not key:
            continue
        if message.act in OPENING:
            found[key] = OpenTask(place, message.task, message.sender, tuple(message.to))
        elif message.act in ENDING and key in found:
            ended[key] = found.pop(key)
        elif message.act == "resume" and key in ended:
            found[key] = ended.pop(key)


def open_tasks(file: CheckedFile) -> list[OpenTask]:
    """Return the tasks that are open at the end of a chat log."""
    found: dict[str, OpenTask] = {}
    for _, _, each in tasks(file):
        # The same table each time: after the last message it holds the open tasks.
        found = each
    return list(found.values())


def line_count(raw: bytes) -> int:
    """Return the number of lines that a message has in its file."""
    return raw.strip().count(b"\n") + 1


def check_explanation(file: CheckedFile, *, act: str, state: str, noun: str) -> Iterator[Violation]:
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


def is_parallel(text: str) -> bool:
    """Return True if the text of a task says that it runs in parallel."""
    return _PARALLEL.search(text) is not None


def _answered(message: Message, waiting: list[OpenQuestion]) -> OpenQuestion | None:
    if message.act in ("ask", *OPENING):
        return None
    mine = [each for each in waiting if each.asker in message.to or EVERYONE in message.to]
    named = [each for each in mine if message.task and each.topic.casefold() == message.task.casefold()]
    if not named and message.act in _ANSWERING:
        named = mine
    return named[0] if named else None


def _drop(asked: dict[str, list[OpenQuestion]], message: Message) -> None:
    """Drop the questions of an agent about a task that it has closed."""
    topic = message.task.casefold()
    for questions in asked.values():
        questions[:] = [q for q in questions if q.asker != message.sender or q.topic.casefold() != topic]
