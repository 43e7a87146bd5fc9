"""The words of the office: its tags, their templates, and the codes of what can be wrong.

The specification gives one shape and seven templates, "MANDATORY: do not deviate":

    [<ISO timestamp>] [<TAG>] <pipe-separated fields>

Everything else here follows from the table `TAGS`: the expression that reads a line, the filling-in that
writes it, the keys a careless line may use, and the page of the manual.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

# ---------------------------------------------------------------- codes

#: Why bytes are quarantined: they say nothing that could be acted on without guessing.
NOT_UTF8: Final = "OFF001"
TOO_LONG: Final = "OFF002"
CONTROL: Final = "OFF003"
NO_ENTRY: Final = "OFF004"
BAD_NAME: Final = "OFF005"
KEY_TWICE: Final = "OFF006"
STRAY_FIELD: Final = "OFF007"
NOTHING_SAID: Final = "OFF008"
NO_TASK: Final = "OFF009"
CROWD: Final = "OFF010"
GLUED: Final = "OFF011"
#: What is said of a line that is understood and kept.
NO_TIME: Final = "OFF020"
IMPOSSIBLE_TIME: Final = "OFF021"
ODD_TIME: Final = "OFF022"
FIELD_MISSING: Final = "OFF023"
UNKNOWN_TAG: Final = "OFF024"
ENTRY_INSIDE: Final = "OFF025"
BAD_TRAILER: Final = "OFF026"
#: Misfiled: found by the parser, so that whoever takes a line in knows at once. They have pages in `rules/`.
MANAGER_IN_EMPLOYEE_LOG: Final = "OFF102"
WORKER_IN_MANAGER_INBOX: Final = "OFF103"
ANOTHERS_LOG: Final = "OFF104"

CODES: Final = {
    NOT_UTF8: "the bytes are not UTF-8",
    TOO_LONG: "the line is longer than a line may be",
    CONTROL: "a NUL, or a carriage return inside the line",
    NO_ENTRY: "not `[<ISO timestamp>] [<TAG>] …`: free text, Markdown, JSON, a second line of an entry",
    BAD_NAME: "a name that could leave its folder, fool a reader or mean two things",
    KEY_TWICE: "a key stands twice, so the line says two things",
    STRAY_FIELD: "a `|` where no field of this tag can begin",
    NOTHING_SAID: "the act needs words, and there are none",
    NO_TASK: "the tag is about a task, and the line names none",
    CROWD: "more recipients than one line may name",
    GLUED: "the beginning of a torn entry, with a whole one glued to it",
    NO_TIME: "the timestamp is missing",
    IMPOSSIBLE_TIME: "the timestamp is no time",
    ODD_TIME: "the timestamp is of another century",
    FIELD_MISSING: "a field of the template is missing",
    UNKNOWN_TAG: "a tag that the office does not have; kept as information",
    ENTRY_INSIDE: "a whole entry stands inside the text of another",
    BAD_TRAILER: "a field of the trailer cannot be used",
    MANAGER_IN_EMPLOYEE_LOG: "a line of the manager in an employee's log: the worker will not see it there",
    WORKER_IN_MANAGER_INBOX: "a line of a worker in the manager's inbox: only the manager writes there",
    ANOTHERS_LOG: "a line by somebody else in an employee's log",
}

# ---------------------------------------------------------------- tags and templates


class Desk(StrEnum):
    """Who writes a file, and so which tags belong there."""

    WORKER = "worker"
    MANAGER = "manager"
    #: A file that is neither an employee's log nor the manager's inbox.
    NEITHER = "neither"


_FIELD: Final = re.compile(r"\{([a-z?-]+)\}|(\[)|(\])|([^{}\[\]]+)")
_TASK: Final = r"(?:task-|(?=rework-))([^\s|]+)"
_NAME: Final = r"[^\s|:,]+"
# How each field of a template is read; any other is a value without pipes and without spaces around it.
PATTERNS: Final = {
    "task": _TASK,
    "task?": f"(?:none|{_TASK})",
    "name": f"({_NAME})",
    "names": f"({_NAME}(?:, {_NAME})*)",
    "text": r"(.*)",
    "idle": r"(has been idle for [0-9]+ polls?\. .*)",
    "inactive": r"(marked inactive after [^|]*)",
}
_VALUE: Final = r"(?! )([^|]*[^|\s])"
# Fields that become the body. The first two may hold anything, because they end the line.
TEXTS: Final = ("text", "idle", "inactive", "words")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One tag: who writes it, the act it says, its template, and what follows from that."""

    name: str
    desk: Desk
    act: str
    template: str
    #: Read as an act that has another tag of its own: kept in the message, and written again.
    variant: bool
    #: The names of the fields, in order.
    fields: tuple[str, ...]
    #: Those that stand outside of brackets.
    required: tuple[str, ...]
    #: The field that becomes the body, or nothing.
    text: str
    #: Whether the text has a place of its own that must not be empty, so that `-` stands for none.
    dash: bool
    #: The field of every key: `by` → `name`, `reason` → `text`.
    keys: dict[str, str]


