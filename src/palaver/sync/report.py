"""What one pass did, for whoever asked for it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from palaver.sync.pieces import Batch


@dataclass(slots=True)
class Report:
    """What was taken in and written, and what could not be."""

    #: Messages and findings that were taken in, by mount.
    messages: dict[str, int] = field(default_factory=dict)
    findings: int = 0
    quarantined: int = 0
    #: Renderings that were written, and those that were found to stand.
    written: int = 0
    confirmed: int = 0
    #: What went wrong, in words: (mount, file, words).
    troubles: list[tuple[str, str, str]] = field(default_factory=list)
    #: What happened that nobody asked for: (mount, file, words).
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    #: Whether something is unfinished that will be whole by itself in a moment.
    unsettled: bool = False
    events: int = 0
    #: How many bytes of foreign files were read, and who is told of it.
    bytes: int = 0
    told: Callable[[int], None] | None = None

    def taken(self, mount: str, batch: Batch) -> None:
        """Count a batch."""
        self.events += len(batch.drafts)
        self.findings += batch.findings
        if batch.messages:
            self.messages[mount] = self.messages.get(mount, 0) + batch.messages

    def read(self, count: int) -> None:
        """Count bytes that were read."""
        self.bytes += count
        if self.told:
            self.told(self.bytes)

    def trouble(self, mount: str, file: str, words: str) -> None:
        """Note what could not be done."""
        self.troubles.append((mount, file, words))

    def rewritten(self, mount: str, file: str, why: str) -> None:
        """Note that a file began another life."""
        self.notes.append((mount, file, f"it was rewritten: {why}"))

    @property
    def busy(self) -> bool:
        """Tell whether anything was done."""
        return bool(self.events or self.written)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "taken": self.messages,
            "written": self.written,
            "confirmed": self.confirmed,
            "quarantined": self.quarantined,
            "findings": self.findings,
            "troubles": [
                {"mount": mount, "file": file, "why": words} for mount, file, words in self.troubles
            ],
        }
