"""What must hold after anything: all that was acknowledged stands, once, in order, and the log verifies."""

from collections.abc import Iterable
from pathlib import Path

from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.log.file_log import FileLog
from palaver.log.verification import Verification, verify
from palaver.model.event import number
from palaver.model.limits import SEGMENT_BYTES
from tests.processes.writing import Ack, acknowledged


class Ground:
    """A folder with nothing but a log in it, laid out as a bus lays it out."""

    def __init__(self, folder: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        self.folder = folder
        self.root = Root(str(folder))
        self.segment_bytes = segment_bytes
        self.segments = folder / "log"
        self.segments.mkdir(parents=True, exist_ok=True)

    def open(self) -> FileLog:
        return FileLog(self.root.log, lock=self.root.log_lock, segment_bytes=self.segment_bytes)

    def verify(self) -> Verification:
        return verify(Session(self.root).log)


def promised(files: Iterable[Path]) -> list[Ack]:
    """Return every acknowledgement that writers have noted in these files."""
    return [ack for file in files for ack in acknowledged(file)]


class Judgement:
    """What became of the acknowledged."""

    def __init__(self, ground: Ground, acks: list[Ack]) -> None:
        """Read the whole log and compare."""
        self.acks = len(acks)
        self.verdict = ground.verify()
        self.events = 0
        #: Acknowledged, and not there, or not what it was.
        self.lost: list[Ack] = []
        #: Ids that stand more than once.
        self.twice: list[str] = []
        #: Writers whose own order was not kept.
        self.disordered: list[str] = []
        found: dict[str, Ack] = {}
        last: dict[str, int] = {}
        for batch in ground.open().batches():
            for event in batch.events:
                if event.event_type != "mail.sent":
                    continue
                self.events += 1
                count = number(event.data, "count")
                if event.event_id in found:
                    self.twice.append(event.event_id)
                found[event.event_id] = Ack(event.actor, count, event.seq, event.event_id)
                if count <= last.get(event.actor, 0):
                    self.disordered.append(event.actor)
                last[event.actor] = count
        self.lost = [ack for ack in acks if found.get(ack.event_id) != ack]

    @property
    def unpromised(self) -> int:
        """Return how many stand that nobody was told of: killed between write and acknowledgement."""
        return self.events - (self.acks - len(self.lost))

    def complaints(self) -> list[str]:
        """Return all that is wrong, in words; nothing if all is well."""
        found = [f"acknowledged and lost: {ack}" for ack in self.lost[:5]]
        found += [f"stands twice: {event_id}" for event_id in self.twice[:5]]
        found += [f"out of order: {name}" for name in self.disordered[:5]]
        found += [str(fault) for fault in self.verdict.faults[:5]]
        return found

    def __str__(self) -> str:
        verdict = self.verdict
        return (
            f"{self.acks} acknowledged, {len(self.lost)} lost, {len(self.twice)} twice, "
            f"{self.unpromised} present but unacknowledged, {verdict.sealed} torn tails sealed, "
            f"{len(verdict.faults)} faults, {verdict.segments} segments, {verdict.bytes} bytes"
        )
