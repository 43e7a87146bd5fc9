"""What a pair tells the author of a wrong line: the line to write instead."""

import re
from typing import Final

from palaver.dialects.collab.grammar import WORDS
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
    receivers = _receivers(verdict, parties)
    message = verdict.message
    if message is None:
        text = _ARROW.sub("", verdict.text, count=1).strip() or "<message>"
        return f"{_TIME} {parties.written(verdict.author)} -> {receivers}: {' '.join(text.split())}"
    if verdict.rule == "untagged-request":
        tag = "[QUESTION:<topic>]" if message.body.rstrip().endswith(("?", "\uff1f")) else "[TASK:<name>]"
        words = " ".join(message.body.split())
        return f"{_TIME} {parties.written(verdict.author)} -> {receivers}: {tag} {words}"
    if message.act not in WORDS or verdict.rule in ("no-effect", "answer-before-asking"):
        return ""
    task, text = message.task, " ".join(message.body.split())
    if verdict.rule == "done-for-unknown-task" and verdict.tasks:
        task = verdict.tasks[0].id
    if verdict.rule in ("result-on-close", "reason-on-block"):
        text = _WANTED[message.act]
    elif verdict.rule == "one-task-at-a-time":
        text = f"In parallel: {text}"
    return f"{_TIME} {parties.written(verdict.author)} -> {receivers}: [{WORDS[message.act]}:{task}] {text}"


def _receivers(verdict: Verdict, parties: Parties) -> str:
    """Return the receivers that the line names, or else the other one of the pair."""
    if verdict.message is not None:
        here = f"@{verdict.mount.name}"
        return ",".join(parties.written(EVERYONE if to == here else to) for to in verdict.message.to)
    found = _SENDER.search(verdict.text)
    other = parties.a if verdict.author == parties.b else parties.b
    return found[2].strip() if found else parties.written(other)


CORRECTIONS: Final = Corrections(author=_author, line=_line)
