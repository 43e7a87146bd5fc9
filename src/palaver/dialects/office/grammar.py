"""The words of the office: its tags, their templates, and the codes of what can be wrong.

The specification gives one shape and seven templates, "MANDATORY: do not deviate":

    [<ISO timestamp>] [<TAG>] <pipe-separated fields>

Everything else here follows from the table `TAGS`: the expression that reads a line, the filling-in that
writes it, the keys a careless line may use, and the page of the manual.
"""

import re
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
# Fields that become the body. The first two may hold anything, because they end the line.
TEXTS: Final = ("text", "idle", "inactive", "words")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One tag: who writes it, the act it says, its template."""

    name: str
    desk: Desk
    act: str
    template: str
    #: Read as an act that has another tag of its own: kept in the message, and written again.
    variant: bool = False

    @property
    def parts(self) -> list[tuple[str, str]]:
        """Return the template as ("field" | "text" | "[" | "]", what) in order."""
        kinds = ("field", "[", "]", "text")
        return [
            next((kind, what) for kind, what in zip(kinds, match.groups(), strict=True) if what)
            for match in _FIELD.finditer(self.template)
        ]

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of the fields, in order."""
        return tuple(what for kind, what in self.parts if kind == "field")

    @property
    def required(self) -> tuple[str, ...]:
        """Return the fields that stand outside of brackets."""
        bare = re.sub(r"\[[^\]]*\]", "", self.template)
        return tuple(field for field in re.findall(r"\{([a-z?-]+)\}", bare))

    @property
    def text(self) -> str:
        """Return the field that becomes the body, or nothing."""
        return next((field for field in self.fields if field in TEXTS), "")

    @property
    def keys(self) -> dict[str, str]:
        """Return the field of every key: `by` → `name`, `reason` → `text`."""
        return dict(re.findall(r"([a-z-]+): \{([a-z?-]+)\}", self.template))

    @property
    def dash(self) -> bool:
        """Tell whether the text is required, so that `-` stands for none."""
        return bool(re.search(r"(reason|action|type|rejected|redirected): \{(text|words)\}", self.template))

    def expression(self) -> str:
        """Return the regular expression of what stands behind the tag; one group a field, in order."""
        out: list[str] = []
        parts = self.parts
        for place, (kind, what) in enumerate(parts):
            if kind == "text":
                out.append(re.escape(what))
            elif kind == "field":
                out.append(_PATTERNS.get(what, _VALUE))
                if what == "text" and place == len(parts) - 1:
                    # An empty text has no space before it.
                    before = out[-2].removesuffix(re.escape(" "))
                    out[-2:] = [before, f"(?: {_PATTERNS['text']})?"]
            else:
                out.append("(?:" if kind == "[" else ")?")
        return "".join(out)


_NOTE: Final = "[ | note: {text}]"
_TROUBLE: Final = "[{task} | ]by: {name} | reason: {text}"
_TO: Final = "To {names}: {text}"

