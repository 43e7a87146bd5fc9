"""The view of one bus: opened, brought up to date, and rebuilt when it has to be.

A reader that finds nothing new takes no lock. One that finds new events applies them, under `view.lock`; if
another process holds that for too long, it answers from what there is and says that it is behind. If the
disk does not let it apply them, it applies them to a copy in memory.

A view that is missing, damaged, of another schema or of another log is rebuilt without being asked, and says
so; so is one that turns out to be damaged in the middle of a query. If the log has lost what the view was
made from, its position is kept first, and `palaver verify` names the loss.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from sqlite3 import Connection
from typing import TypeVar

from palaver.bus import anchor_file, roster_cache
from palaver.bus.writer import Writer
from palaver.files.regular import way_out
from palaver.log.anchor import Anchor
from palaver.log.lock import describe
from palaver.log.port import EventBatch, LogReplaced
from palaver.model.errors import LogLocked, StorageFailed, SyncFailed
from palaver.model.event import text
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS
from palaver.views import replay, store
from palaver.views.agents.roster import Roster, settings_in_force
from palaver.views.query import Query

T = TypeVar("T")
# Views that a fork has left us; closing them here would take them from the process that opened them.
_left_behind: list[Connection] = []


class View:
    """The state that the log amounts to, for one thread; a `Query` once `current` was called."""

    def __init__(self, writer: Writer) -> None:
        """Take the bus; nothing is opened yet."""
        self._root = writer.root
        self._log = writer.log
        self._lock = writer.view_lock
        self._changes = writer.change_counter
        self._db: Connection | None = None
        self._is_writable = False
        self._pid = os.getpid()
        # The last roster, with the number of the view and that of the event that it is of.
        self._roster: tuple[int, int, Roster] | None = None
        #: The number of the open view; a rebuilt one has another.
        self.number = 0
        #: Whether the last answer came from a view that does not hold all of the log.
        self.behind = False
        #: Whether there is something new for certain: then it is opened for writing at once, and not twice.
        self.expects = False
        #: What happened that the caller did not ask for, in words.
        self.notes: list[str] = []
        #: Called after each batch of a rebuild.
        self.told: Callable[[EventBatch], None] | None = None

    def current(self, seconds: float = CATCH_UP_SECONDS) -> "View":
        """Return the view, up to date if that is possible in so many seconds (else `behind` is true)."""
        self.behind = False
        if self.expects or not self._is_fresh():
            self.expects = False
            self._catch_up(seconds)
        return self

    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows of a query; if the view turns out to be damaged, rebuild it and try again."""
        assert self._db is not None, "ask for the current view first"
        try:
            return self._db.execute(question, values).fetchall()
        except store.Broken as fault:
            self._mend(fault)
        try:
            return self._db.execute(question, values).fetchall()
        except store.Broken as fault:
            raise self._unusable(fault) from fault

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let several queries see one state of the view, whatever other processes add to it meanwhile."""
        assert self._db is not None, "ask for the current view first"
        db = self._db
        db.execute("begin")
        try:
            yield
        finally:
            # A view that was found to be damaged meanwhile is closed by now.
            with suppress(sqlite3.ProgrammingError):
                db.execute("commit")

    def position(self) -> Anchor | None:
        """Return how far the newest view has read the log, as it is; None if there is none, or it is damaged.

        Everything that a view holds was synced before.
        """
        try:
            self._open_newest()
            found = replay.progress(self._db) if self._db is not None else None
        except store.Fault:
            self.close()
            return None
        return Anchor(found.seq, found.head, "the view") if found and found.is_sound else None

    @property
    def seq(self) -> int:
        """Return the number of the last event that the view holds."""
        [(seq,)] = self.execute("select seq from place")
        return int(seq)

    def roster(self) -> Roster:
        """Return the roster of the view as it is, the last one again if nothing has changed since."""
        seq = self.seq
        if self._roster is None or self._roster[:2] != (self.number, seq):
            self._roster = (self.number, seq, self._whole(Roster))
        return self._roster[2]

    def settings(self) -> dict[str, object]:
        """Return the settings in force, empty before the first config; a roster would take longer."""
        return self._whole(settings_in_force)

    def _whole(self, read: Callable[[Query], T]) -> T:
        """Return what is read from the view; if it turns out to be damaged, rebuild it and read again."""
        try:
            return read(self)
        except store.Broken as fault:
            self._mend(fault)
            return read(self)

    def rebuild(self, why: str = "", then: Callable[[], None] | None = None) -> "View":
        """Rebuild the view, whatever state it is in; `then` is called before the lock is released."""
        with self._locked():
            self._build(why)
            if then:
                then()
        return self

    def insist(self) -> None:
        """Refuse to say no: what a view that is behind does not hold may be in the log all the same."""
        if self.behind:
            raise self.locked()

    def withhold(self) -> None:
        """Remove the roster file, because an agent is about to leave: senders query the view meanwhile."""
        with self._locked():
            self._withhold()

    def republish(self) -> None:
        """Write the roster file if it is missing: a process died before it wrote the new one."""
        if os.access(self._root.roster, os.F_OK) or self.behind or not self._take(CATCH_UP_SECONDS):
            return
        try:
            # Senders query the view as long as it is missing: slower, not wrong.
            with suppress(OSError):
                self._publish(self.roster())
        finally:
            self._lock.release()

    def note(self, words: str) -> None:
        """Report something that the caller did not ask for, once."""
        if words not in self.notes:
            self.notes.append(words)

    def locked(self) -> LogLocked:
        """Return the refusal that says which process is using the view."""
        pid = self._lock.holder()
        who = describe(pid) if pid else "another process"
        return LogLocked("cannot bring the view up to date", f"{who} is at it", "try again in a moment")

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    # --- without the lock ---

    def _is_fresh(self) -> bool:
        """Open the newest whole view, or keep the one we have; return True if it holds all of the log."""
        try:
            self._open_newest()
            return self._db is not None and replay.progress(self._db).place == self._log.end()
        except store.Broken:
            # The next holder of the lock looks again: it may be mended by then.
            self.close()
            return False
        except OSError as fault:
            raise self._unusable(fault) from fault

    def _open_newest(self) -> None:
        if self._pid != os.getpid():
            self._pid = os.getpid()
            if self._db is not None:
                _left_behind.append(self._db)
                self._db = None
        number = store.newest(self._root.view)
        if self._db is None or number != self.number:
            self._open_whole(number)

    def _open_whole(self, number: int) -> None:
        """Open the newest view up to a number that is whole."""
        self.close()
        while number:
            path = store.path_of(self._root.view, number)
            if store.is_there(path):
                db = store.open_view(path, writing=False)
                if store.is_made(db) and replay.progress(db).is_whole:
                    self._db, self.number, self._is_writable = db, number, False
                    return
                db.close()
            number -= 1

    def _catch_up(self, seconds: float) -> None:
        if not self._take(seconds):
            if self._db is None:
                self._is_fresh()
            if self._db is None:
                self._open_unfinished()
            self.behind = True
            return
        try:
            self._apply()
        except store.Fault as fault:
            self._apply_in_memory(fault)
        finally:
            self._lock.release()

    def _open_unfinished(self) -> None:
        """Open a view that another process is still building: half an answer, marked as such."""
        try:
            number = store.newest(self._root.view)
            db = store.open_view(store.path_of(self._root.view, number), writing=False)
            if not store.is_made(db):
                db.close()
                raise self.locked()
        except store.Fault as fault:
            raise self.locked() from fault
        self.note("the view is being rebuilt; this is what it holds so far")
        self._db, self.number, self._is_writable = db, number, False

    def _apply_in_memory(self, hindrance: Exception) -> None:
        """Apply the events to a copy of the view: without the newest ones, an answer would be wrong."""
        self.close()
        try:
            self._open_newest()
            copy = store.copy_to_memory(self._db) if self._db else None
            self.close()
            if copy is None:
                raise self._unusable(hindrance) from hindrance
            self._db = copy
            replay.apply(copy, self._log)
        except (LogReplaced, *store.Fault) as fault:
            self.close()
            raise self._unusable(hindrance) from fault
        self.note(f"the view could not be brought up to date on the disk: {store.cause(hindrance)}")

    def _mend(self, fault: Exception) -> None:
        """Replace a view that was found to be damaged."""
        if store.is_disk(fault):
            raise self._unusable(fault) from fault
        with self._locked():
            if store.newest(self._root.view) == self.number:
                self._build(f"it was damaged ({fault})")
            else:
                # Another process has found it too, and was faster.
                self._apply()

    def _take(self, seconds: float) -> bool:
        try:
            return self._lock.acquire(seconds)
        except OSError as fault:
            what = f"cannot use {self._root.view_lock}"
            raise StorageFailed(what, fault.strerror or str(fault), way_out(fault)) from fault

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock; refuse if another process does not release it, or if the disk fails."""
        if not self._take(LOCK_SECONDS):
            raise self.locked()
        try:
            yield
        except store.Fault as fault:
            raise self._unusable(fault) from fault
        finally:
            self._lock.release()

    def _unusable(self, fault: Exception) -> StorageFailed:
        return StorageFailed(f"cannot use the view in {self._root.view}", store.cause(fault), way_out(fault))

    # --- under the lock ---

    def _apply(self) -> None:
        number = store.newest(self._root.view)
        try:
            if not number or not store.is_there(store.path_of(self._root.view, number)):
                return self._build("it was not finished" if number else self._absence())
            db = self._open_writable(number)
            before = replay.progress(db)
            last = self._roster
            known = last[2].copy() if last and last[:2] == (number, before.seq) else None
            roster = replay.apply(db, self._log, roster=known, changing=self._withhold)
        except LogReplaced:
            return self._build("the log is not the one it was made from")
        except store.Broken as fault:
            if store.is_disk(fault):
                raise
            return self._build(f"it was damaged ({fault})")
        if not before.is_whole:
            self.note("the view was rebuilt: it was not finished")
            self._tidy()
        if roster is not None:
            self._roster = (number, replay.progress(db).seq, roster)
            if roster.changed:
                self._publish(roster)
        return None

    def _absence(self) -> str:
        """Return why there is no view of ours: nothing for a new bus."""
        if any(map(_is_view, store.names(self._root.view))):
            return "it was made by another release"
        return "it was missing" if self._lock.mark() else ""

    def _open_writable(self, number: int) -> Connection:
        if self._db is None or self.number != number or not self._is_writable:
            self.close()
            self._db = store.open_view(store.path_of(self._root.view, number), writing=True)
            self.number, self._is_writable = number, True
            if not store.is_made(self._db):
                # The process that started it died before the tables were created.
                store.create(self._db)
        return self._db

    def _build(self, why: str) -> None:
        position = self.position()
        if position is not None:
            anchor_file.keep_loss(self._root, self._log, position)
        self.close()
        self._roster = None
        os.makedirs(self._root.view, mode=0o700, exist_ok=True)
        number = store.newest(self._root.view) + 1
        path = store.path_of(self._root.view, number)
        # Left by a view of the same number that was removed.
        store.remove(path, ("-wal", "-shm"))
        try:
            db = self._open_writable(number)
            roster = replay.apply(db, self._log, told=self.told)
        except (StorageFailed, SyncFailed, *store.Fault):
            # Half a view is in the way: of the one that is whole, and of room for the next attempt.
            self.close()
            store.remove(path)
            raise
        if why:
            self.note(f"the view was rebuilt: {why}")
        self._publish(roster or Roster(self))
        self._tidy()

    def _tidy(self) -> None:
        """Remove every view but ours."""
        ours = store.path_of(self._root.view, self.number)
        for name in filter(_is_view, store.names(self._root.view)):
            if name != os.path.basename(ours):
                store.remove(f"{self._root.view}/{name}")

    def _withhold(self) -> None:
        """Remove the roster file before a change of it counts: if we die now, no sender relies on it."""
        with suppress(FileNotFoundError):
            os.unlink(self._root.roster)
        self._changes.increment()

    def _publish(self, roster: Roster) -> None:
        """Write the roster file, and let long-lived senders notice."""
        assert self._db is not None
        speakers = [agent.id for agent in roster.live()]
        # Whether a group of one reaches an agent depends on the sender, and members of a list that do not
        # exist are named: the view answers that.
        meanings = {address: roster.meaning(address) for address in roster.addresses()}
        addresses = [
            address
            for address, meaning in meanings.items()
            if meaning.kind == "agent" or (len(meaning.agents) > 1 and not meaning.lost)
        ]
        roster_cache.write(
            self._root.roster,
            addresses,
            speakers,
            config=text(roster.config, "digest"),
            mounts=len(roster.mounts),
        )
        self._lock.leave(b"%020d" % replay.progress(self._db).seq)
        self._changes.increment()


def _is_view(name: str) -> bool:
    return name.endswith(".db") and not name.startswith("search")
