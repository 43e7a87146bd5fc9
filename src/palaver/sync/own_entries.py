"""The entries of mounted files that the bus wrote itself: neither the bus nor lint judges them."""

from functools import cached_property

from palaver.bus.session import Session
from palaver.model.event import text
from palaver.sync.intake.file_events import hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.debts import find_debt
from palaver.views.files import file_history, known_files


class OwnEntries:
    """What the bus has written into the files of one mount."""

    def __init__(self, session: Session, mounted: MountPoint) -> None:
        """Take the mount; the log is asked when it is needed."""
        self._session, self._mounted = session, mounted

    def has(self, file: str, content: bytes) -> bool:
        """Return True if the bus wrote an entry of a file, by its bytes, or the whole file."""
        sha = hashed(content)
        if sha in self._unconfirmed.get(file, ()):
            return True
        source = self._sources.get(file)
        if source is None:
            return False
        if source.ours == len(content) and not source.events + source.quarantined:
            return True
        seq = file_history.said_by(self._session.view, source.number, sha) if content else 0
        event = self._session.log.event(seq) if seq else None
        return event is not None and (event.src is None or text(event.src, "file") != file)

    @cached_property
    def _sources(self) -> dict[str, known_files.KnownFile]:
        return known_files.sources(self._session.view.current(), self._mounted.name)

    @cached_property
    def _unconfirmed(self) -> dict[str, set[str]]:
        """Return the hashes of entries by file that were written, and not read again yet."""
        self._session.view.current()
        owed = find_debt(self._session, self._mounted, None).files
        return {file: {hashed(each.content) for each in entries} for file, entries in owed.items()}
