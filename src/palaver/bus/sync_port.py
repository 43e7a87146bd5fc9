"""The port by which a bus syncs with mounted files. This one has none; `sync` provides one that has."""

from collections.abc import Sequence

from palaver.model.errors import BadArguments
from palaver.model.event import Event
from palaver.model.limits import CATCH_UP_SECONDS
from palaver.views.files.quarantine import QuarantineItem


class SyncPort:
    """A bus without mounted files: always in sync."""

    # Whether the files could not be read in time, so that the newest lines may be missing.
    late = False
    # Whether that is because they hold more than one command reads.
    unfinished = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Read the files, and write what is outstanding."""

    def write_on(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Write what is outstanding, and read no files."""

    def flush(self) -> None:
        """Write what is outstanding, for a command that promises it."""
        self.catch_up()

    def secret_lines(self) -> list[str]:
        """Return the lines of mounted files that hold a secret now."""
        return []

    def settle(self) -> None:
        """Sync until every rendering is confirmed."""

    def lines_of(self, events: Sequence[Event], said: Sequence[str]) -> list[str]:
        """Return the lines of mounted files that say what events did, or hold one of these texts."""
        del events, said
        return []

    def replaced_with(self, said: Sequence[str]) -> list[str]:
        """Return the replaced files that are still kept and hold one of these texts."""
        del said
        return []

    def rewrite_files(self, events: Sequence[Event]) -> list[str]:
        """Take the text of redacted events out of mounted files; return those that were rewritten."""
        del events
        return []

    def retry(self, item: QuarantineItem) -> bool:
        """Parse quarantined bytes of a file again; return True if they are understood now."""
        raise BadArguments(
            f"cannot try {item.id} again",
            f"no reader is mounted for {item.file}",
            "it stays in quarantine, whole",
        )
