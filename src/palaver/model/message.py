"""A message: what one agent says to others. And the closed list of acts: what a message can do.

A tuple with names and written-out arguments, because `palaver send` makes messages too.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections import _tuplegetter  # type: ignore[import-not-found]  # typeshed leaves it out

from palaver.model import secrets
from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.limits import TITLE_CHARS

# Every act, with what it does. Dialects say them in their own words; the list is closed.
ACTS = {
    "inform": "say something",
    "ask": "want an answer",
    "answer": "answer a question",
    "decide": "record a decision",
    "report": "tell how work goes",
    "review": "judge a piece of work",
    "health": "tell how a system is",
    "assign": "give a task",
    "claim": "want a task",
    "ack": "take what was given",
    "approve": "allow",
    "refuse": "say no",
    "block": "say that work cannot go on",
    "resume": "go on after a block",
    "deliver": "hand in work",
    "ready": "pass work on to be checked",
    "accept": "take work as done",
    "rework": "want work done again",
    "handoff": "pass work, or a session, to another",
    "release": "give a task back",
    "cancel": "end a task undone",
    "nudge": "wake an idle agent",
    "ping": "ask for a sign of life",
    "escalate": "bring a problem higher up",
    "autonomy": "set how freely an agent may act",
    "shutdown": "ask an agent to end",
    "leave": "confirm the end",
}
# Acts that say enough by themselves; the others need words.
WORDLESS = frozenset(
    ["ack", "approve", "claim", "accept", "resume", "release", "cancel", "nudge", "ping", "ready", "shutdown",
     "leave"]
)  # fmt: skip


class Priority:
    """One row of the table of priorities."""

    __slots__ = ("interrupts", "mark")

    def __init__(self, mark: str, *, interrupts: bool = True) -> None:
        """Take its mark in a list, and whether it is shown to an agent that has work."""
        self.mark = mark
        self.interrupts = interrupts


# Every priority, in the order in which an inbox shows them.
PRIORITIES = {
    "urgent": Priority("!"),
    "normal": Priority(" "),
    "low": Priority("-", interrupts=False),
}
# Those above the normal one: lists of what is unanswered begin with them, and the dashboard marks them.
URGENT = tuple(PRIORITIES)[: tuple(PRIORITIES).index("normal")]


def priority_of(name: str) -> Priority:
    """Return the row of a priority; a log may name one that this release does not have."""
    return PRIORITIES.get(name) or PRIORITIES["normal"]


# The key of `meta` for what a command was given to write into the file of a mount: the name of the mount, and
# whatever its dialect needs to write exactly that.
WRITTEN = "written"


def origin_of(event: Event) -> str:
    """Return the mount that a message comes from: it was found there, or written there with a command."""
    if event.src is not None:
        return text(event.src, "mount")
    return text(table(table(event.data, "meta"), WRITTEN), "mount") if "meta" in event.data else ""


# What has become of a message for one recipient, in order. `undeliverable` and `withdrawn` end it.
STAGES = ("stored", "notified", "injected", "read", "acknowledged", "answered")


class Message(tuple[object, ...]):
    """One message, as it was sent. Immutable: `replace` returns a copy with other values.

    A tuple with names: a file has as many messages as lines, and no other object is created faster.
    """

    __slots__ = ()

    sender: str = _tuplegetter(0, "")
    to: list[str] = _tuplegetter(1, "")
    body: str = _tuplegetter(2, "")
    id: str = _tuplegetter(3, "")
    act: str = _tuplegetter(4, "")
    subject: str = _tuplegetter(5, "")
    priority: str = _tuplegetter(6, "")
    reasoning: str = _tuplegetter(7, "")
    task: str = _tuplegetter(8, "")
    run: str = _tuplegetter(9, "")
    reply_to: str = _tuplegetter(10, "")
    files: list[dict[str, object]] = _tuplegetter(11, "")
    artifacts: list[str] = _tuplegetter(12, "")
    meta: dict[str, object] = _tuplegetter(13, "")
    tag: str = _tuplegetter(14, "")
    hops: int = _tuplegetter(15, "")
    undeliverable: bool = _tuplegetter(16, "")
    redacted: bool = _tuplegetter(17, "")
    thread: str = _tuplegetter(18, "")
    at: str = _tuplegetter(19, "")
    seq: int = _tuplegetter(20, "")
    event_id: str = _tuplegetter(21, "")
    auth: str = _tuplegetter(22, "")
    inside: dict[str, object] = _tuplegetter(23, "")

    def __new__(
        cls,
        *,
        sender: str,
        to: list[str],
        body: str = "",
        id: str = "",  # noqa: A002 - the field is called id in every dialect
        act: str = "inform",
        subject: str = "",
        priority: str = "normal",
        reasoning: str = "",
        task: str = "",
        run: str = "",
        reply_to: str = "",
        files: list[dict[str, object]] | None = None,
        artifacts: list[str] | None = None,
        meta: dict[str, object] | None = None,
        tag: str = "",
        thread: str = "",
        hops: int = 0,
        at: str = "",
        seq: int = 0,
        event_id: str = "",
        auth: str = "claimed",
        inside: dict[str, object] | None = None,
        undeliverable: bool = False,
        redacted: bool = False,
    ) -> "Message":
        """Take what was sent; what is left out was not given."""
        return tuple.__new__(
            cls,
            (
                sender, to, body, id, act, subject, priority, reasoning, task, run, reply_to, files or [],
                artifacts or [], meta or {}, tag, hops, undeliverable, redacted, thread, at, seq, event_id,
                auth, inside or {},
            ),
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        """Compare all fields."""
        return isinstance(other, Message) and tuple.__eq__(self, other)

    def __hash__(self) -> int:
        """Hash by the id."""
        return hash(self.id)

    def __repr__(self) -> str:
        """Show enough to find it again."""
        return f"<message {self.id} {self.act} from {self.sender} to {', '.join(self.to)}>"

    def replace(self, **changes: object) -> "Message":
        """Return a copy with other values for some fields."""
        values = [*self]
        for name, value in changes.items():
            values[_FIELDS.index(name)] = value
        return tuple.__new__(Message, values)

    def fields(self) -> dict[str, object]:
        """Return what a `mail.sent` event holds of it; what is as usual is left out."""
        data: dict[str, object] = {"message_id": self.id, "from": self.sender, "to": self.to}
        if self.act != "inform":
            data["act"] = self.act
        if self.subject:
            data["subject"] = self.subject
        data["body"] = self.body
        if self.priority != "normal":
            data["priority"] = self.priority
        rare = self[_RARE]
        if any(rare):
            data |= {name: value for name, value in zip(_FIELDS[_RARE], rare, strict=True) if value}
        return data

    def plain(self) -> dict[str, object]:
        """Return every field, for programs; the names are the documented ones."""
        return {_NAMES.get(field, field): getattr(self, field) for field in _PLAIN}


_FIELDS = tuple(Message.__annotations__)
# Fields of the same name in the class and in the event, stored only when they say something.
_RARE = slice(_FIELDS.index("reasoning"), _FIELDS.index("thread"))
# All fields, in the order in which programs get them, and the one that they know by another name.
_PLAIN = ("id", "seq", "event_id", "at", "sender", "auth", "inside", "to", "act", "subject", "body",
          "priority", "reasoning", "task", "run", "reply_to", "thread", "hops", "files", "artifacts", "meta",
          "tag", "undeliverable", "redacted")  # fmt: skip
_NAMES = {"sender": "from"}


# The fields of a message that hold what was said; the others are names, ids and numbers.
_SAID = ("subject", "body", "reasoning", "task", "run", "reply_to", "tag", "artifacts", "files", "meta")


def from_event(event: Event) -> Message:
    """Return the message of a `mail.sent` event; a field of a wrong type counts as absent."""
    data = event.data
    files = data.get("files")
    message_id = text(data, "message_id")
    return Message(
        sender=text(data, "from") or event.actor,
        to=texts(data, "to"),
        body=text(data, "body"),
        id=message_id,
        act=text(data, "act") or "inform",
        subject=text(data, "subject"),
        priority=text(data, "priority") or "normal",
        reasoning=text(data, "reasoning"),
        task=text(data, "task"),
        run=text(data, "run"),
        reply_to=text(data, "reply_to"),
        files=[item for item in files if type(item) is dict] if type(files) is list else None,
        artifacts=texts(data, "artifacts"),
        meta=table(data, "meta"),
        tag=text(data, "tag"),
        thread=event.correlation_id or message_id,
        hops=number(data, "hops"),
        at=text(data, "at") or event.timestamp,
        seq=event.seq,
        event_id=event.event_id,
        auth=event.auth,
        inside=event.inside,
        undeliverable=flag(data, "undeliverable"),
        redacted=flag(data, "redacted"),
    )


def mask_message(message: Message) -> tuple[Message, list[str]]:
    """Return a message without the secrets in its fields, and the families of these.

    What a command would refuse to send, a file has said already.
    """
    families: list[str] = []
    masked: dict[str, object] = {}
    for field in _SAID:
        value = getattr(message, field)
        if value:
            plain, found = secrets.mask_value(value)
            if found:
                families += found
                masked[field] = plain
    if secrets.BLOCK in families:
        # Few messages have a key.
        from palaver.model.masking.masks import mask_rest_of_keys

        said = {field: getattr(message, field) for field in ("subject", "reasoning", "body")}
        masked |= mask_rest_of_keys(said, {field: str(masked.get(field, said[field])) for field in said})
    return (message.replace(**masked) if masked else message), families


def headline(message: Message) -> str:
    """Return the one line by which a person knows the message."""
    if message.redacted:
        return "(redacted)"
    return message.subject or message.body.partition("\n")[0] or message.task


def title_of(body: str) -> str:
    """Return the first words of a text, as the subject of a message that has none."""
    line = body.strip().partition("\n")[0].rstrip()
    return line if len(line) <= TITLE_CHARS else f"{line[: TITLE_CHARS - 1]}…"
