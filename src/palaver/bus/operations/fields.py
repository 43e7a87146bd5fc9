"""The fields that operations share: type, bounds and help text, each written once."""

from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec import Meta

from palaver.bus.operations.request import PYTHON_ONLY, SPEAKER
from palaver.model.event import Event
from palaver.model.limits import (
    KEY_CHARS,
    LEVELS,
    NAME_CHARS,
    NAME_SEGMENTS,
    RECIPIENTS,
    ROWS,
    SUBJECT_CHARS,
    TASK_CHARS,
    TEXT_CHARS,
    WAIT_SECONDS,
)
from palaver.model.message import ACTS, PRIORITIES, STAGES
from palaver.model.task import TASK_ACTS

#: Larger than any number of an event.
_LARGEST = 10**18 - 1
_SMALL = (1 << 31) - 1
#: Longer than any id or word that is of use. What it may be exactly is checked where it is used.
_WORD_CHARS = 2_000
#: The longest name: each segment, with a slash or an @.
LONGEST_NAME = NAME_SEGMENTS * (NAME_CHARS + 1)
#: How the id of a task can look; none is empty.
_TASK = r"^([^-.~/\\\s][^/\\\s]*)?$"


def _text(description: str, title: str = "", most: int = _WORD_CHARS) -> Meta:
    return Meta(title=title or None, description=description, max_length=most)


def _name(description: str, title: str = "NAME", most: int = LONGEST_NAME) -> Meta:
    """Describe a name. Its length is checked where it is used, with `bad-name`."""
    return Meta(title=title, description=description, extra_json_schema={"maxLength": most})


def _number(description: str, most: float, least: int = 0, title: str = "") -> Meta:
    return Meta(title=title or None, description=description, ge=least, le=most)


def _one_of(names: Iterable[str], description: str, title: str = "") -> Meta:
    return Meta(title=title or None, description=description, extra_json_schema={"enum": list(names)})


def _python(description: str) -> Meta:
    return Meta(description=description, extra={PYTHON_ONLY: 1})


# --- who and to whom ---
Speaker = Annotated[
    str, Meta(description="the agent that acts (default: this session's)", extra={SPEAKER: 1})
]
AgentName = Annotated[str, _name("name of an agent")]
_TO = Meta(title="TO", description="recipients: agents, @handles, roles, lists or @all")
_SOME = Meta(extra_json_schema={"minItems": 1, "maxItems": RECIPIENTS})
_ONE = Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST_NAME})
Recipients = Annotated[Annotated[list[str], _SOME] | Annotated[str, _ONE], _TO]
NoRecipients = Annotated[list[str] | str, _TO]
RecipientList = Annotated[
    list[str],
    Meta(title="TO", description="recipients", max_length=RECIPIENTS, extra_json_schema={"minItems": 1}),
]
Handle = Annotated[str, _name("short name, used as @HANDLE", "H")]
Role = Annotated[str, _name("role whose mail the agent also receives", "R")]
Level = Annotated[int, _number(f"seniority, 1 to {LEVELS} (0: none)", LEVELS)]

# --- what is said ---
Body = Annotated[str, _text("message body", "BODY", TEXT_CHARS)]
Subject = Annotated[str, _text("subject line", "TEXT", SUBJECT_CHARS)]
Act = Annotated[
    str, _one_of(ACTS, "what the message does: inform, ask, answer, assign, claim, block, …", "ACT")
]
Priority = Annotated[str, _one_of(PRIORITIES, ", ".join(PRIORITIES), "P")]
Reasoning = Annotated[str, _text("why you say it", "TEXT", TEXT_CHARS)]
Files = Annotated[
    list[dict[str, object]] | None,
    Meta(title="PATH", description="files it is about, each with path, size and sha256"),
]
Artifacts = Annotated[list[str] | None, Meta(description="artifacts it is about")]
Metadata = Annotated[dict[str, object] | None, Meta(title="K=V", description="fields for programs")]
Reason = Annotated[str, _text("reason, stored in the log", "TEXT", TEXT_CHARS)]
About = Annotated[str, _text("description", "TEXT", TEXT_CHARS)]
AllowSecret = Annotated[
    bool, Meta(description="send it even if it holds what looks like a key, token or password")
]
AllowUnknown = Annotated[bool, Meta(description="store it even if it reaches no agent")]
RewriteFiles = Annotated[bool, Meta(description="take the text out of the mounted files that hold it, too")]
Key = Annotated[str, _name("idempotency key: repeating it does nothing more", "KEY", KEY_CHARS)]

