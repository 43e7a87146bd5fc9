"""What keeps a bus in step with foreign files. This one has none; `sync` brings one that has."""

from palaver.model.errors import BadArguments
from palaver.model.limits import CATCH_UP_SECONDS
from palaver.views.files.quarantine import QuarantineItem


class SyncPort:
    """A bus without foreign files: always in step."""

    # Whether the files could not be looked at in time, so that what is newest may be missing.
    late = False
    # Whether that is because there is more in them than one command takes in.
    unfinished = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Take in what stands in the files, and write what is owed to them."""

    def write_on(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Write what is owed to files, and look at no others."""

    def retry(self, item: QuarantineItem) -> bool:
        """Try quarantined bytes of a file again; tell whether they are understood now."""
        raise BadArguments(
            f"cannot try {item.id} again",
            f"no reader is mounted for {item.file}",
            "it stays in quarantine, whole",
        )
