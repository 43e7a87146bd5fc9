"""What runbus tells the author of a wrong block: the block to append instead, ready to be copied."""

import re
import textwrap
from itertools import count
from typing import Final
from zlib import crc32

from palaver.dialects.runbus import one_line
from palaver.dialects.runbus.grammar import (
    BAD_NAME,
    BESIDE,
    KEYS,
    NATIVE,
    NO_RUN,
    NO_TASK,
    NOBODY,
    NONE,
    PLACEHOLDER_ID,
    TASK,
    TYPES,
    variant,
)
from palaver.dialects.runbus.templates import (
    SEVERITIES,
    is_error_report,
    review_severity,
    with_severity,
    write_error_report,
    write_review,
)
from palaver.dialects.shared.act_tag import read_act_tag
from palaver.dialects.shared.pieces import Unreadable
from palaver.dialects.shared.topic import topic_of
from palaver.dialects.shared.translation import read_sender
from palaver.model.limits import FOUND_CHARS
from palaver.model.mounted_files import Mount
from palaver.model.names import BUS
from palaver.model.spec import Corrections, Verdict
from palaver.model.task import ENDED, canonical_id

#: The name in a line that was not torn.
_AGENT: Final = re.compile(rb"^[ \t]*agent[ \t]*:[ \t]*([^\n]*\S)[ \t\r]*\n", re.M | re.I)
_NOT_IN_NAMES: Final = re.compile(r"[^\w./@-]+")
#: A block; one that was torn may have only a part of its front matter.
_BLOCK: Final = re.compile(r"\A---[ \t]*\n(.*?)(?:\Z|^---[ \t]*\n(.*?)(?:^---[ \t]*)?\Z)", re.M | re.S)
_KEY: Final = re.compile(r"([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)")
#: A line whose writer forgot the colon.
_BARE_KEY: Final = re.compile(r"([A-Za-z]+)[ \t]+(\S+)")
#: Keys of the successor whose values are tables; the first of the parents is in `relatesTo`.
_TABLES: Final = frozenset(["parents", "links", "meta"])
_ITEM: Final = re.compile(r"[ \t]*- (.*)")
#: The agent of a block that names none.
_SOME_AGENT: Final = "<type>-<role>-<N>"
_SOME_FILES: Final = "<file1>, <file2>"
#: Stands for a text of which the bus has only the beginning.
_SAME_TEXT: Final = "<the same text>"
#: Such a block counts: the bus closes it.
_CLOSED_BY_BUS: Final = "RUN026"
#: Text outside of every block.
_OUTSIDE: Final = "RUN004"
#: Blocks that are read, and lack what their effect depends on.
_INEFFECTIVE: Final = frozenset(["unknown-mention"])
#: An ANSWER to something else than a question: the question stays open.
_ANSWERS_ANOTHER: Final = "answer-to-no-question"
#: Types that do nothing without a task.
_ABOUT_TASK: Final = frozenset(["TASK", "COMPLETE", "ERROR"])
_INSTANCE: Final = re.compile(r"-[0-9]+\Z")

Fields = dict[str, str]


def _author(content: bytes, mount: Mount, file: str) -> str:
    """Return the agent that the bytes name, or `unknown`: every agent of the run reads the same file."""
    del mount, file
    found = _AGENT.search(content)
    written = found[1].decode("utf-8", "replace").strip("\"'") if found else ""
    try:
        author = read_sender(_NOT_IN_NAMES.sub("-", written).strip("-") or NOBODY, BAD_NAME)
    except Unreadable:
        return NOBODY
    return NOBODY if author == BUS else author


def _has_counted(verdict: Verdict) -> bool:
    """Return True if the block was read with its task, so that it should not be appended again."""
    message = verdict.message
    if message is None or verdict.rule in _INEFFECTIVE:
        return False
    if verdict.rule == _ANSWERS_ANOTHER and verdict.questions:
        return False
    return verdict.has_moved or NATIVE.get(message.act) not in _ABOUT_TASK


def _line(verdict: Verdict) -> str:
    """Return the block with each key once, with those that its type needs, and with a text that is right."""
    if verdict.rule == _CLOSED_BY_BUS:
        return ""
    if _completes_unknown_task(verdict):
        return _complete_of_known_task(verdict)
    if verdict.rule == "no-effect":
        return _another_task(verdict)
    read = _read(verdict)
    if read is None:
        return ""
    given, body = read
    if verdict.wrong and not verdict.meant:
        return ""
    if verdict.meant:
        body = re.sub(rf"{re.escape(verdict.wrong)}(?![\w-])", verdict.meant, body, flags=re.IGNORECASE)
    return _block(verdict, given, body)


