"""What runbus tells the author of a wrong block: the block to append instead."""

import re
from typing import Final

from palaver.dialects.runbus.grammar import ID, NO_RUN, NO_TASK, NOBODY, TYPES, variant
from palaver.model.mounted_files import Mount
from palaver.model.spec import Corrections, Verdict

_AGENT: Final = re.compile(rb"^[ \t]*agent[ \t]*:[ \t]*([^\s]+)", re.M | re.I)
_BLOCK: Final = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*\n(.*?)(?:^---[ \t]*)?\Z", re.M | re.S)
_KEY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
#: Such a block counts: the bus closes it, or it is for everyone. Written again, it would be there twice.
_RECORDED: Final = ("RUN026", "unknown-mention")
_LISTS: Final = "<file1>, <file2>"


def _author(content: bytes, mount: Mount, file: str) -> str:
    del mount, file
    found = _AGENT.search(content)
    return found[1].decode("utf-8", "replace").strip("\"'") if found else ""


def _line(verdict: Verdict) -> str:
    """Return the block with each key once, and with those that its type needs."""
    block = _BLOCK.match(verdict.text.replace("\r\n", "\n"))
    if block is None or verdict.rule in _RECORDED:
        return ""
    given: dict[str, str] = {}
    for key, value in (found.groups() for line in block[1].split("\n") if (found := _KEY.match(line))):
        given.setdefault(key, value.strip())
    kind = given.get("type", "").upper()
    author = "<type>-<role>-<N>" if verdict.author == NOBODY else verdict.author
    fields = {
        "messageId": _fresh_id(given.get("messageId", ""), author),
        "type": kind if kind in TYPES or variant(kind) else "FACT",
        "agent": author,
        "timestamp": given.get("timestamp") or "YYYY-MM-DDTHH:MM:SSZ",
        "runId": given.get("runId") or NO_RUN,
        "taskId": given.get("taskId") or NO_TASK,
    }
    if kind == "ANSWER" and not given.get("relatesTo"):
        fields["relatesTo"] = verdict.questions[0] if verdict.questions else "<messageId of the question>"
    if kind == "COMPLETE" and not (given.get("files") or given.get("artifacts")):
        fields["files"] = _LISTS
    head = "\n".join(f"{key}: {value}" for key, value in (fields | {**given, **fields}).items())
    return f"---\n{head}\n---\n\n{block[2].strip() or '<message content>'}\n\n---"


def _fresh_id(written: str, author: str) -> str:
    """Return an id for the corrected block: the log may have that of the wrong one."""
    return f"{written}b" if ID.fullmatch(written) else f"MSG-YYYYMMDD-HHMMSS-{author}-<rand>"


CORRECTIONS: Final = Corrections(author=_author, line=_line)
