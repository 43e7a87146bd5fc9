"""A dropped file and the line of a log that repeats it are one message, recognised by its text."""

from palaver.model.message import Message
from palaver.sync.intake.file_events import hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.files import sources
from palaver.views.query import Query


def words_of(content: bytes) -> str:
    """Return the hash of the text of a dropped file, whatever its line ends are."""
    return hashed(content.replace(b"\r\n", b"\n"))


class DropEchoes:
    """Messages that were dropped into a folder of a mount, and whose lines have not been found yet."""

    def __init__(self, db: Query, mounted: MountPoint) -> None:
        """Take the view as of the start of a pass."""
        self._db = db
        self._mounted = mounted
        # What this pass adds to the view, and what it has found.
        self._fresh: dict[str, list[int]] = {}
        self._met: set[int] = set()

    def add(self, words: str, seq: int) -> None:
        """Add a message of this pass."""
        self._fresh.setdefault(words, []).append(seq)

    def repeated(self, file: str, message: object, raw: bytes) -> int:
        """Return the oldest dropped message that a line repeats, 0 if there is none; each only once."""
        if type(message) is not Message:
            return 0
        mounted = self._mounted
        said = mounted.dialect.drops.repeated_text(message, raw, mounted.mount, file)
        if not said:
            return 0
        words = words_of(said)
        waiting = sources.dropped(self._db, self._mounted.name, words) + self._fresh.get(words, [])
        for seq in waiting:
            if seq not in self._met:
                self._met.add(seq)
                return seq
        return 0