def _tag(name: str, desk: Desk, act: str, template: str, *, variant: bool = False) -> Tag:
    fields = tuple(what for kind, what in parts(template) if kind == "field")
    return Tag(
        name=name,
        desk=desk,
        act=act,
        template=template,
        variant=variant,
        fields=fields,
        required=tuple(re.findall(r"\{([a-z?-]+)\}", re.sub(r"\[[^\]]*\]", "", template))),
        text=next((field for field in fields if field in TEXTS), ""),
        dash=bool(re.search(r"(reason|action|type|rejected|redirected): \{(text|words)\}", template)),
        keys=dict(re.findall(r"([a-z-]+): \{([a-z?-]+)\}", template)),
    )


def parts(template: str) -> list[tuple[str, str]]:
    """Return a template as ("field" | "[" | "]" | "words", what) in order."""
    kinds = ("field", "[", "]", "words")
    return [
        next((kind, what) for kind, what in zip(kinds, match.groups(), strict=True) if what)
        for match in _FIELD.finditer(template)
    ]


def expression(template: str, patterns: Mapping[str, str], value: str) -> list[str]:
    """Return the pieces of a regular expression for a template; one group a field, in order."""
    out: list[str] = []
    for kind, what in parts(template):
        if kind == "words":
            out.append(re.escape(what))
        elif kind == "field":
            out.append(patterns.get(what, value))
        else:
            out.append("(?:" if kind == "[" else ")?")
    return out


def _exact(template: str) -> re.Pattern[str]:
    out = expression(template, PATTERNS, _VALUE)
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
    _tag(
        "APPROVAL",
        Desk.MANAGER,
        "approve",
        "{task} approved for {name}. Status: In Progress." + _NOTE,
    ),
    # [<ISO timestamp>] [DONE] task-<id> marked Done. Delivered by <employeeId>.
    _tag(
        "DONE",
        Desk.MANAGER,
        "accept",
        "{task} marked Done. Delivered by {name}." + _NOTE,
    ),
    # [<ISO timestamp>] [REJECT] task-<id> claim by <employeeId> rejected: <reason>.
    _tag(
        "REJECT",
        Desk.MANAGER,
        "refuse",
        "{task} claim by {name} rejected: {text}.",
    ),
    # No template is known for these three; they say what is wrong with a task, or with the work at large.
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
    # No template is known; a REDIRECT answers a claim, as a REJECT does, with a suggestion for a reason.
    _tag(
        "REDIRECT",
        Desk.MANAGER,
        "refuse",
        "{task} claim by {name} redirected: {text}.",
        variant=True,
    ),
    # No template is known for these four; they speak to somebody, as a REPLY does.
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
    _tag(
        "ABANDON",
        Desk.MANAGER,
        "release",
        "{name} {inactive}. Tasks released: {tasks}.",
        variant=True,
    ),
    # [<ISO>] [VIOLATION] <employeeId> | type: <reason> | action: Reverted
    _tag(
        "VIOLATION",
        Desk.MANAGER,
        "refuse",
        "{name} | type: {words} | action: {action}",
        variant=True,
    ),
)
BY_NAME: Final = {tag.name: tag for tag in TAGS}
#: The tag that says an act, at each desk.
NATIVE: Final = {(tag.desk, tag.act): tag for tag in TAGS if not tag.variant}
#: The carrier of each desk, in which everything can be said with a T.
GENERAL: Final = {Desk.WORKER: BY_NAME["INFO"], Desk.MANAGER: BY_NAME["REPLY"]}
#: `ask` has no tag of its own: a worker's INFO that ends so is a question.
QUESTION_MARKS: Final = ("?", "\uff1f")
#: Stands for a field that the template requires and nobody gave.
NONE: Final = "-"

# ---------------------------------------------------------------- lines

# The common form of a timestamp. Others, and the 29th of February, are read too, by `times.py`.
TIME: Final = (
    r"20[0-9]{2}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?!02)(?:0[1-9]|1[0-2])-(?:29|30)"
    r"|(?:0[13578]|1[02])-31)T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z"
)
#: What stands behind each tag, to the letter.
EXACT: Final = {tag.name: _exact(tag.template) for tag in TAGS}
#: A line as careless writers leave it: any case, tabs, no timestamp, anything in its place.
HEAD: Final = re.compile(
    r"[ \t]*(?:\[(?P<time>[^\[\]]*)\][ \t]*)?\[(?P<tag>[^\[\]|\x00-\x1f\x7f]{1,32})\](?:[ \t]*(?P<rest>.*))?",
    re.DOTALL,
)
#: The same to the letter.
LETTER: Final = re.compile(
    rf"\[(?P<time>[0-9][^\[\]]*)\] \[(?P<tag>{'|'.join(BY_NAME)})\] (?P<rest>.*)", re.DOTALL
)
#: The beginning of an entry inside a line: two writers that collided, or a quotation.
INSIDE: Final = re.compile(rf"\[{TIME}\] \[(?:{'|'.join(BY_NAME)})\] ")
#: Before a quoted entry stands one of these; before a glued one the middle of a word.
QUOTING: Final = frozenset(" \t\"'`([{<>\u00ab\u201c\u2018:")


def is_extra(field: str) -> bool:
    """Tell whether a field goes into meta, under its own name."""
    return field not in ("task", "task?", "tasks", "name", "names", "files", *TEXTS)