def _completes_unknown_task(verdict: Verdict) -> bool:
    message = verdict.message
    if message is None or message.act != "deliver" or not message.task:
        return False
    return verdict.find_task(canonical_id(message.task)) is None


def _complete_of_known_task(verdict: Verdict) -> str:
    """Return a COMPLETE of the task that was meant; without one, the task is opened first."""
    message = verdict.message
    assert message is not None, "it completes a task"
    given = {"type": "COMPLETE", "runId": message.run, "files": _files(verdict)}
    given |= {"artifacts": ", ".join(message.artifacts)} if message.artifacts else {}
    meant = _meant_task(verdict, message.task)
    if meant:
        return _block(verdict, given | {"taskId": f"{TASK}{meant}"}, message.body)
    task = {"taskId": f"{TASK}{message.task}"}
    title = message.task.replace("-", " ")
    opening = _block(verdict, {"type": "TASK", "runId": message.run} | task, title)
    return f"{opening}\n\n{_block(verdict, given | task, message.body)}"


def _another_task(verdict: Verdict) -> str:
    """Return a TASK whose id is free, for one that has ended."""
    message = verdict.message
    if message is None or message.act != "assign":
        return ""
    task = verdict.find_task(canonical_id(message.task))
    if task is None or task.state not in ENDED:
        return ""
    free = next(each for n in count(2) if verdict.find_task(each := f"{task.id}-{n}") is None)
    return _block(verdict, {"type": "TASK", "runId": message.run, "taskId": f"{TASK}{free}"}, message.body)


def _files(verdict: Verdict) -> str:
    return ", ".join(str(file.get("path", "")) for file in verdict.message.files) if verdict.message else ""


def _meant_task(verdict: Verdict, written: str) -> str:
    """Return the task that is closest to a misspelt one: one of the author, or else one that is open."""
    alike = [
        each
        for each in verdict.find_alike(written)
        if (task := verdict.find_task(each)) and _is_open(task.state)
    ]
    own = [task.id for task in verdict.tasks if task.id in alike]
    return next(iter([*own, *alike]), "")


def _is_open(state: str) -> bool:
    return state not in ("done", "cancelled", "delivered", "checking")


# ---------------------------------------------------------------- what was written