TAGS: Final = (
    # **Worker writes to `employee-<employeeId>.log`:**
    # [<ISO timestamp>] [INFO] by: <employeeId> | <free text message>
    Tag(name="INFO", desk=Desk.WORKER, act="inform", template="by: {name} | {text}"),
    # [<ISO timestamp>] [CLAIM] task-<id> | title: <title> | by: <employeeId> | difficulty: <N> | deps-met: yes
    # … | board-read-at: <ISO>    (the full line of the company's handbook; optional)
    Tag(
        name="CLAIM",
        desk=Desk.WORKER,
        act="claim",
        template="{task} | title: {title} | by: {name} | difficulty: {difficulty} | deps-met: {deps-met}"
        "[ | board-read-at: {board-read-at}]" + _NOTE,
    ),
    # [<ISO timestamp>] [DELIVERY] task-<id> | by: <employeeId> | files: <file1>, <file2> | criteria-met: all
    Tag(
        name="DELIVERY",
        desk=Desk.WORKER,
        act="deliver",
        template="{task} | by: {name} | files: {files} | criteria-met: {criteria-met}" + _NOTE,
    ),
    # [<ISO>] [HEARTBEAT] <employeeId> | status: <working|waiting|blocked> | current-task: <task-id or none>
    # | action: <text>
    Tag(
        name="HEARTBEAT",
        desk=Desk.WORKER,
        act="report",
        template="{name} | status: {status} | current-task: {task?} | action: {text}",
    ),
    # **Manager writes to `manager-inbox.log`:**
    # [<ISO timestamp>] [REPLY] To <employeeId>: <message content>
    Tag(name="REPLY", desk=Desk.MANAGER, act="answer", template=_TO),
    # [<ISO timestamp>] [APPROVAL] task-<id> approved for <employeeId>. Status: In Progress.
    Tag(
        name="APPROVAL",
        desk=Desk.MANAGER,
        act="approve",
        template="{task} approved for {name}. Status: In Progress." + _NOTE,
    ),
    # [<ISO timestamp>] [DONE] task-<id> marked Done. Delivered by <employeeId>.
    Tag(
        name="DONE",
        desk=Desk.MANAGER,
        act="accept",
        template="{task} marked Done. Delivered by {name}." + _NOTE,
    ),
    # [<ISO timestamp>] [REJECT] task-<id> claim by <employeeId> rejected: <reason>.
    Tag(
        name="REJECT",
        desk=Desk.MANAGER,
        act="refuse",
        template="{task} claim by {name} rejected: {text}.",
    ),
    # No template is known for these three; they say what is wrong with a task, or with the work at large.
    Tag(name="BLOCKED", desk=Desk.WORKER, act="block", template=_TROUBLE),
    Tag(name="WAITING", desk=Desk.WORKER, act="report", template=_TROUBLE, variant=True),
    Tag(name="CONFLICT", desk=Desk.WORKER, act="escalate", template=_TROUBLE, variant=True),
    # [<ISO>] [TIMEOUT] task-<id> | by: <employeeId> | waited: 3 rounds | action: releasing claim
    Tag(
        name="TIMEOUT",
        desk=Desk.WORKER,
        act="release",
        template="{task} | by: {name} | waited: {waited} | action: {action}" + _NOTE,
        variant=True,
    ),
    # No template is known; a REDIRECT answers a claim, as a REJECT does, with a suggestion for a reason.
    Tag(
        name="REDIRECT",
        desk=Desk.MANAGER,
        act="refuse",
        template="{task} claim by {name} redirected: {text}.",
        variant=True,
    ),
    # No template is known for these four; they speak to somebody, as a REPLY does.
    Tag(name="WAKE", desk=Desk.MANAGER, act="nudge", template=_TO),
    Tag(name="WAKE_FINAL", desk=Desk.MANAGER, act="nudge", template=_TO, variant=True),
    Tag(name="INSTRUCTION", desk=Desk.MANAGER, act="inform", template=_TO, variant=True),
    Tag(name="STOP", desk=Desk.MANAGER, act="shutdown", template=_TO),
    # [<ISO>] [IDLE_WARNING] <employeeId> has been idle for 3 polls. Please claim a task or report blockers.
    Tag(name="IDLE_WARNING", desk=Desk.MANAGER, act="nudge", template="{name} {idle}", variant=True),
    # No template is known; it follows the warning, in the same words.
    Tag(name="IDLE_REPORT", desk=Desk.MANAGER, act="escalate", template="{name} {idle}", variant=True),
    # [<ISO>] [ABANDON] <employeeId> marked inactive after 3 missed heartbeats. Tasks released: task-<id1>,
    # task-<id2>.
    Tag(
        name="ABANDON",
        desk=Desk.MANAGER,
        act="release",
        template="{name} {inactive}. Tasks released: {tasks}.",
        variant=True,
    ),
    # [<ISO>] [VIOLATION] <employeeId> | type: <reason> | action: Reverted
    Tag(
        name="VIOLATION",
        desk=Desk.MANAGER,
        act="refuse",
        template="{name} | type: {words} | action: {action}",
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

# The common form of a timestamp. Others are read too, by `times.py`.
_TIME: Final = (
    r"20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?Z"
)
#: One line, to the letter. The last group of each branch is empty and says which tag it was.
LINE: Final = re.compile(
    rf"\[({_TIME})\] \[(?:" + "|".join(rf"{tag.name}\] {tag.expression()}()" for tag in TAGS) + ")"
)
#: What stands behind each tag, to the letter.
EXACT: Final = {tag.name: re.compile(tag.expression()) for tag in TAGS}
#: A line as careless writers leave it: any case, tabs, no timestamp, anything in its place.
HEAD: Final = re.compile(
    r"[ \t]*(?:\[(?P<time>[^\[\]]*)\][ \t]*)?\[(?P<tag>[A-Za-z][A-Za-z_ -]{0,31})\](?:[ \t]*(?P<rest>.*))?",
    re.DOTALL,
)
#: The beginning of an entry inside a line: two writers that collided, or a quotation.
INSIDE: Final = re.compile(rf"\[{_TIME}\] \[(?:{'|'.join(tag.name for tag in TAGS)})\] ")
#: Before a quoted entry stands one of these; before a glued one the middle of a word.
QUOTING: Final = frozenset(" \t\"'`([{<>«“‘:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Where the groups of one tag are in `LINE`."""

    tag: Tag
    #: Groups of time, name, task and text; the empty one where the tag has no such field.
    core: tuple[int, int, int, int]
    #: Further fields that go into meta, with their groups.
    extras: tuple[tuple[str, int], ...]
    files: int


def _forms() -> dict[int, Form]:
    forms: dict[int, Form] = {}
    mark = 1
    for tag in TAGS:
        at = {field: mark + n for n, field in enumerate(tag.fields, start=1)}
        mark += len(at) + 1
        forms[mark] = Form(
            tag=tag,
            core=(
                1,
                at.get("name", at.get("names", mark)),
                at.get("task", at.get("task?", mark)),
                at.get(tag.text, mark),
            ),
            extras=tuple((field, at[field]) for field in extras(tag)),
            files=at.get("files", 0),
        )
    return forms


def extras(tag: Tag) -> tuple[str, ...]:
    """Return the fields of a tag that go into meta under their own names."""
    return tuple(
        field
        for field in tag.fields
        if field not in ("task", "task?", "tasks", "name", "names", "files", *TEXTS)
    )


#: By the number of the last group that matched.
FORMS: Final = _forms()
