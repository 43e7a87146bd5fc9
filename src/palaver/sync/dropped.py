"""A file in an inbox and the line of a chat log that repeats it: one message, known by its words.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.message import Message
from palaver.sync.intake.events import hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.files import sources
from palaver.views.query import Query


def words_of(content: bytes) -> str:
    """Return what stands for the text of a dropped file, however its end is written."""
    return hashed(content.replace(b"\r\n", b"\n"))


class Dropped:
    """Messages that were dropped into the inbox of a mount, and whose lines were not seen yet."""

    def __init__(self, db: Query, mounted: MountPoint) -> None:
        """Take the view as of the start of a pass."""
        self._db = db
        self._mounted = mounted
        # What this pass adds to the view, and takes away from it.
        self._fresh: dict[str, list[int]] = {}
        self._met: set[int] = set()
        self._waiting: bool | None = None

    def add(self, words: str, seq: int) -> None:
        """Remember one of this pass."""
        self._fresh.setdefault(words, []).append(seq)

    @property
    def any(self) -> bool:
        """Tell whether there are any: most mounts have none, and then no line has to be looked at."""
        if self._waiting is None:
            self._waiting = sources.has_dropped(self._db, self._mounted.name)
        return self._waiting or bool(self._fresh)

    def repeated(self, file: str, message: object, raw: bytes) -> int:
        """Return the oldest dropped message that a line says again, 0 if there is none; each only once."""
        mount = self._mounted.mount
        if mount.dialect != "collab" or file.startswith("inbox/"):
            return 0
        said = raw.partition(b": ")[2]
        b = mount.settings.get("b", "b").lower()
        if not said or type(message) is not Message or message.to != [b]:
            return 0
        words = words_of(said)
        waiting = sources.dropped(self._db, self._mounted.name, words) + self._fresh.get(words, [])
        for seq in waiting:
            if seq not in self._met:
                self._met.add(seq)
                return seq
        return 0