def _read(verdict: Verdict) -> tuple[Fields, str] | None:
    """Return the fields of a wrong block by their keys, and its text; None if it is no block."""
    text = verdict.text.replace("\r\n", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    first, newline, below = text.partition("\n")
    # A block that was copied with the indentation of a notice lost that of its first line.
    text = first + newline + textwrap.dedent(below)
    block = _BLOCK.match(text)
    if block or verdict.rule == _OUTSIDE:
        given, body = (_read_fields(block[1]), block[2] or "") if block else _read_outside(text)
        return given, _SAME_TEXT if len(verdict.text) >= FOUND_CHARS else body.strip("\n")
    message = verdict.message
    if message is None or one_line.read(text.partition("\n")[0]) is None:
        return None
    given = {"type": message.tag or NATIVE.get(message.act, ""), "runId": message.run}
    return given | ({"taskId": f"{TASK}{message.task}"} if message.task else {}), message.body


def _read_outside(text: str) -> tuple[Fields, str]:
    """Return the fields and the text of lines outside of every block: perhaps a block without its opener."""
    front, _, body = text.partition("\n\n")
    fields = _read_fields(front)
    return (fields, body) if len(fields.keys() & set(_ORDER)) > 1 else ({}, text)


def _read_fields(front: str) -> Fields:
    """Return the first value of each key, under its usual name; items on lines below are joined by commas."""
    fields: Fields = {}
    last = ""
    for line in textwrap.dedent(front).split("\n"):
        if (item := _ITEM.fullmatch(line)) and last:
            fields[last] = f"{fields[last]}, {item[1].strip()}".removeprefix(", ")
        elif found := _KEY.fullmatch(line) or _BARE_KEY.fullmatch(line):
            meaning = KEYS.get(found[1].lower(), "")
            key = next((each for each in _ORDER if KEYS[each.lower()] == meaning), found[1])
            last = "" if key in fields else key
            if meaning or ":" in line:
                fields.setdefault(key, found[2].strip())
    is_ours = re.compile(BESIDE, re.IGNORECASE).match
    return {key: value for key, value in fields.items() if not is_ours(key) and key.lower() not in _TABLES}


_ORDER: Final = (
    "messageId",
    "type",
    "agent",
    "timestamp",
    "runId",
    "taskId",
    "relatesTo",
    "files",
    "artifacts",
)


# ---------------------------------------------------------------- what to write


def _block(verdict: Verdict, given: Fields, body: str) -> str:
    """Return a block that breaks no rule, as far as the bus can tell."""
    kind = _kind(verdict, given)
    author = _agent(verdict.author)
    at = verdict.at[:19]
    stamp = at.replace("-", "").replace(":", "").replace("T", "-")
    suffix = f"{crc32(f'{given}{body}'.encode()):08x}"[:4]
    fields = {
        "messageId": f"MSG-{stamp}-{author}-{suffix}",
        "type": kind,
        "agent": author,
        "timestamp": f"{at}Z",
        "runId": _present(given, "runId") or NO_RUN,
        "taskId": _task(verdict, given, kind, body),
        "relatesTo": _parent(verdict, given, kind),
        "files": _listed(given, "files"),
        "artifacts": _listed(given, "artifacts"),
    }
    if kind == "COMPLETE" and not (fields["files"] or fields["artifacts"]):
        fields["files"] = _SOME_FILES
    more = {key: value for key, value in given.items() if key not in fields}
    head = "\n".join(f"{key}: {value}" for key, value in (fields | more).items() if value)
    text = _text(kind, body) or "<message content>"
    return f"---\n{head}\n---\n\n{text}\n\n---"


def _present(given: Fields, key: str) -> str:
    value = given.get(key, "").strip("\"'")
    return "" if value in NONE else value


def _kind(verdict: Verdict, given: Fields) -> str:
    word = _present(given, "type").upper()
    kind = word if word in TYPES else NATIVE.get(variant(word), "FACT")
    answers_nothing = kind == "ANSWER" and not _question(verdict)
    closes_nothing = kind == "COMPLETE" and _present(given, "taskId") in ("", NO_TASK) and not verdict.tasks
    return "FACT" if answers_nothing or closes_nothing else kind


def _question(verdict: Verdict) -> str:
    """Return the question that an ANSWER is for: the one that the bus took it for, or one that is open."""
    is_assumed = verdict.message is not None and "assumed" in verdict.message.meta
    taken = verdict.message.reply_to if verdict.message is not None and is_assumed else ""
    return taken or next((each.id for each in verdict.questions), "")


def _parent(verdict: Verdict, given: Fields, kind: str) -> str:
    written = _present(given, "relatesTo")
    if not written and verdict.message is not None and "parents" in verdict.text:
        written = verdict.message.reply_to
    is_wrong = verdict.rule == _ANSWERS_ANOTHER or written == PLACEHOLDER_ID or not written
    if kind == "ANSWER" and is_wrong:
        return _question(verdict)
    return "" if written == PLACEHOLDER_ID else written


def _agent(author: str) -> str:
    """Return a name of the form <type>-<role>-<N>, or one word."""
    if author in ("", NOBODY):
        return _SOME_AGENT
    return f"{author}-1" if "-" in author and not _is_formed(author) else author


def _is_formed(author: str) -> bool:
    return author.count("-") > 1 and _INSTANCE.search(author) is not None


def _task(verdict: Verdict, given: Fields, kind: str, body: str) -> str:
    """Return the task as it is named, or else the one that the type needs."""
    written = _present(given, "taskId")
    if written and written != NO_TASK:
        return written if written.upper().startswith(TASK) else f"{TASK}{written}"
    if kind == "TASK":
        return f"{TASK}{topic_of(body)}"
    own = verdict.tasks[0].id if verdict.tasks and kind in _ABOUT_TASK else ""
    return f"{TASK}{own}" if own else NO_TASK


def _listed(given: Fields, key: str) -> str:
    """Return a list of names without the commas and quotes that no list can have in a name."""
    value = given.get(key, "").removeprefix("[").removesuffix("]")
    names = re.findall(r'"([^"]*)"|([^,"]+)', value)
    whole = [re.sub(r"[,\s]+", "-", quoted.strip()) if quoted else plain.strip() for quoted, plain in names]
    return ", ".join(name for name in whole if name)


def _text(kind: str, body: str) -> str:
    """Return a text that follows the template of its type."""
    if kind == "REVIEW":
        severity = review_severity(body)
        if severity is None:
            return write_review(body)
        return body if severity.lower() in SEVERITIES else with_severity(body)
    if kind == "ERROR" and read_act_tag(body) is None and not is_error_report(body):
        return write_error_report(body)
    return body


CORRECTIONS: Final = Corrections(author=_author, line=_line, has_counted=_has_counted)
