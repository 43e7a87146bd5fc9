"""Who owes what to whom in a chat log: questions that wait for an answer, tasks that wait for their end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parties import THE_SYSTEM, parties_of
from palaver.model.dialect import Parsed, Source
from palaver.model.finding import Place
from palaver.model.message import Message
from palaver.model.names import EVERYONE

#: Acts that open a task, that end it, and that answer a question without naming it.
OPENING: Final = frozenset(["assign", "handoff"])
ENDING: Final = frozenset(["deliver", "block", "cancel", "accept", "refuse", "release"])
_ANSWERING: Final = frozenset(["answer", "inform", "approve", "refuse", "decide"])
#: How a task says that it runs beside another one.
_PARALLEL: Final = re.compile(r"\b(?:in )?parallel\b|\bconcurrent(?:ly)?\b|\bmeanwhile\b", re.IGNORECASE)


#: How much of a text is looked at for its tone; nobody promises on page three.
LOOKED_AT: Final = 4_096


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits for an answer."""

    place: Place
    asker: str
    asked: str
    topic: str

    def __str__(self) -> str:
        """Name it as a line would."""
        return f"[QUESTION:{self.topic}]" if self.topic else "the question"


class Exchange(NamedTuple):
    """A message, what its sender had not answered before it, and what it answers of that."""

    place: Place
    message: Message
    waiting: tuple[Question, ...]
    answered: Question | None


class Task(NamedTuple):
    """A task that somebody has, and where he got it."""

    place: Place
    name: str
    opener: str
    holders: tuple[str, ...]


class Letter(NamedTuple):
    """A message where it stands."""

    place: Place
    message: Message
    #: The line or lines, as they are in the file.
    raw: bytes

    @property
    def lines(self) -> int:
        """Count the lines that it takes in the file; one that we have escaped takes one."""
        return self.raw.strip().count(b"\n") + 1


def letters(source: Source, parsed: Parsed) -> Iterator[Letter]:
    """Yield each message of a file where it stands."""
    for piece in parsed.pieces:
        for value in piece.values:
            if type(value) is Message:
                start = piece.start - source.offset
                place = Place(path=source.path, line=piece.line, offset=piece.start)
                yield Letter(place, value, source.content[start : start + piece.length])


def chat(source: Source, parsed: Parsed) -> Iterator[Letter]:
    """Yield the messages of a chat log; files of the inbox stand in no order."""
    return iter(()) if is_inbox(source.path) else letters(source, parsed)


def between_agents(source: Source, parsed: Parsed) -> Iterator[Letter]:
    """Yield what one agent says to another by name; the person and the system may write as they like.

    Where the mount does not name the person, it is whoever writes to the whole team.
    """
    free = {parties_of(source.mount).person, THE_SYSTEM}
    if "person" not in source.mount.settings:
        free |= {message.sender for message in parsed.messages if EVERYONE in message.to}
    for letter in letters(source, parsed):
        if letter.message.sender not in free and EVERYONE not in letter.message.to:
            yield letter


def exchanges(source: Source, parsed: Parsed) -> Iterator[Exchange]:
    """Yield the messages of a chat log, each with the questions that its sender had not answered."""
    asked: dict[str, list[Question]] = {}
    for place, message, _ in chat(source, parsed):
        waiting = asked.get(message.sender, [])
        answered = _answered(message, waiting)
        yield Exchange(place, message, tuple(waiting), answered)
        if answered is not None:
            waiting.remove(answered)
        if message.act in ENDING and message.task:
            _drop(asked, message)
        if message.act == "ask":
            for name in message.to:
                asked.setdefault(name, []).append(Question(place, message.sender, name, message.task))


def tasks(source: Source, parsed: Parsed) -> Iterator[tuple[Place, Message, dict[str, Task]]]:
    """Yield the messages of a chat log, each with the tasks that were open before it, by name."""
    found: dict[str, Task] = {}
    ended: dict[str, Task] = {}
    for place, message, _ in chat(source, parsed):
        yield place, message, found
        key = message.task.casefold()
        if not key:
            continue
        if message.act in OPENING:
            found[key] = Task(place, message.task, message.sender, tuple(message.to))
        elif message.act in ENDING and key in found:
            ended[key] = found.pop(key)
        elif message.act == "resume" and key in ended:
            found[key] = ended.pop(key)


def open_tasks(source: Source, parsed: Parsed) -> list[Task]:
    """Return the tasks that are open at the end of a chat log."""
    found: dict[str, Task] = {}
    for _, _, each in tasks(source, parsed):
        # One table for all: after the last message it says how things ended.
        found = each
    return list(found.values())


def is_parallel(text: str) -> bool:
    """Tell whether the text of a task says that it runs beside another."""
    return _PARALLEL.search(text) is not None


def _answered(message: Message, waiting: list[Question]) -> Question | None:
    if message.act in ("ask", *OPENING):
        return None
    mine = [each for each in waiting if each.asker in message.to or EVERYONE in message.to]
    named = [each for each in mine if message.task and each.topic.casefold() == message.task.casefold()]
    if not named and message.act in _ANSWERING:
        named = mine
    return named[0] if named else None


def _drop(asked: dict[str, list[Question]], message: Message) -> None:
    """Forget what somebody asked about a task that he has ended."""
    topic = message.task.casefold()
    for questions in asked.values():
        questions[:] = [q for q in questions if q.asker != message.sender or q.topic.casefold() != topic]
