"""Events about bytes of mounted files: where the bytes are, and the events on their way into the log."""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from palaver.log.clock import new_id, now
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS


def hashed(content: bytes) -> str:
    """Return the hash of a piece of a file; blanks around it do not count."""
    return blake2b(content.strip(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlace:
    """A file, and which of its lives: a rewritten file begins another one."""

    mount: str
    file: str
    gen: int
    #: The identity of a file that is read as a whole.
    mark: str = ""
    #: Whether its bytes were written before the mount was there.
    history: bool = False

    def src(self, offset: int, length: int, sha: str, **more: object) -> dict[str, object]:
        """Return what an event says of the bytes that it came from."""
        found: dict[str, object] = {
            "mount": self.mount,
            "file": self.file,
            "gen": self.gen,
            "off": offset,
            "len": length,
            "sha": sha,
        }
        if self.mark:
            found["mark"] = self.mark
        if more:
            found.update(more)
        return found


class Resolved(NamedTuple):
    """The events of one entry, and the messages among them."""

    drafts: list[Draft]
    messages: list[Message]


@dataclass(slots=True)
class IntakeBatch:
    """Events on their way into the log, those of one file in the order of its bytes."""

    drafts: list[Draft] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    def __len__(self) -> int:
        """Count the events."""
        return len(self.drafts)

    def add(self, resolved: Resolved) -> None:
        """Add the events of one entry."""
        self.drafts += resolved.drafts
        self.messages += resolved.messages

    def recipients(self) -> list[str]:
        """Return whom its messages are for."""
        return sorted({address for message in self.messages for address in message.to})

    def drain(self) -> "IntakeBatch":
        """Return what is in the batch, and leave it empty."""
        drained = IntakeBatch(self.drafts, self.messages)
        self.drafts, self.messages = [], []
        return drained

    def join(self, other: "IntakeBatch") -> None:
        """Add the events of another batch."""
        self.drafts += other.drafts
        self.messages += other.messages


def draft(
    event_type: str, data: dict[str, object], src: dict[str, object] | None = None, **more: str
) -> Draft:
    """Return an event by the bus itself."""
    return Draft(
        event_type,
        actor=more.get("actor", BUS),
        data=data,
        event_id=new_id("evt"),
        timestamp=now(),
        auth=more.get("auth", "token"),
        key=more.get("key", ""),
        src=src,
        correlation_id=more.get("correlation_id", ""),
        caused_by=more.get("caused_by", ""),
    )
