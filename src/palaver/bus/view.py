"""The view of one bus: opened, brought up to date, and made anew when it has to be.

A reader that finds nothing new takes no lock. One that finds news applies it, under `view.lock`; if
somebody else holds that for longer than it may wait, it answers from what there is and says that it
is behind. A view that is missing, damaged, of another schema or of another log is rebuilt without
being asked, and says so.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable
from _sqlite3 import Connection

from palaver.bus import known
from palaver.bus.root import Root
from palaver.log.files import FileLog
from palaver.log.lock import Lock, describe
from palaver.model.errors import LogLocked, StorageFailed
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS
from palaver.model.plain import loads
from palaver.model.stretch import Stretch
from palaver.views import store
from palaver.views.roster import Roster

# What SQLite says when it is the disk, not the file, that is at fault.
_DISK = ("disk", "readonly", "unable to open", "locked")


class View:
    """What the log amounts to, now."""

    __slots__ = ("_db", "_lock", "_log", "_number", "_root", "_writes", "behind", "notes", "told")

    def __init__(self, root: Root, log: FileLog, lock: Lock) -> None:
        """Take the paths, the log and the lock; nothing is opened yet."""
        self._root = root
        self._log = log
        self._lock = lock
        self._db: Connection | None = None
        self._number = 0
        self._writes = False
        # Whether the last answer came from a view that does not hold all of the log.
        self.behind = False
        # What happened that nobody asked for, in words.
        self.notes: list[str] = []
        # Who is told of the progress of a rebuild.
        self.told: Callable[[Stretch], None] | None = None

    def current(self, seconds: float = CATCH_UP_SECONDS) -> Connection:
        """Return the view, up to date if that can be had in so many seconds (else `behind` is true)."""
        self.behind = False
        why = ""
        try:
            db = self._newest()
            if db is not None and self._is_fresh(db):
                return db
        except store.Broken as fault:
            db = None
            why = f"it was damaged ({fault})"
        try:
            taken = self._lock.acquire(seconds)
        except OSError as fault:
            raise StorageFailed(f"cannot use {self._root.view_lock}", fault.strerror or str(fault)) from fault
        if not taken:
            if db is None:
                db = self._unfinished()
            self.behind = True
            return db
        try:
            return self._applied(why)
        except OSError as fault:
            return self._as_it_was(fault)
        finally:
            self._lock.release()

    def rebuild(self, why: str = "") -> Connection:
        """Make the view anew, whatever state it is in."""
        if not self._lock.acquire(LOCK_SECONDS):
            raise self._locked()
        try:
            return self._built(why)
        finally:
            self._lock.release()

    def roster(self) -> Roster:
        """Return the roster of the view as it stands."""
        assert self._db is not None, "ask for the current view first"
        return Roster(self._db)

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    # --- without the lock ---

    def _newest(self) -> Connection | None:
        """Open the newest whole view, or keep the one we have if it still is."""
        number = store.newest(self._root.view)
        if self._db is not None and number == self._number:
            return self._db
        self.close()
        while number:
            path = store.path_of(self._root.view, number)
            if os.access(path, os.F_OK):
                db = store.open_view(path, writing=False)
                if _is_whole(db):
                    self._db, self._number, self._writes = db, number, False
                    return db
                db.close()
            number -= 1
        return None

    def _is_fresh(self, db: Connection) -> bool:
        place = store.Place(db)
        return (place.segment, place.offset) == self._log.end()

    def _unfinished(self) -> Connection:
        """Return a view that somebody is still building: half an answer, marked as such."""
        number = store.newest(self._root.view)
        if number:
            db = store.open_view(store.path_of(self._root.view, number), writing=False)
            if _is_made(db):
                self.notes.append("the view is being rebuilt; this is what it holds so far")
                self._db, self._number, self._writes = db, number, False
                return db
            db.close()
        raise self._locked()

    def _as_it_was(self, fault: OSError) -> Connection:
        """Answer from the view as it stands when the disk does not let us bring it up to date."""
        cause = fault.strerror or str(fault)
        self.close()
        db = self._newest()
        if db is None:
            raise StorageFailed(
                f"cannot write the view in {self._root.view}", cause, "mend it and try again"
            ) from fault
        self.notes.append(f"the view could not be brought up to date: {cause}")
        self.behind = True
        return db

    def _locked(self) -> LogLocked:
        pid = self._lock.holder()
        who = describe(pid) if pid else "another process"
        return LogLocked("cannot bring the view up to date", f"{who} is at it", "try again in a moment")

    # --- under the lock ---

    def _applied(self, why: str) -> Connection:
        number = store.newest(self._root.view)
        if why or not number:
            return self._built(why)
        try:
            db = self._writable(number)
            roster = store.apply(db, self._log.stretches)
        except store.Moved:
            return self._built("the log is not the one it was made from")
        except store.Broken as fault:
            if any(word in str(fault) for word in _DISK):
                raise OSError(5, str(fault)) from fault
            return self._built(f"it was damaged ({fault})")
        if roster is not None:
            self._publish(roster)
        return db

    def _writable(self, number: int) -> Connection:
        if self._db is None or self._number != number or not self._writes:
            self.close()
            db = store.open_view(store.path_of(self._root.view, number), writing=True)
            if not _is_made(db):
                # Whoever started it died before the tables stood.
                store.create(db)
            self._db, self._number, self._writes = db, number, True
        return self._db

    def _built(self, why: str) -> Connection:
        self.close()
        old = store.newest(self._root.view)
        stale = [
            name
            for name in os.listdir(self._root.view)
            if name.endswith(".db") and not name.startswith("search")
        ]
        reason = why or ("it was made by another release" if stale and not old else "")
        if reason:
            self.notes.append(f"the view was rebuilt: {reason}")
        db = store.open_view(store.path_of(self._root.view, old + 1), writing=True)
        store.create(db)
        self._db, self._number, self._writes = db, old + 1, True
        roster = store.apply(db, self._log.stretches, told=self.told or (lambda _: None))
        self._publish(roster or Roster(db))
        for name in stale:
            for end in ("", "-wal", "-shm"):
                _gone(f"{self._root.view}/{name}{end}")
        return db

    def _publish(self, roster: Roster) -> None:
        """Write the roster file, and leave a mark by which long-lived senders notice."""
        settings = loads(roster.settings) if roster.settings else {}
        config = settings.get("digest") if type(settings) is dict else ""
        speakers = [agent.id for agent in roster.agents.values() if not agent.retired]
        # Whether a group of one reaches anybody depends on who speaks: the view tells.
        meanings = {address: roster.meaning(address) for address in roster.addresses()}
        addresses = [
            address
            for address, meaning in meanings.items()
            if meaning.kind == "agent" or len(meaning.agents) > 1
        ]
        known.write(self._root.roster, addresses=addresses, speakers=speakers, config=str(config or ""))
        self._lock.leave(b"%020d" % store.Place(self._writable(self._number)).seq)


def _is_made(db: Connection) -> bool:
    return bool(db.execute("select 1 from sqlite_master where name = 'place'").fetchone())


def _is_whole(db: Connection) -> bool:
    return _is_made(db) and bool(store.Place(db).whole)


def _gone(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
