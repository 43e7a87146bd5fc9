"""An event: a fact in the log. And a draft: a fact that has no number yet.

Plain slotted classes and typed getters, because the one-shot commands fold events too, and a
getter that returns an empty value for a wrong type is what keeps a fold total: a log that is
already written is never an exception.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

#: How the name of a source begins that was replaced and still gained lines.
REPLACED = "attic/"
#: The same of files that were rotated: another file has the place of each, which is still read.
ROTATED = "rotated/"


class Draft:
    """An event that is to be appended to the log."""

    __slots__ = ("actor", "auth", "caused_by", "correlation_id", "data", "event_id", "event_type", "inside",
                 "key", "request", "src", "timestamp")  # fmt: skip

    def __init__(
        self,
        event_type: str,
        *,
        actor: str,
        data: dict[str, object],
        event_id: str,
        timestamp: str,
        auth: str = "claimed",
        key: str = "",
        src: dict[str, object] | None = None,
        correlation_id: str = "",
        caused_by: str = "",
    ) -> None:
        """Take everything but the number, which the log assigns under its lock."""
        self.event_type = event_type
        self.actor = actor
        self.data = data
        self.event_id = event_id
        self.timestamp = timestamp
        self.auth = auth
        self.key = key
        #: The digest of the request that the key stands for, if it is more than this event.
        self.request = ""
        self.src = src
        self.correlation_id = correlation_id
        self.caused_by = caused_by
        #: The run of the process that appended it, and the agent of that run; None outside a run.
        self.inside: dict[str, object] | None = None

    def numbered(self, seq: int) -> "Event":
        """Return the event that this draft becomes under a number of the log."""
        # Written out, because it happens while the log is locked.
        event = Event.__new__(Event)
        event.place, event.prev, event.seq = "", "", seq
        event.event_type, event.actor, event.data = self.event_type, self.actor, self.data
        event.event_id, event.timestamp, event.auth = self.event_id, self.timestamp, self.auth
        event.key, event.request, event.src, event.inside = self.key, self.request, self.src, self.inside
        event.correlation_id, event.caused_by = self.correlation_id, self.caused_by
        return event

    def signed(self, vouched: str, inside: dict[str, object] | None) -> "Draft":
        """Return the same draft, from a process inside a run, which proves the identity of one agent."""
        draft = Draft.__new__(Draft)
        for name in Draft.__slots__:
            setattr(draft, name, getattr(self, name))
        if vouched and self.actor == vouched:
            draft.auth = "token"
        draft.inside = inside
        return draft


class Event(Draft):
    """An event as the log holds it."""

    __slots__ = ("place", "prev", "seq")

    def __init__(self, fields: dict[str, object], place: str = "") -> None:
        """Take the fields of a record, a field of a wrong type counts as absent; and its place in the log.

        Written out, because a replay does it a million times.
        """
        self.place = place
        get = fields.get
        self.seq = value if type(value := get("seq")) is int else 0
        self.event_type = value if type(value := get("event_type")) is str else ""
        self.actor = value if type(value := get("actor")) is str else ""
        self.data = value if type(value := get("data")) is dict else {}
        self.event_id = value if type(value := get("event_id")) is str else ""
        self.timestamp = value if type(value := get("timestamp")) is str else ""
        self.auth = value if type(value := get("auth")) is str else ""
        self.key = value if type(value := get("key")) is str else ""
        self.request = value if type(value := get("request")) is str else ""
        self.src = value if type(value := get("src")) is dict else None
        self.inside = value if type(value := get("inside")) is dict else None
        self.correlation_id = value if type(value := get("correlation_id")) is str else ""
        self.caused_by = value if type(value := get("caused_by")) is str else ""
        self.prev = value if type(value := get("prev")) is str else ""

    def __eq__(self, other: object) -> bool:
        """Compare all fields of the record."""
        return isinstance(other, Event) and self.plain() == other.plain()

    def __hash__(self) -> int:
        """Hash by the id, which is unique."""
        return hash(self.event_id)

    def __repr__(self) -> str:
        """Show enough to find it again."""
        return f"<event {self.seq} {self.event_type} by {self.actor}>"

    def having(self, data: dict[str, object]) -> "Event":
        """Return the same event, with other data."""
        return Event({**self.plain(), "prev": self.prev, "data": data}, self.place)

    def plain(self) -> dict[str, object]:
        """Return the fields of the record, in its order, without prev and crc."""
        fields: dict[str, object] = {
            "seq": self.seq,
            "event_id": self.event_id,
            "event_type": self.event_type,
            "timestamp": self.timestamp,
            "actor": self.actor,
            "auth": self.auth,
            "inside": self.inside,
            "key": self.key,
            "request": self.request,
            "src": self.src,
            "correlation_id": self.correlation_id,
            "caused_by": self.caused_by,
            "data": self.data,
        }
        return {name: value for name, value in fields.items() if name == "data" or value not in ("", None)}


def source_of(event: Event) -> dict[str, object]:
    """Return where the bytes of a file are that an event is about: it was read there, or names them."""
    return event.src or table(event.data, "src")


def original_file(source: str) -> str:
    """Return the path that a source had before it was replaced or rotated; others have their own.

    >>> original_file("rotated/1/messages/manager-inbox.log")
    'messages/manager-inbox.log'
    >>> original_file("attic/vermas@0@0@0@0@0@0@.work%2Fmessages.jsonl")
    '.work/messages.jsonl'
    """
    if source.startswith(ROTATED):
        return source.split("/", 2)[-1]
    if not source.startswith(REPLACED):
        return source
    return source.split("@", 7)[-1].replace("%2F", "/").replace("%25", "%")


def text(fields: dict[str, object], name: str) -> str:
    """Return a field that should be a text, else an empty one."""
    value = fields.get(name)
    return value if type(value) is str else ""


def number(fields: dict[str, object], name: str) -> int:
    """Return a field that should be a whole number, and one that a table can hold, else 0."""
    value = fields.get(name)
    return value if type(value) is int and -(1 << 63) <= value < 1 << 63 else 0


def flag(fields: dict[str, object], name: str) -> bool:
    """Return a field that should be true or false, else false."""
    return fields.get(name) is True


def table(fields: dict[str, object], name: str) -> dict[str, object]:
    """Return a field that should be an object, else an empty one."""
    value = fields.get(name)
    return value if type(value) is dict else {}


def texts(fields: dict[str, object], name: str) -> list[str]:
    """Return a field that should be a list of texts; a single text counts as a list of one."""
    value = fields.get(name)
    if type(value) is list:
        return [item for item in value if type(item) is str]
    return [value] if type(value) is str else []