# --- which ---
MessageId = Annotated[str, _text("id of a message", "ID")]
MessageIds = Annotated[list[str], Meta(title="ID", description="ids of messages")]
Peek = Annotated[bool, Meta(description="do not record it: the messages stay unread")]
EventId = Annotated[str, _text("number or id of an event, id of a message or a quarantine entry", "ID")]
TaskId = Annotated[
    str,
    Meta(
        title="ID",
        description="id of a task",
        extra_json_schema={"maxLength": TASK_CHARS, "pattern": _TASK},
    ),
]
RunId = Annotated[str, _text("id of the run it belongs to", "ID")]
Words = Annotated[str, _text("words to search for", most=TEXT_CHARS)]
EventType = Annotated[str, _text("only this type; mail.* for a family", "T")]
Actor = Annotated[str, _text("only events of this agent", "NAME")]
After = Annotated[int, _number("only events after this number", _LARGEST, title="SEQ")]
Before = Annotated[int, _number("only events before this number (0: the newest)", _LARGEST)]
Seq = Annotated[int, _number("number of an event", _LARGEST)]
EventRef = Annotated[
    Seq | MessageId,
    Meta(title="ID", description="id of a message or of a quarantine entry, or number of an event"),
]
Rows = Annotated[int, _number("maximum number of rows", ROWS, 1)]
Scope = Annotated[str, _one_of(("open", "unread", "all"), "which mail: open, unread or all")]
Stage = Annotated[str, _one_of(STAGES, "stage of delivery", "STAGE")]
Seconds = Annotated[float, _number("seconds to wait", WAIT_SECONDS)]
RecordHash = Annotated[str, _text("head of an earlier verify, whose record the log must still have", "HEAD")]
CommitMessage = Annotated[str, _text("message of the commit", "TEXT", TEXT_CHARS)]

# --- tasks ---
Title = Annotated[str, _text("title of the task", "TEXT", SUBJECT_CHARS)]
TaskAct = Annotated[str, _one_of(sorted(TASK_ACTS), "what to do with the task")]
States = Annotated[tuple[str, ...], Meta(title="STATE", description="only tasks in this state")]
Needs = Annotated[list[str] | None, Meta(title="ID", description="tasks that must be done first")]
NeedsNot = Annotated[list[str] | None, Meta(title="ID", description="tasks that it no longer needs")]
Kind = Annotated[str, _text("task, bug, feature, epic, …", "WORD")]
Owner = Annotated[str, _name("agent that approves, accepts and cancels (default: you)")]
Restricted = Annotated[str, _name("agent, role or list that may claim it")]
TaskPriority = Annotated[int, _number("0 (most urgent) to 4 (2)", 4)]
Difficulty = Annotated[int, _number("1 to 5", 5)]
TaskLevel = Annotated[int, _number("seniority that a claim needs", _SMALL)]
Lease = Annotated[int, _number("seconds without news after which a claim ends (0: never)", _SMALL, title="S")]
Approval = Annotated[bool | None, Meta(description="a claim waits for the owner's approval")]
Check = Annotated[
    bool | None, Meta(description="deliveries must be accepted; without, a delivered task is done")
]
Fence = Annotated[int, _number("only if the claim still has this fence", _LARGEST)]

# --- Python only ---
Events = Annotated[list[Event], _python("events")]
Progress = Annotated[Callable[[int], None] | None, _python("called with progress")]
