"""The vocabulary of the office: its tags, their templates, and its codes.

The specification gives one shape and seven templates, "MANDATORY: do not deviate":

    [<ISO timestamp>] [<TAG>] <pipe-separated fields>

Everything else follows from the table `TAGS`: the expression that reads a line, the template that writes it,
the keys that a deviating line may use, and the page of the manual.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from palaver.model.clock_text import USUAL
from palaver.model.task import Task

# ---------------------------------------------------------------- codes

#: Every code of the parser in one line; those of rules are in `rules/`, from OFF101 on.
CODES: Final = {
    # Why bytes are quarantined: acting on them would mean guessing.
    "OFF001": "the bytes are not UTF-8",
    "OFF002": "the line is longer than a line may be",
    "OFF003": "a NUL, or a carriage return inside the line",
    "OFF004": "not `[<ISO timestamp>] [<TAG>] …`: free text, Markdown, JSON, a second line of an entry",
    "OFF005": "a name that could leave its folder, fool a reader or mean two things",
    "OFF006": "a key occurs twice, so the line is ambiguous",
    "OFF007": "a `|` where no field of this tag can begin",
    "OFF008": "the act needs a text, and there is none",
    "OFF009": "the tag is about a task, and the line names none",
    "OFF010": "more recipients than one line may name",
    "OFF011": "a torn entry that is followed by another on the same line",
    # What is odd about a line that was read.
    "OFF020": "the timestamp is missing",
    "OFF021": "the timestamp is not a time",
    "OFF022": "the timestamp is implausible",
    "OFF023": "a field of the template is missing",
    "OFF024": "a tag that does not exist; kept as information",
    "OFF025": "the text of an entry contains another entry",
    "OFF026": "a field of the trailer cannot be used",
    "OFF027": "a claim in other words than the template's; it counts",
    # A line in the wrong file, reported by the parser so that it is known on intake; `rules/` has the pages.
    "OFF102": "a line by the manager in an employee's log, where the worker does not see it",
    "OFF103": "a line by a worker in the manager's inbox, where only the manager writes",
    "OFF104": "a line by another agent in an employee's log",
    "OFF105": "a model name instead of an employeeId",
    "OFF115": "a name that nobody has, instead of the owner of the log",
}

# ---------------------------------------------------------------- tags and templates


class Desk(StrEnum):
    """The desk that writes a file, which decides the tags that belong there."""

    WORKER = "worker"
    MANAGER = "manager"
    #: A file that is neither an employee's log nor the manager's inbox.
    NEITHER = "neither"


FIELD: Final = re.compile(r"\{([a-z?-]+)\}")
_PART: Final = re.compile(rf"{FIELD.pattern}|([\[\]]|[^{{}}\[\]]+)")
_TASK: Final = r"(?:task-|(?=rework-))([^\s|]+)"
_NAME: Final = r"[^\s|:,]+"
# How each field of a template is read; any other is a value without pipes or surrounding spaces.
_PATTERNS: Final = {
    "task": _TASK,
    "task?": f"(?:none|{_TASK})",
    "name": f"({_NAME})",
    "names": f"({_NAME}(?:, {_NAME})*)",
    "text": r"(.*)",
    "idle": r"(has been idle for [0-9]+ polls?\. .*)",
    "inactive": r"(marked inactive after [^|]*)",
}
_VALUE: Final = r"(?! )([^|]*[^|\s])"
# Fields that become the body. The first two may contain anything, because they end the line.
TEXTS: Final = ("text", "idle", "inactive", "words")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One tag: its desk, its act, its template, and what follows from the template."""

    name: str
    desk: Desk
    act: str
    template: str
    #: Whether its act has another tag of its own; then the message keeps this tag and is rendered with it.
    variant: bool
    #: The names of the fields, in order.
    fields: tuple[str, ...]
    #: The fields outside brackets.
    required: tuple[str, ...]
    #: The field that becomes the body, or an empty text.
    text: str
    #: Whether the text is a required field, written as `-` if it is empty.
    dash: bool
    #: The field of every key: `by` → `name`, `reason` → `text`.
    keys: dict[str, str]


def _tag(name: str, desk: Desk, act: str, template: str, *, variant: bool = False) -> Tag:
    fields = tuple(FIELD.findall(template))
    return Tag(
        name=name,
        desk=desk,
        act=act,
        template=template,
        variant=variant,
        fields=fields,
        required=tuple(FIELD.findall(re.sub(r"\[[^\]]*\]", "", template))),
        text=next((field for field in fields if field in TEXTS), ""),
        dash=bool(re.search(r"(reason|action|type|rejected|redirected): \{(text|words)\}", template)),
        keys=dict(re.findall(r"([a-z-]+): \{([a-z?-]+)\}", template)),
    )


