"""The log on the disk: append-only JSON Lines in `.palaver/log/`.

Promises: what `append` returned is synced. Records of different processes and threads never mix. The lock is
held for microseconds; a sync happens under it only once a segment. A crash loses at most records that were
not acknowledged. A torn tail is sealed and recorded, never cut off.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable

from palaver.files.regular import open_regular, storage_failed
from palaver.log import segments
from palaver.log.clock import letters, new_id, now
from palaver.log.file_reader import FileReader
from palaver.log.lock import Lock, describe
from palaver.log.record import GENESIS, body, decode, hashed, intact, keyed, line
from palaver.model.errors import LogLocked, StorageFailed, SyncFailed
from palaver.model.event import Draft, Event
from palaver.model.limits import LOCK_SECONDS, SEGMENT_BYTES
from palaver.model.names import BUS

# By log: the file that this process synced last, and its size then.
_synced: dict[str, tuple[int, int]] = {}


class Segment:
    """An open segment; closed when the last thread that uses it drops it."""

    def __init__(self, directory: str, first: int, flags: int = os.O_RDWR | os.O_APPEND) -> None:
        """Open the segment, by default for appending."""
        self.first = first
        self.path = segments.path_of(directory, first)
        self.fd = segments.open_segment(self.path, flags)
        # While it is open, no other file can get its inode number.
        self.inode = os.fstat(self.fd).st_ino

    def __del__(self) -> None:
        """Close the file."""
        if hasattr(self, "fd"):
            os.close(self.fd)


class FileLog(FileReader):
    """One log; any number of objects, threads and processes may use the same folder."""

    def __init__(
        self,
        directory: str,
        *,
        lock: str,
        segment_bytes: int = SEGMENT_BYTES,
        vouched: str = "",
        inside: dict[str, object] | None = None,
    ) -> None:
        """Take the folder, which must exist, its lock file, the agent that has proved itself, and its run."""
        super().__init__(directory, vouched, inside)
        self._lock = Lock(lock)
        self._segment_bytes = segment_bytes
        self._segment: Segment | None = None
        self._tail: segments.Tail | None = None
        self._pid = os.getpid()
        # The content of the lock file when the last segment was opened: another content, another segment.
        self._mark = b""

    def vouch_for(self, agent: str, inside: dict[str, object] | None = None) -> "FileLog":
        """Return the same log for a process to which this agent has proved its identity, inside a run."""
        return FileLog(
            self._directory,
            lock=self._lock.path,
            segment_bytes=self._segment_bytes,
            vouched=agent,
            inside=inside,
        )

    def append(
        self, drafts: list[Draft], *, since: int = 0, check_new: Callable[[], None] | None = None
    ) -> list[Event]:
        """Store the drafts, in order, and return them as events once they are synced.

        A draft whose (actor, key) is in the log after `since` is not stored again: the existing event is
        returned in its place. The caller has searched for the key up to `since`; or it knows that its keys
        are new, and `check_new`, which is called under the lock, raises if they are not.
        """
        if not drafts:
            return []
        drafts = self.signed(drafts)
        bodies = [body(draft) for draft in drafts]
        wanted = set() if check_new else {(draft.actor, draft.key) for draft in drafts if draft.key}
        known: dict[tuple[str, str], Event] = {}
        try:
            places = self._scan(wanted, since, self._from(since), known) if wanted else []
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault
        self._acquire()
        try:
            if check_new:
                check_new()
            if wanted:
                self._scan(wanted, since, self._later(places), known)
            stored, segment = self._write(drafts, bodies, known)
            reached = self._tail.end if self._tail else 0
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault
        finally:
            self._lock.release()
        self._sync(segment)
        _synced[self._directory] = (segment.inode, reached)
        return stored

    def sync(self) -> None:
        """Make everything that can be read durable, before it has any effect elsewhere."""
        firsts = segments.listed(self._directory)
        if not firsts:
            return
        try:
            found = os.lstat(segments.path_of(self._directory, firsts[-1]))
            reached = (found.st_ino, found.st_size)
            if _synced.get(self._directory) == reached:
                # No process has written since we synced it ourselves.
                return
            # A reader syncs too, and may not be allowed to write.
            segment = Segment(self._directory, firsts[-1], os.O_RDONLY)
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault
        try:
            self._sync(segment)
        except SyncFailed as failed:
            raise SyncFailed(
                "cannot sync the log", failed.why, "look at the disk, then try again"
            ) from failed
        if segment.inode == found.st_ino:
            _synced[self._directory] = reached

    def finish_record(self) -> None:
        """Write the end of the line of a whole record that a writer left without it when it died."""
        if segments.ends_a_line(self._directory):
            return
        self._acquire()
        try:
            tail, segment = self._current(), self._segment
            assert segment is not None
            if intact(tail.torn):
                self._tail = None
                self._put(segment, b"\n", tail)
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault
        finally:
            self._lock.release()
        self._sync(segment)

    def line(self, seq: int) -> bytes:
        """Return the line with this number, corrupted or not; nothing if there is none."""
        try:
            return segments.find_line(self._directory, seq)[2]
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault

    def redact(self, seq: int, raw: bytes, announce: Callable[[], None]) -> None:
        """Overwrite a line with one of equal length, after `announce` has been called; all of it durable.

        The new line is kept beside the log until everything that was derived from the old one is gone: a line
        that is half overwritten does not show what it should become (docs/adr/0009).
        """
        try:
            segment, offset, found = segments.find_line(self._directory, seq)
            assert found, "only a line that was found is redacted"
            segments.overwrite(self._spare(seq), os.O_CREAT | os.O_TRUNC, raw, 0)
            announce()
            segments.overwrite(segments.path_of(self._directory, segment), 0, raw, offset)
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault

    def unfinished_redaction(self, seq: int) -> bytes:
        """Return what a line is being overwritten with, nothing if no redaction of it is under way."""
        try:
            with open(self._spare(seq), "rb", opener=open_regular) as file:
                return file.read()
        except OSError:
            return b""

    def finish_redaction(self, seq: int) -> None:
        """Forget that a line was being redacted."""
        os.unlink(self._spare(seq))

    def _spare(self, seq: int) -> str:
        return f"{os.path.dirname(self._directory)}/redact.{seq}"

    # --- under the lock ---

    def _acquire(self) -> None:
        try:
            taken = self._lock.acquire(LOCK_SECONDS)
        except OSError as fault:
            raise storage_failed(fault, self._lock.path) from fault
        if not taken:
            pid = self._lock.holder()
            who = describe(pid) if pid else "another process"
            raise LogLocked(
                "cannot write to the log",
                f"it is locked by {who}",
                f"let it go on with 'kill -CONT {pid}' or end it" if pid else "try again",
            )

    def _current(self) -> segments.Tail:
        """Return the end of the log; the cached one is valid until another process has written."""
        tail, segment = self._tail, self._segment
        if tail is None or segment is None or self._lock.mark() != self._mark or self._pid != os.getpid():
            return self._reopened()
        try:
            found = os.lstat(segment.path)
        except FileNotFoundError:
            return self._reopened()
        if found.st_ino != segment.inode:
            # The log was replaced by another one: the file that we hold open is no longer part of it.
            return self._reopened()
        end = found.st_size
        if end != tail.end:
            fresh = segments.grown(segment.fd, tail, end)
            tail = self._tail = fresh or segments.tail(self._directory, segment.first, segment.fd)
        return tail

    def _reopened(self) -> segments.Tail:
        self._pid = os.getpid()
        self._mark = self._lock.mark()
        firsts = segments.listed(self._directory)
        if not firsts:
            return self._begun(1, GENESIS)
        self._segment = Segment(self._directory, firsts[-1])
        self._tail = segments.tail(self._directory, self._segment.first, self._segment.fd)
        return self._tail

    def _begun(self, first: int, prev: str) -> segments.Tail:
        """Start a segment, and make its name durable before anything is written to it.

        The mark comes first: writers that hold the old segment open must reopen it, even if we die here. It
        is new each time, because the segment may be started again after a failure.
        """
        self._mark = b"%012d %b" % (first, letters().encode())
        self._lock.leave(self._mark)
        self._segment = Segment(self._directory, first, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        self._sync_folder()
        self._tail = segments.Tail(first, 0, first - 1, prev, b"")
        return self._tail

    def _sync_folder(self) -> None:
        directory = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _write(
        self, drafts: list[Draft], bodies: list[bytes], known: dict[tuple[str, str], Event]
    ) -> tuple[list[Event], Segment]:
        """Write numbered records, a segment at a time; return the events and the segment to sync."""
        tail = self._current()
        assert self._segment is not None
        # The cached end is invalid until the write is complete.
        self._tail = None
        if not tail.end:
            self._sync_folder()
        last = decode(tail.torn)
        if last is not None:
            # Complete but for its newline: no reader sees it yet, but its key counts.
            known[last.actor, last.key] = last
        pieces = self._seal(tail) if tail.torn or tail.unsealed else []
        stored: list[Event] = []
        size = tail.end + sum(map(len, pieces))
        for draft, encoded in zip(drafts, bodies, strict=True):
            event = known.get((draft.actor, draft.key)) if draft.key else None
            if event is not None and not self.is_unsafe(event.seq):
                stored.append(event)
                continue
            if event is not None:
                # It is where a sync failed, so it may be lost: write the same again.
                encoded = body(event)
            raw = line(tail.seq + 1, encoded, tail.prev)
            if size + len(raw) + 1 > self._segment_bytes and size:
                self._put(self._segment, b"".join(pieces), tail)
                pieces = []
                size = 0
                tail = self._rolled(tail)
                self._tail = None
            pieces.append(raw + b"\n")
            size += len(raw) + 1
            tail.seq += 1
            tail.prev = hashed(raw)
            event = (event or draft).numbered(tail.seq)
            stored.append(event)
            if draft.key:
                known[draft.actor, draft.key] = event
        self._put(self._segment, b"".join(pieces), tail)
        self._tail = tail
        # Synced even if nothing is new: the writer of an existing event may have died before its sync.
        return stored, self._segment

    def _rolled(self, tail: segments.Tail) -> segments.Tail:
        """Continue in a new segment; the old one is synced first, so that no number can be lost."""
        assert self._segment is not None
        try:
            os.fdatasync(self._segment.fd)
        except OSError as fault:
            raise self._unsynced(self._segment, fault, locked=True) from fault
        return self._begun(tail.seq + 1, tail.prev)

    def _seal(self, tail: segments.Tail) -> list[bytes]:
        """Return the bytes to write behind a torn tail before the next record, and count them in."""
        pieces = [b"\n"] if tail.torn else []
        for offset, torn in tail.count_torn():
            place = {"segment": tail.first, "off": offset, "len": len(torn), "sha": hashed(torn)}
            tail.seq += 1
            raw = line(tail.seq, body(_ours(segments.SEALED, place)), tail.prev)
            tail.prev = hashed(raw)
            pieces.append(raw + b"\n")
        return pieces

    def _put(self, segment: Segment, data: bytes, tail: segments.Tail) -> None:
        """Write all of it, or nothing."""
        if not data:
            return
        written = 0
        try:
            written = os.write(segment.fd, data)
            while written < len(data):
                # A short write usually means a full disk; only the next call returns the error.
                written += os.write(segment.fd, data[written:])
        except BaseException:
            os.ftruncate(segment.fd, tail.end)
            raise
        tail.end += len(data)

    # --- after the lock ---

    def _sync(self, segment: Segment) -> None:
        try:
            os.fdatasync(segment.fd)
        except OSError as fault:
            raise self._unsynced(segment, fault, locked=False) from fault

    def _unsynced(self, segment: Segment, fault: OSError, *, locked: bool) -> SyncFailed:
        """Abandon the segment: after a failed sync the kernel may take unwritten pages for written."""
        if not locked:
            self._acquire()
        try:
            tail = self._reopened()
            if tail.first == segment.first:
                tail.seq += 1 if tail.torn else 0
                self._begun(tail.seq + 1, tail.prev)
                cause = fault.strerror or str(fault)
                draft = _ours("log.sync_failed", {"segment": segment.first, "cause": cause})
                self._write([draft], [body(draft)], {})
                assert self._segment is not None
                os.fdatasync(self._segment.fd)
        except (OSError, StorageFailed):
            # The disk cannot even record this; the refusal below is returned all the same.
            self._tail = None
        finally:
            if not locked:
                self._lock.release()
        return SyncFailed(
            "cannot promise that the message is kept",
            f"{segment.path}: {fault.strerror or fault}",
            "look at the disk, then send again with the same --key",
        )

    # --- without the lock ---

    def _scan(
        self,
        wanted: set[tuple[str, str]],
        since: int,
        places: list[tuple[int, int]],
        known: dict[tuple[str, str], Event],
    ) -> list[tuple[int, int]]:
        """Search for keys after `since` from these places on; return how far the search got.

        The latest one counts: an earlier one may be where a sync failed.
        """
        keys = {key for _, key in wanted}
        seen: list[tuple[int, int]] = []
        for first, offset in places:
            data = segments.content(self._directory, first, offset)
            seen.append((first, offset + len(data)))
            for event in keyed(data, keys):
                if event.seq > since and (event.actor, event.key) in wanted:
                    known[event.actor, event.key] = event
        return seen

    def _later(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return where a later search continues: at the end of the last place, and in new segments."""
        last = places[-1:]
        newest = last[0][0] if last else 0
        return last + [(first, 0) for first in segments.listed(self._directory) if first > newest]


def _ours(event_type: str, data: dict[str, object]) -> Draft:
    return Draft(event_type, actor=BUS, auth="token", data=data, event_id=new_id("evt"), timestamp=now())
