"""The report of a pass: what it did, and what it could not do."""

from collections.abc import Callable
from dataclasses import dataclass, field


def place_of(mount: str, file: str) -> str:
    """Return what a problem is about, for people: a mount, or one of its files."""
    return f"{mount}: {file}" if file else mount


@dataclass(slots=True, kw_only=True)
class Report:
    """What was recorded and written, and what could not be."""

    #: Called with the number of bytes that were read by then.
    told: Callable[[int], None] | None = None
    #: Messages that were recorded, by mount; and the number of findings about lines.
    messages: dict[str, int] = field(default_factory=dict)
    findings: int = 0
    quarantined: int = 0
    #: Renderings that were written, and those that were found in their files.
    written: int = 0
    confirmed: int = 0
    #: What went wrong: (mount, file, text).
    troubles: list[tuple[str, str, str]] = field(default_factory=list)
    #: What a person should know: (mount, file, text).
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    #: Whether the end of a file is incomplete, and a program will probably complete it in a moment.
    unsettled: bool = False
    #: Files, by mount and name, that this pass has not read to their end.
    unfinished: set[tuple[str, str]] = field(default_factory=set)
    events: int = 0
    #: How many bytes of foreign files were read.
    bytes: int = 0

    def trouble(self, mount: str, file: str, why: str | Exception) -> None:
        """Note what could not be done."""
        cause = why.strerror if isinstance(why, OSError) else ""
        self.troubles.append((mount, file, cause or str(why)))

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
            "troubles": [{"mount": mount, "file": file, "why": why} for mount, file, why in self.troubles],
        }
