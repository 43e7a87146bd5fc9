"""What a pair tells the author of a wrong line: the line to write instead."""

import re
from typing import Final

from palaver.dialects.collab.grammar import STAMP, WORDS
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parties import Parties, parties_of
from palaver.model.errors import BadName
from palaver.model.mounted_files import Mount
from palaver.model.names import EVERYONE
from palaver.model.spec import Corrections, Verdict

_TIME: Final = "YYYY-MM-DD HH:MM:SS"
_SENDER: Final = re.compile(r"(?:^|[ \]])@?([A-Za-z0-9][\w./-]*)[ \t]*(?:->|→)[ \t]*([^:\n]+)")
_ARROW: Final = re.compile(r"^.*?(?:->|→)[^:\n]*:?")
#: What to write for a text that says nothing, by act.
_WANTED: Final = {"deliver": "<the result, in one line>", "block": "<why, in one line>"}


def _author(content: bytes, mount: Mount, file: str) -> str:
    parties = parties_of(mount)
    if is_inbox(file):
        return parties.dropper
    found = _SENDER.search(content.decode("utf-8", "replace"))
    try:
        name = parties.address(found[1]) if found else ""
    except BadName:
        return ""
    return "" if name == EVERYONE else name


def _line(verdict: Verdict) -> str:
    if is_inbox(verdict.file):
        return ""
    parties = parties_of(verdict.mount)
    text = _text(verdict)
    if not text:
        return ""
    if verdict.message is None and not _SENDER.search(verdict.text):
        # Nothing tells who wrote it.
        return f"{_TIME} SENDER -> RECEIVER: {text}"
    return f"{_TIME} {parties.written(verdict.author)} -> {_receivers(verdict, parties)}: {text}"


def _text(verdict: Verdict) -> str:
    """Return the text to write, with its tag; empty if no text would do."""
    message = verdict.message
    if message is None:
        words = STAMP.sub("", verdict.text.lstrip(), count=1)
        return " ".join(_ARROW.sub("", words, count=1).split()) or "<message>"
    text = " ".join(message.body.split())
    if verdict.rule == "untagged-request":
        tag = "[QUESTION:<topic>]" if text.endswith(("?", "\uff1f")) else "[TASK:<name>]"
        return f"{tag} {text}"
    if verdict.rule == "answer-before-asking":
        return "[ANSWER] <your answer>"
    if message.act not in WORDS or verdict.rule == "no-effect":
        return ""
    is_typo = verdict.rule == "done-for-unknown-task" and verdict.tasks
    task = verdict.tasks[0].id if is_typo else message.task
    if verdict.rule in ("result-on-close", "reason-on-block"):
        text = _WANTED[message.act]
    elif verdict.rule == "one-task-at-a-time":
        text = f"In parallel: {text}"
    return f"[{WORDS[message.act]}:{task}] {text}"


def _receivers(verdict: Verdict, parties: Parties) -> str:
    """Return the receivers that the line names."""
    if verdict.message is not None:
        here = f"@{verdict.mount.name}"
        return ",".join(parties.written(EVERYONE if to == here else to) for to in verdict.message.to)
    found = _SENDER.search(verdict.text)
    return found[2].strip() if found else ""


CORRECTIONS: Final = Corrections(author=_author, line=_line)