def _exact(template: str) -> re.Pattern[str]:
    """Return the regular expression of a template, with one group for each field, in order."""
    out = [
        _PATTERNS.get(field, _VALUE) if field else {"[": "(?:", "]": ")?"}.get(words, re.escape(words))
        for field, words in _PART.findall(template)
    ]
    if template.endswith(" {text}"):
        # An empty text has no space before it.
        out[-2:] = [out[-2].removesuffix(re.escape(" ")), f"(?: {out[-1]})?"]
    return re.compile("".join(out), re.DOTALL)


_NOTE: Final = "[ | note: {text}]"
_TROUBLE: Final = "[{task} | ]by: {name} | reason: {text}"
_TO: Final = "To {names}: {text}"

TAGS: Final = (
    # **Worker writes to `employee-<employeeId>.log`:**
    # [<ISO timestamp>] [INFO] by: <employeeId> | <free text message>
    _tag("INFO", Desk.WORKER, "inform", "by: {name} | {text}"),
    # [<ISO timestamp>] [CLAIM] task-<id> | title: <title> | by: <employeeId> | difficulty: <N>
    # | deps-met: yes    and, optional, in the company's handbook: | board-read-at: <ISO>
    _tag(
        "CLAIM",
        Desk.WORKER,
        "claim",
        "{task} | title: {title} | by: {name} | difficulty: {difficulty} | deps-met: {deps-met}"
        "[ | board-read-at: {board-read-at}]" + _NOTE,
    ),
    # [<ISO timestamp>] [DELIVERY] task-<id> | by: <employeeId> | files: <file1>, <file2> | criteria-met: all
    _tag(
        "DELIVERY",
        Desk.WORKER,
        "deliver",
        "{task} | by: {name} | files: {files} | criteria-met: {criteria-met}" + _NOTE,
    ),
    # [<ISO>] [HEARTBEAT] <employeeId> | status: <working|waiting|blocked> | current-task: <task-id or none>
    # | action: <text>
    _tag(
        "HEARTBEAT",
        Desk.WORKER,
        "report",
        "{name} | status: {status} | current-task: {task?} | action: {text}",
    ),
    # **Manager writes to `manager-inbox.log`:**
    # [<ISO timestamp>] [REPLY] To <employeeId>: <message content>
    _tag("REPLY", Desk.MANAGER, "answer", _TO),
    # [<ISO timestamp>] [APPROVAL] task-<id> approved for <employeeId>. Status: In Progress.
    _tag("APPROVAL", Desk.MANAGER, "approve", "{task} approved for {name}. Status: In Progress." + _NOTE),
    # [<ISO timestamp>] [DONE] task-<id> marked Done. Delivered by <employeeId>.
    _tag("DONE", Desk.MANAGER, "accept", "{task} marked Done. Delivered by {name}." + _NOTE),
    # [<ISO timestamp>] [REJECT] task-<id> claim by <employeeId> rejected: <reason>.
    _tag("REJECT", Desk.MANAGER, "refuse", "{task} claim by {name} rejected: {text}."),
    # No template is known for these three; they report a problem with a task or with the work in general.
    _tag("BLOCKED", Desk.WORKER, "block", _TROUBLE),
    _tag("WAITING", Desk.WORKER, "report", _TROUBLE, variant=True),
    _tag("CONFLICT", Desk.WORKER, "escalate", _TROUBLE, variant=True),
    # [<ISO>] [TIMEOUT] task-<id> | by: <employeeId> | waited: 3 rounds | action: releasing claim
    _tag(
        "TIMEOUT",
        Desk.WORKER,
        "release",
        "{task} | by: {name} | waited: {waited} | action: {action}" + _NOTE,
        variant=True,
    ),
    # No template is known; a REDIRECT answers a claim like a REJECT, with a suggestion as the reason.
    _tag("REDIRECT", Desk.MANAGER, "refuse", "{task} claim by {name} redirected: {text}.", variant=True),
    # No template is known for these four; they address workers like a REPLY.
    _tag("WAKE", Desk.MANAGER, "nudge", _TO),
    _tag("WAKE_FINAL", Desk.MANAGER, "nudge", _TO, variant=True),
    _tag("INSTRUCTION", Desk.MANAGER, "inform", _TO, variant=True),
    _tag("STOP", Desk.MANAGER, "shutdown", _TO),
    # [<ISO>] [IDLE_WARNING] <employeeId> has been idle for 3 polls. Please claim a task or report blockers.
    _tag("IDLE_WARNING", Desk.MANAGER, "nudge", "{name} {idle}", variant=True),
    # No template is known; it follows the warning, in the same words.
    _tag("IDLE_REPORT", Desk.MANAGER, "escalate", "{name} {idle}", variant=True),
    # [<ISO>] [ABANDON] <employeeId> marked inactive after 3 missed heartbeats. Tasks released: task-<id1>,
    # task-<id2>.
    _tag("ABANDON", Desk.MANAGER, "release", "{name} {inactive}. Tasks released: {tasks}.", variant=True),
    # [<ISO>] [VIOLATION] <employeeId> | type: <reason> | action: Reverted
    _tag("VIOLATION", Desk.MANAGER, "refuse", "{name} | type: {words} | action: {action}", variant=True),
)
BY_NAME: Final = {tag.name: tag for tag in TAGS}
#: The tag that expresses an act, at each desk.
NATIVE: Final = {(tag.desk, tag.act): tag for tag in TAGS if not tag.variant}
#: The tag of each desk that can carry every act, with an act tag.
GENERAL: Final = {Desk.WORKER: BY_NAME["INFO"], Desk.MANAGER: BY_NAME["REPLY"]}
#: `ask` has no tag of its own: a worker's INFO that ends with one of these is a question.
QUESTION_MARKS: Final = ("?", "\uff1f")
#: The values that the template of a field allows, where it allows only some.
VALUES: Final = {
    "difficulty": re.compile(r"[1-5]"),
    "criteria-met": re.compile(r"all"),
    "status": re.compile(r"working|waiting|blocked"),
}
#: Written for a required field that has no value.
NONE: Final = "-"


