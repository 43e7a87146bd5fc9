"""A message: what one agent says to others. And the closed list of acts: what a message can do.

A plain slotted class with written-out arguments, because the one-shot commands make messages too.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.model.event import Event, flag, number, table, text, texts

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
    [
        "ack",
        "approve",
        "claim",
        "accept",
        "resume",
        "release",
        "cancel",
        "nudge",
        "ping",
        "ready",
        "shutdown",
        "leave",
    ]
)


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


def priority_of(name: str) -> Priority:
    """Return the row of a priority; a log may name one that this release does not have."""
    return PRIORITIES.get(name) or PRIORITIES["normal"]


# What has become of a message for one recipient, in order. `undeliverable` and `withdrawn` end it.
STAGES = ("stored", "notified", "injected", "read", "acknowledged", "answered")
# Of a usual message at most; quoted, so many are still far from what a record holds.
_USUAL_CHARS = 10_000


class Message:
    """One message, as it was said."""

    __slots__ = (  # noqa: RUF023 - in the order of the arguments of `__init__`
        "sender", "to", "body", "id", "act", "subject", "priority", "reasoning", "task", "run", "reply_to",
        "files", "artifacts", "meta", "tag", "thread", "hops", "at", "seq", "event_id", "auth",
        "undeliverable", "redacted",
    )  # fmt: skip

    sender: str
    to: list[str]
    body: str
    id: str
    act: str
    subject: str
    priority: str
    reasoning: str
    task: str
    run: str
    reply_to: str
    files: list[dict[str, object]]
    artifacts: list[str]
    meta: dict[str, object]
    tag: str
    thread: str
    hops: int
    at: str
    seq: int
    event_id: str
    auth: str
    undeliverable: bool
    redacted: bool

    def __init__(
        self,
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
        undeliverable: bool = False,
        redacted: bool = False,
    ) -> None:
        """Take what was said; what is left out was not said."""
        values = (
            sender, to, body, id, act, subject, priority, reasoning, task, run, reply_to, files or [],
            artifacts or [], meta or {}, tag, thread, hops, at, seq, event_id, auth, undeliverable, redacted,
        )  # fmt: skip
        for store, value in zip(_STORES, values, strict=True):
            store(self, value)

    def __eq__(self, other: object) -> bool:
        """Compare by everything that was said."""
        return isinstance(other, Message) and self.plain() == other.plain()

    def __hash__(self) -> int:
        """Hash by the id."""
        return hash(self.id)

    def __repr__(self) -> str:
        """Show enough to find it again."""
        return f"<message {self.id} {self.act} from {self.sender} to {', '.join(self.to)}>"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a message is never changed. `replace` returns another one."""
        raise AttributeError(f"a message cannot be changed: use replace({name}=...)")

    def replace(self, **changes: object) -> "Message":
        """Return a copy with other values for some fields."""
        fields: dict[str, object] = {name: getattr(self, name) for name in Message.__slots__}
        fields.update(changes)
        return Message(**fields)  # type: ignore[arg-type]  # by name, as its fields are

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
        if self._is_rare():
            for name in _RARE:
                value: object = getattr(self, name)
                if value:
                    data[name] = value
        return data

    def is_usual(self) -> bool:
        """Tell whether it says nothing but a text, and not a long one: as most messages do."""
        plain = self.act == "inform" and self.priority == "normal" and not self.subject
        return plain and len(self.body) < _USUAL_CHARS and not self._is_rare()

    def _is_rare(self) -> bool:
        """Tell whether any of the fields is used that most messages do not have."""
        more = self.reasoning or self.task or self.run or self.reply_to or self.files or self.artifacts
        return bool(more or self.meta or self.tag or self.hops or self.undeliverable or self.redacted)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs; the names are the documented ones."""
        return {
            "id": self.id,
            "seq": self.seq,
            "event_id": self.event_id,
            "at": self.at,
            "from": self.sender,
            "auth": self.auth,
            "to": self.to,
            "act": self.act,
            "subject": self.subject,
            "body": self.body,
            "priority": self.priority,
            "reasoning": self.reasoning,
            "task": self.task,
            "run": self.run,
            "reply_to": self.reply_to,
            "thread": self.thread,
            "hops": self.hops,
            "files": self.files,
            "artifacts": self.artifacts,
            "meta": self.meta,
            "tag": self.tag,
            "undeliverable": self.undeliverable,
            "redacted": self.redacted,
        }


# What stores each field, past `__setattr__`.
_STORES = tuple(getattr(Message, name).__set__ for name in Message.__slots__)
# Fields of the same name in the class and in the event, stored only when they say something.
_RARE = (
    "reasoning",
    "task",
    "run",
    "reply_to",
    "files",
    "artifacts",
    "meta",
    "tag",
    "hops",
    "undeliverable",
    "redacted",
)


def from_event(event: Event) -> Message:
    """Return the message of a `mail.sent` event; whatever is wrong in it counts as not said."""
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
        undeliverable=flag(data, "undeliverable"),
        redacted=flag(data, "redacted"),
    )


def headline(message: Message) -> str:
    """Return the one line by which a person knows the message."""
    if message.redacted:
        return "(redacted)"
    return message.subject or message.body.partition("\n")[0] or message.task
