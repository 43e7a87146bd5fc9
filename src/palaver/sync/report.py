"""The report of a pass: what it did, and what it could not do."""

from collections.abc import Callable

from palaver.sync.intake.file_events import IntakeBatch


class Report:
    """What was recorded and written, and what could not be."""

    def __init__(self, told: Callable[[int], None] | None = None) -> None:
        """Start with nothing done; `told` is called with the number of bytes read so far."""
        #: Messages that were recorded, by mount; and the number of findings about lines.
        self.messages: dict[str, int] = {}
        self.findings = 0
        self.quarantined = 0
        #: Renderings that were written, and those that were found in their files.
        self.written = 0
        self.confirmed = 0
        #: What went wrong: (mount, file, text).
        self.troubles: list[tuple[str, str, str]] = []
        #: What a person should know: (mount, file, text).
        self.notes: list[tuple[str, str, str]] = []
        #: Whether the end of a file is incomplete, and a program will probably complete it in a moment.
        self.unsettled = False
        #: Files, by mount and name, that this pass has not read to their end.
        self.unfinished: set[tuple[str, str]] = set()
        self.events = 0
        #: How many bytes of foreign files were read.
        self.bytes = 0
        self._told = told

    def taken(self, mount: str, batch: IntakeBatch) -> None:
        """Count a batch."""
        self.events += len(batch)
        self.findings += sum(each.event_type == "file.found" for each in batch.drafts)
        if batch.messages:
            self.messages[mount] = self.messages.get(mount, 0) + len(batch.messages)

    def read(self, count: int) -> None:
        """Count bytes that were read."""
        self.bytes += count
        if self._told:
            self._told(self.bytes)

    def trouble(self, mount: str, file: str, words: str) -> None:
        """Note what could not be done."""
        self.troubles.append((mount, file, words))

    def rewritten(self, mount: str, file: str, why: str) -> None:
        """Note that a file was rewritten."""
        self.notes.append((mount, file, f"it was rewritten: {why}"))

    @property
    def busy(self) -> bool:
        """Return True if anything was done."""
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