def tag_name(written: str) -> str:
    """Return the name of a tag, however it is written: `idle warning` is IDLE_WARNING."""
    return re.sub("[ -]", "_", written.strip().upper())


# ---------------------------------------------------------------- tasks

_REWORK: Final = "rework-"
_TASK_WORD: Final = "task-"


def bare_task(written: str) -> str:
    """Return the id of a task as the bus has it: without `task-`, but with `rework-`."""
    return written[len(_TASK_WORD) :] if written.lower().startswith(_TASK_WORD) else written


def called(task: str) -> str:
    """Return what a task is called in an office."""
    return task if task.startswith((_REWORK, _TASK_WORD)) else f"{_TASK_WORD}{task}"


def move_fields(act: str, task: Task) -> dict[str, str]:
    """Return the fields of a CLAIM or a DELIVERY that the task tells."""
    if act == "claim":
        difficulty = str(task.difficulty) if task.difficulty else ""
        known = {"title": task.title, "difficulty": difficulty, "deps-met": "yes"}
        return {field: value for field, value in known.items() if value}
    return {"criteria-met": "all"} if act == "deliver" else {}


# ---------------------------------------------------------------- lines

#: The exact expression for what follows each tag.
EXACT: Final = {tag.name: _exact(tag.template) for tag in TAGS}
#: The head of a line, read loosely: any case, tabs, no timestamp, or anything in its place.
HEAD: Final = re.compile(
    r"[ \t]*(?:\[(?P<time>[^\[\]]*)\][ \t]*)?\[(?P<tag>[^\[\]|\x00-\x1f\x7f]{1,32})\](?:[ \t]*(?P<rest>.*))?",
    re.DOTALL,
)
# The same in full-width brackets.
_WIDE_HEAD: Final = re.compile(
    r"[ \t]*\u3010([^\u3010\u3011]*)\u3011[ \t]*\u3010([^\u3010\u3011]*)\u3011[ \t]*"
)
#: The author that a line names.
BY_FIELD: Final = re.compile(r"(?:^|\|)[ \t]*by[ \t]*[:\uff1a][ \t]*([^\s|]+)", re.I)
#: The same as HEAD, read exactly.
LETTER: Final = re.compile(
    rf"\[(?P<time>[0-9][^\[\]]*)\] \[(?P<tag>{'|'.join(BY_NAME)})\] (?P<rest>.*)", re.DOTALL
)
#: The beginning of an entry inside a line: two writers collided, or one quotes the other.
INSIDE: Final = re.compile(rf"\[{USUAL}\] \[(?:{'|'.join(BY_NAME)})\] ")
#: One of these precedes a quoted entry; a glued entry follows the middle of a word.
QUOTING: Final = frozenset(" \t\"'`([{<>\u00ab\u201c\u2018:")

#: Fields that have a place of their own in a message; any other goes into `meta` under its own name.
CORE_FIELDS: Final = frozenset(["task", "task?", "tasks", "name", "names", "files", *TEXTS])


def narrowed(line: str) -> str:
    """Return a line with the brackets and bars of the template, where it has full-width ones instead."""
    line = _WIDE_HEAD.sub(r"[\1] [\2] ", line, count=1) if line.lstrip(" \t").startswith("\u3010") else line
    return line if "|" in line else line.replace("\uff5c", "|")
