"""The fields that operations share: type, bounds and help text, each written once."""

from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec import Meta

from palaver.bus.operations.request import PYTHON_ONLY, SPEAKER
from palaver.model.event import Event
from palaver.model.limits import (
    KEY_CHARS,
    LEVELS,
    LINE_BYTES,
    RECIPIENTS,
    ROWS,
    SUBJECT_CHARS,
    WAIT_SECONDS,
)
from palaver.model.message import ACTS, PRIORITIES, STAGES
from palaver.model.task import TASK_ACTS

#: Larger than any number of an event.
_LARGEST = 10**18 - 1
_SMALL = (1 << 31) - 1
#: Longer than any name, id or word that is of use. What it may be exactly is checked where it is used.
_WORD_CHARS = 2_000


#: What a name may be is checked where it is used, with `bad-name`.
_NAME = {"maxLength": _WORD_CHARS}


def _one_of(names: Iterable[str], description: str, title: str = "") -> Meta:
    return Meta(title=title or None, description=description, extra_json_schema={"enum": list(names)})


# --- who and to whom ---
Speaker = Annotated[
    str, Meta(description="the agent that acts (default: this session's)", extra={SPEAKER: 1})
]
AgentName = Annotated[str, Meta(title="NAME", description="name of an agent", extra_json_schema=_NAME)]
Recipients = Annotated[
    list[str] | str, Meta(title="TO", description="recipients: agents, @handles, roles, lists or @all")
]
RecipientList = Annotated[list[str], Meta(title="TO", description="recipients", max_length=RECIPIENTS)]
Handle = Annotated[str, Meta(title="H", description="short name, used as @HANDLE", extra_json_schema=_NAME)]
Role = Annotated[
    str, Meta(title="R", description="role whose mail the agent also receives", extra_json_schema=_NAME)
]
Level = Annotated[int, Meta(description=f"seniority, 1 to {LEVELS} (0: none)", ge=0, le=LEVELS)]

# --- what is said ---
Body = Annotated[str, Meta(title="BODY", description="message body", max_length=LINE_BYTES)]
Subject = Annotated[str, Meta(title="TEXT", description="subject line", max_length=SUBJECT_CHARS)]
Act = Annotated[
    str, _one_of(ACTS, "what the message does: inform, ask, answer, assign, claim, block, …", "ACT")
]
Priority = Annotated[str, _one_of(PRIORITIES, ", ".join(PRIORITIES), "P")]
Reasoning = Annotated[str, Meta(title="TEXT", description="why you say it", max_length=LINE_BYTES)]
Files = Annotated[
    list[dict[str, object]] | None,
    Meta(title="PATH", description="files it is about, each with path, size and sha256"),
]
Artifacts = Annotated[list[str] | None, Meta(description="artifacts it is about")]
Metadata = Annotated[dict[str, object] | None, Meta(title="K=V", description="fields for programs")]
Reason = Annotated[str, Meta(title="TEXT", description="reason, stored in the log", max_length=LINE_BYTES)]
About = Annotated[str, Meta(title="TEXT", description="description", max_length=LINE_BYTES)]
AllowSecret = Annotated[bool, Meta(description="send it even if it looks like a key or token")]
Key = Annotated[
    str,
    Meta(
        title="KEY",
        description="idempotency key: repeating it does nothing more",
        extra_json_schema={"maxLength": KEY_CHARS},
    ),
]

# --- which ---
MessageId = Annotated[str, Meta(title="ID", description="id of a message", max_length=_WORD_CHARS)]
MessageIds = Annotated[list[str], Meta(title="ID", description="ids of messages")]
EventId = Annotated[str, Meta(title="ID", description="number or id of an event", max_length=_WORD_CHARS)]
TaskId = Annotated[str, Meta(title="ID", description="id of a task", max_length=_WORD_CHARS)]
RunId = Annotated[str, Meta(title="ID", description="id of the run it belongs to", max_length=_WORD_CHARS)]
Words = Annotated[str, Meta(description="words to search for", max_length=LINE_BYTES)]
EventType = Annotated[
    str, Meta(title="T", description="only this type; mail.* for a family", max_length=_WORD_CHARS)
]
Actor = Annotated[str, Meta(title="NAME", description="only events of this agent", max_length=_WORD_CHARS)]
After = Annotated[int, Meta(title="SEQ", description="only events after this number", ge=0, le=_LARGEST)]
Before = Annotated[int, Meta(description="only events before this number (0: the newest)", ge=0, le=_LARGEST)]
Seq = Annotated[int, Meta(description="number of an event", ge=0, le=_LARGEST)]
EventRef = Annotated[Seq | MessageId, Meta(title="ID", description="id of a message, or number of an event")]
Rows = Annotated[int, Meta(description="maximum number of rows", ge=1, le=ROWS)]
Scope = Annotated[str, _one_of(("open", "unread", "all"), "which mail: open, unread or all")]
Stage = Annotated[str, _one_of(STAGES, "stage of delivery", "STAGE")]
Seconds = Annotated[float, Meta(description="seconds to wait", ge=0, le=WAIT_SECONDS)]

# --- tasks ---
CommitMessage = Annotated[str, Meta(title="TEXT", description="message of the commit", max_length=LINE_BYTES)]
Title = Annotated[str, Meta(title="TEXT", description="title of the task", max_length=SUBJECT_CHARS)]
TaskAct = Annotated[str, _one_of(sorted(TASK_ACTS), "what to do with the task")]
States = Annotated[tuple[str, ...], Meta(title="STATE", description="only tasks in this state")]
Needs = Annotated[list[str] | None, Meta(title="ID", description="tasks that must be done first")]
NeedsNot = Annotated[list[str] | None, Meta(title="ID", description="tasks that it no longer needs")]
Kind = Annotated[str, Meta(title="WORD", description="task, bug, feature, epic, …", max_length=_WORD_CHARS)]
Owner = Annotated[
    str,
    Meta(
        title="NAME",
        description="agent that approves, accepts and cancels (default: you)",
        extra_json_schema=_NAME,
    ),
]
Restricted = Annotated[
    str, Meta(title="NAME", description="agent, role or list that may claim it", extra_json_schema=_NAME)
]
TaskPriority = Annotated[int, Meta(description="0 (most urgent) to 4 (2)", ge=0, le=4)]
Difficulty = Annotated[int, Meta(description="1 to 5", ge=0, le=5)]
TaskLevel = Annotated[int, Meta(description="seniority that a claim needs", ge=0, le=_SMALL)]
Lease = Annotated[
    int,
    Meta(title="S", description="seconds without news after which a claim ends (0: never)", ge=0, le=_SMALL),
]
Approval = Annotated[bool | None, Meta(description="a claim waits for the owner's approval")]
Check = Annotated[
    bool | None, Meta(description="deliveries must be accepted; with --no-check, delivered is done")
]
Fence = Annotated[int, Meta(description="only if the claim still has this fence", ge=0, le=_LARGEST)]

# --- Python only ---
Events = Annotated[list[Event], Meta(description="events", extra={PYTHON_ONLY: 1})]
Progress = Annotated[
    Callable[[int], None] | None, Meta(description="called with progress", extra={PYTHON_ONLY: 1})
]
