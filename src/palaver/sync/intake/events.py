"""What events say of foreign bytes: where they stand, and the events on their way into the log.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _blake2 import blake2b

from palaver.log.record import body
from palaver.log.stamp import new_id, now
from palaver.model.event import Draft, Event
from palaver.model.names import BUS
from palaver.model.plain import loads
from palaver.model.value import Value


def hashed(content: bytes) -> str:
    """Return what stands for a piece; blanks around it do not count."""
    return blake2b(content.strip(), digest_size=8).hexdigest()


class Place(Value):
    """Where bytes stand: the file, and which of its lives that is."""

    __slots__ = ("file", "gen", "mark", "mount")

    def __init__(self, mount: str, file: str, gen: int, mark: str = "") -> None:
        """Take the file and its life; of a file that is read as a whole, also what it is known by."""
        self.mount = mount
        self.file = file
        self.gen = gen
        self.mark = mark

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
        found.update(more)
        return found


class Batch:
    """Events on their way into the log, in the order of the bytes that they came from."""

    __slots__ = ("drafts", "findings", "messages", "to", "written")

    def __init__(self, drafts: list[Draft] | None = None) -> None:
        """Start with these events, or with none."""
        #: Records that need nothing but their numbers; all that waits as a draft comes behind them.
        self.written: list[bytes] = []
        self.drafts: list[Draft] = drafts or []
        #: Whom the messages among them are for.
        self.to: set[str] = set()
        self.messages = 0
        self.findings = 0

    def __len__(self) -> int:
        """Count the events."""
        return len(self.written) + len(self.drafts)

    def write_out(self) -> bool:
        """Write out the drafts; tell whether none is left, so that a record can be laid behind them.

        One that has a key must be looked for in the log, and it and all behind it stay as they are.
        """
        keyed = next((place for place, each in enumerate(self.drafts) if each.key), len(self.drafts))
        self.written += map(body, self.drafts[:keyed])
        del self.drafts[:keyed]
        return not self.drafts

    def written_drafts(self) -> list[Draft]:
        """Return the records that are written out as drafts."""
        fields = (loads(f"{{{each.decode()}}}") for each in self.written)
        return [Event(each) for each in fields if type(each) is dict]

    def join(self, other: "Batch") -> None:
        """Take in another batch, behind this one."""
        assert not other.written, "small files have drafts alone"
        self.drafts += other.drafts
        self.to |= other.to
        self.messages += other.messages
        self.findings += other.findings


def draft(
    event_type: str, data: dict[str, object], src: dict[str, object] | None = None, **more: str
) -> Draft:
    """Return an event of ours."""
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
