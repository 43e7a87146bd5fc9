"""RUN041 open-question: a QUESTION has no ANSWER by the end of the file. A note rather than an error.

Why: an agent may be waiting. An answer closes the question that it relates to, or else the oldest one about its
task.

Bad (MESSAGE-BUS.md):

    claude QUESTION: Which parser do we keep?

Good (MESSAGE-BUS.md):

    claude QUESTION: Which parser do we keep?
    codex ANSWER (relatesTo: MSG-20260126-101500-claude-5f2): The second one.
"""

from collections import deque
from typing import Final

from palaver.dialects.runbus.rule_entries import BusEntry, entries, known_as
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.message import Message

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    named = {each.reply_to for each in file.all_of(Message) if each.act == "answer"}
    asked: list[BusEntry] = []
    by_task: dict[str, deque[BusEntry]] = {}
    closed: set[int] = set()
    for entry in entries(file):
        message = entry.message
        about = by_task.setdefault(message.task, deque())
        if message.act == "ask":
            asked.append(entry)
            about.append(entry)
        elif message.act == "answer" and not message.reply_to and message.task and about:
            closed.add(about.popleft().place.offset)
    for entry in asked:
        if entry.place.offset not in closed and not known_as([entry.message.id]) & named:
            way_out = f"append an ANSWER with relatesTo: {entry.message.id or 'and the id that it needs'}"
            yield entry.violation("it is unanswered", way_out)
