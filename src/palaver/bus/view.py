"""The view of one bus: opened, brought up to date, and rebuilt when it has to be.

A reader that finds nothing new takes no lock. One that finds news applies it, under `view.lock`; if
somebody else holds that for longer than it may wait, it answers from what there is and says that it
is behind. A view that is missing, damaged, of another schema or of another log is rebuilt without
being asked, and says so; so is one that turns out to be damaged in the middle of a question.
"""

import os
from collections.abc import Callable
from sqlite3 import Connection

from palaver.bus import roster_cache
from palaver.bus.change_counter import ChangeCounter
from palaver.bus.root import Root
from palaver.log.batch import EventBatch
from palaver.log.lock import Lock, describe
from palaver.log.port import Log
from palaver.model.errors import LogLocked, StorageFailed
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS
from palaver.model.plain import loads
from palaver.views import replay, store
from palaver.views.agents.roster import Roster
from palaver.views.query import Held, Query

# Views that a fork has left us; closing them here would take them from the process that opened them.
_left_behind: list[Connection] = []


class View:
    """What the log amounts to, now; for one thread."""

    __slots__ = (
        "_db", "_hindrance", "_lock", "_log", "_pid", "_pulse", "_root", "_writes", "asked", "behind",
        "expects", "notes", "number", "told",
    )  # fmt: skip

    def __init__(self, root: Root, log: Log, lock: Lock) -> None:
        """Take the paths, the log and the lock; nothing is opened yet."""
        self._root = root
        self._log = log
        self._lock = lock
        self._pulse = ChangeCounter(root.pulse)
        self._db: Connection | None = None
        self.number = 0
        self._pid = os.getpid()
        self._writes = False
        self.asked = Query(self._answer)
        # Whether the last answer came from a view that does not hold all of the log.
        self.behind = False
        # Whether there is news for certain: then it is opened for writing at once, and not twice.
        self.expects = False
        # Why it is behind, if that is not somebody who holds the lock.
        self._hindrance: Exception | None = None
        # What happened that nobody asked for, in words.
        self.notes: list[str] = []
        # Who is told of the progress of a rebuild.
        self.told: Callable[[EventBatch], None] | None = None

    def current(self, seconds: float = CATCH_UP_SECONDS) -> Query:
        """Return the view, up to date if that can be had in so many seconds (else `behind` is true)."""
        self.behind, self._hindrance = False, None
        if self.expects or not self._is_found_fresh():
            self.expects = False
            self._catch_up(seconds)
        return self.asked

    def _is_found_fresh(self) -> bool:
        """Open the newest view; return whether it holds all of the log."""
        try:
            self._find_newest()
            return self._db is not None and replay.progress(self._db).place == self._log.end()
        except store.Broken:
            # Whoever gets the lock looks again: it may be mended by then.
            self.close()
            return False

    def held(self) -> Held:
        """Put several questions to one state of the view, whatever others add to it meanwhile."""
        assert self._db is not None, "ask for the current view first"
        return Held(self._db)

    def rebuild(self, why: str = "", then: Callable[[], None] | None = None) -> Query:
        """Rebuild the view, whatever state it is in; `then` is called before anyone else may."""
        self._lock_or_refuse()
        try:
            self._build(why)
            if then:
                then()
        except store.Fault as fault:
            raise self._unwritable(fault) from fault
        finally:
            self._lock.release()
        return self.asked

    def roster(self) -> Roster:
        """Return the roster of the view as it stands."""
        try:
            return Roster(self.asked)
        except store.Broken as fault:
            self._mend(fault)
        return Roster(self.asked)

    def insist(self) -> None:
        """Refuse to say no: what a view that is behind does not hold may stand in the log all the same."""
        if self._hindrance is not None:
            raise self._unwritable(self._hindrance)
        if self.behind:
            raise self.locked()

    def withhold(self) -> None:
        """Remove the roster file, because an agent is about to leave: senders query the view meanwhile."""
        self._lock_or_refuse()
        try:
            self._withhold()
        except OSError as fault:
            raise self._unwritable(fault) from fault
        finally:
            self._lock.release()

    def republish(self) -> None:
        """Write the roster file if it is missing: who took it away died before it wrote the new one."""
        if os.access(self._root.roster, os.F_OK) or self.behind or not self._take(CATCH_UP_SECONDS):
            return
        try:
            self._publish(self.roster())
        except OSError:
            # Senders go the long way as long as it is missing: slower, not wrong.
            return
        finally:
            self._lock.release()

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    # --- without the lock ---

    def _answer(self, question: str, values: tuple[object, ...]) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows; where the view is found to be damaged, rebuild it and ask again."""
        assert self._db is not None, "ask for the current view first"
        try:
            return self._db.execute(question, values).fetchall()
        except store.Broken as fault:
            self._mend(fault)
        try:
            return self._db.execute(question, values).fetchall()
        except store.Broken as fault:
            raise self._unwritable(fault) from fault

    def _mend(self, fault: Exception) -> None:
        if store.is_disk(fault):
            raise self._unwritable(fault) from fault
        self._lock_or_refuse()
        try:
            if store.newest(self._root.view) == self.number:
                self._build(f"it was damaged ({fault})")
            else:
                # Somebody else has found it too, and was faster.
                self._apply()
        except store.Fault as worse:
            raise self._unwritable(worse) from worse
        finally:
            self._lock.release()

    def _find_newest(self) -> None:
        """Open the newest whole view, or keep the one we have if it still is."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            if self._db is not None:
                _left_behind.append(self._db)
                self._db = None
        number = self._newest_number()
        if self._db is not None and number == self.number:
            return
        self.close()
        while number:
            path = store.path_of(self._root.view, number)
            if store.is_there(path):
                db = store.open_view(path, writing=False)
                if _is_whole(db):
                    self._db, self.number, self._writes = db, number, False
                    return
                db.close()
            number -= 1

    def _newest_number(self) -> int:
        try:
            try:
                return store.newest(self._root.view)
            except FileNotFoundError:
                os.makedirs(self._root.view, mode=0o700, exist_ok=True)
                return 0
        except OSError as fault:
            raise self._unwritable(fault) from fault

    def _catch_up(self, seconds: float) -> None:
        if not self._take(seconds):
            if self._db is None:
                self._is_found_fresh()
            if self._db is None:
                self._take_unfinished()
            self.behind = True
            return
        try:
            self._apply()
        except store.Fault as fault:
            self._keep(fault)
        finally:
            self._lock.release()

    def _take_unfinished(self) -> None:
        """Take a view that somebody is still building: half an answer, marked as such."""
        number = self._newest_number()
        try:
            db = store.open_view(store.path_of(self._root.view, number), writing=False)
            if not _is_made(db):
                db.close()
                raise self.locked()
        except store.Broken as fault:
            raise self.locked() from fault
        self.note("the view is being rebuilt; this is what it holds so far")
        self._db, self.number, self._writes = db, number, False

    def _keep(self, fault: Exception) -> None:
        """Answer from the view as it stands when the disk does not let us bring it up to date."""
        self.close()
        try:
            self._find_newest()
        except store.Broken:
            self.close()
        if self._db is None:
            raise self._unwritable(fault) from fault
        self.note(f"the view could not be brought up to date: {store.cause(fault)}")
        self.behind, self._hindrance = True, fault

    def _take(self, seconds: float) -> bool:
        try:
            return self._lock.acquire(seconds)
        except OSError as fault:
            raise StorageFailed(f"cannot use {self._root.view_lock}", fault.strerror or str(fault)) from fault

    def _lock_or_refuse(self) -> None:
        if not self._take(LOCK_SECONDS):
            raise self.locked()

    def note(self, words: str) -> None:
        """Tell something that nobody asked for, once."""
        if words not in self.notes:
            self.notes.append(words)

    def locked(self) -> LogLocked:
        """Return the refusal that says who is at the view."""
        pid = self._lock.holder()
        who = describe(pid) if pid else "another process"
        return LogLocked("cannot bring the view up to date", f"{who} is at it", "try again in a moment")

    def _unwritable(self, fault: Exception) -> StorageFailed:
        return StorageFailed(
            f"cannot use the view in {self._root.view}", store.cause(fault), "mend it and try again"
        )

    # --- under the lock ---

    def _apply(self) -> None:
        number = self._newest_number()
        if not number:
            return self._build(self._absence())
        try:
            if not store.is_there(store.path_of(self._root.view, number)):
                return self._build("it was not finished")
            db = self._writable(number)
            unfinished = not _is_whole(db)
            replay.check(db, self._log)
            roster = replay.apply(db, self._log, changing=self._withhold)
        except replay.LogReplaced:
            return self._build("the log is not the one it was made from")
        except store.Broken as fault:
            if store.is_disk(fault):
                raise
            return self._build(f"it was damaged ({fault})")
        if unfinished:
            self.note("the view was rebuilt: it was not finished")
            self._tidy()
        if roster is not None:
            self._publish(roster)
        return None

    def _absence(self) -> str:
        """Return why there is no view of ours: nothing for a new bus."""
        if any(_is_view(name) for name in os.listdir(self._root.view)):
            return "it was made by another release"
        return "it was missing" if self._lock.mark() else ""

    def _writable(self, number: int) -> Connection:
        if self._db is None or self.number != number or not self._writes:
            self.close()
            db = store.open_view(store.path_of(self._root.view, number), writing=True)
            self._db, self.number, self._writes = db, number, True
            if not _is_made(db):
                # Whoever started it died before the tables stood.
                store.create(db)
        return self._db

    def _build(self, why: str) -> None:
        self.close()
        number = self._newest_number() + 1
        path = store.path_of(self._root.view, number)
        for end in ("-wal", "-shm"):
            # Left by a view of the same number that somebody took away.
            _gone(path + end)
        try:
            db = store.open_view(path, writing=True)
            self._db, self.number, self._writes = db, number, True
            store.create(db)
            roster = replay.apply(db, self._log, told=self.told or (lambda _: None))
        except (StorageFailed, *store.Fault):
            # Half a view is in the way: of the one that is whole, and of room for the next attempt.
            self.close()
            _taken_away(path)
            raise
        if why:
            self.note(f"the view was rebuilt: {why}")
        self._publish(roster or Roster(db))
        self._tidy()

    def _tidy(self) -> None:
        """Take away every view but ours."""
        ours = os.path.basename(store.path_of(self._root.view, self.number))
        for name in os.listdir(self._root.view):
            if _is_view(name) and name != ours:
                _taken_away(f"{self._root.view}/{name}")

    def _withhold(self) -> None:
        """Take the roster file away before a change of it counts: should we die now, nobody believes it."""
        _gone(self._root.roster)
        self._pulse.beat()

    def _publish(self, roster: Roster) -> None:
        """Write the roster file, and let long-lived senders notice."""
        assert self._db is not None
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
        roster_cache.write(
            self._root.roster, addresses, speakers, config=str(config or ""), mounts=len(roster.mounts)
        )
        self._lock.leave(b"%020d" % replay.progress(self._db).seq)
        self._pulse.beat()


def _is_view(name: str) -> bool:
    return name.endswith(".db") and not name.startswith("search")


def _is_made(db: Connection) -> bool:
    return bool(db.execute("select 1 from sqlite_master where name = 'place'").fetchone())


def _is_whole(db: Connection) -> bool:
    return _is_made(db) and bool(replay.progress(db).is_whole)


def _taken_away(path: str) -> None:
    for end in ("", "-wal", "-shm"):
        _gone(path + end)


def _gone(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
