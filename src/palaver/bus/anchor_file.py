"""Anchors on the disk: how far the log of a bus reached, kept where the log cannot take it away.

In the state folder of the user, `$XDG_STATE_HOME/palaver/anchor/<bus id>`, one line for each anchor:

    7 <hash of record 7> 2026-01-01T00:00:00.000Z -1 <host> <path of the bus> <mac>

The last word is made with a key of the user, `$XDG_STATE_HOME/palaver/key`. An anchor counts on the machine
and at the path where it was made, and at the new path of a bus that was moved. A copy of a bus goes its own
way, and so may another machine that shares the home folder. The fourth word is where the log ended when it
was first found not to have the record: then no anchors are added until `palaver verify` has settled it.

And in the bus, `losses`: positions of views that were rebuilt because the log had lost them.
"""

import os
import time
from _blake2 import blake2b
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from palaver.bus import trust
from palaver.bus.root import Root
from palaver.files.atomic_replace import replace, write_whole
from palaver.files.regular import open_regular
from palaver.log.anchor import Anchor, find_losses, is_held
from palaver.log.clock import now
from palaver.log.lock import Lock
from palaver.log.port import Log
from palaver.model.errors import LogLocked, Refusal, StorageFailed
from palaver.model.limits import ANCHOR_SECONDS, ANCHORS, ANCHORS_IN_ALL, LOCK_SECONDS
from palaver.model.plain import numbered

_KEY_BYTES = 32
_SOURCE = "the anchor"
# A line is a few hundred bytes; a longer file is not one of ours.
_FILE_BYTES = 1 << 20


class _Line(NamedTuple):
    """One line of the file, without its last word."""

    anchor: Anchor
    host: str
    path: str

    @property
    def text(self) -> str:
        seq, head, _, at, ended = self.anchor
        return f"{seq} {head} {at} {ended} {self.host} {self.path}"


class KnownAnchors(NamedTuple):
    """What the state folder knows of a bus."""

    #: Those that count here.
    own: list[Anchor]
    #: Those of another machine that has a bus with this id at the same path.
    elsewhere: list[Anchor]
    #: What a person should know about the others.
    notes: list[str]


class AnchorFile:
    """The anchors of one bus in the state folder of the user."""

    def __init__(self, root: Root, log: Log) -> None:
        """Take the bus; nothing is read yet."""
        self._root = root
        self._log = log
        # When the next anchor of this process is due.
        self._due = 0.0

    def known(self) -> KnownAnchors:
        """Return the anchors of this bus."""
        bus = trust.bus_id(self._root.path)
        if not bus:
            return KnownAnchors([], [], ["the bus has no id (.palaver/id), so no anchors of it are kept"])
        lines, unreadable = self._read(bus)
        own, others = self._divided(bus, lines)
        elsewhere = [line.anchor for line in others if line.path == self._here()[1]]
        notes = []
        if unreadable:
            why = (
                "were not made with your key"
                if _key()
                else f"cannot be checked: {_key_path()} is missing, or is no key"
            )
            anchors = f"{numbered(len(unreadable), 'anchor')} in {self._path(bus)}"
            notes.append(f"{anchors} {why}. Ignored; palaver verify --accept removes them")
        return KnownAnchors([line.anchor for line in own], elsewhere, notes)

    def is_due(self) -> bool:
        """Return True if this process has not written an anchor lately."""
        return time.monotonic() >= self._due

    def keep(self, position: Anchor) -> None:
        """Keep a synced head now and then; nothing depends on it, so a failure is not reported here."""
        self._due = time.monotonic() + ANCHOR_SECONDS
        bus = trust.bus_id(self._root.path)
        if not bus:
            return
        with suppress(OSError, Refusal), self._locked(0):
            lines, unreadable = self._read(bus)
            own, others = self._divided(bus, lines)
            newest = max(own, default=None, key=lambda line: line.anchor.seq)
            if any(line.anchor.ended >= 0 for line in own) or (newest and newest.anchor[:2] == position[:2]):
                return
            if newest is not None and find_losses(self._log, [newest.anchor]):
                # Anchors of what the log is now must not push it out.
                lost = newest.anchor._replace(ended=self._log.last_seq())
                own[own.index(newest)] = newest._replace(anchor=lost)
            elif newest is None or newest.anchor.seq < position.seq:
                own.append(self._line(position))
            else:
                return
            self._write(bus, own, others, unreadable)

    def settle(self, position: Anchor, *, forget_unreadable: bool) -> None:
        """Keep a synced head of a log that is good or was accepted, and what else still holds; or refuse."""
        bus = trust.bus_id(self._root.path)
        if not bus:
            return
        try:
            with self._locked(LOCK_SECONDS):
                lines, unreadable = self._read(bus)
                own, others = self._divided(bus, lines)
                own = [
                    line._replace(anchor=line.anchor._replace(ended=-1))
                    for line in own
                    if is_held(self._log, line.anchor) and line.anchor.seq < position.seq
                ]
                own.append(self._line(position))
                self._write(bus, own, others, [] if forget_unreadable else unreadable)
        except OSError as fault:
            raise StorageFailed(
                "no anchor was kept",
                f"{os.path.dirname(self._path(bus))} cannot be written: {fault.strerror or fault}",
                "if the end of the log is lost, only the view and the snapshots will show it; "
                "set XDG_STATE_HOME to a folder that can be written",
            ) from fault

    # --- the file ---

    def _path(self, bus: str) -> str:
        return f"{trust.state_folder()}/anchor/{bus}"

    def _here(self) -> tuple[str, str]:
        return quote(os.uname().nodename), quote(os.fsencode(os.path.realpath(self._root.path)))

    def _line(self, position: Anchor) -> _Line:
        return _Line(Anchor(position.seq, position.head, _SOURCE, now()), *self._here())

    def _divided(self, bus: str, lines: list[_Line]) -> tuple[list[_Line], list[_Line]]:
        """Return the lines that count here, and the others."""
        host, path = self._here()
        own = []
        for line in lines:
            is_moved = line.path != path and trust.bus_id(os.fsdecode(unquote_to_bytes(line.path))) != bus
            if line.host == host and (line.path == path or is_moved):
                own.append(line)
        return own, [line for line in lines if line not in own]

    def _read(self, bus: str) -> tuple[list[_Line], list[str]]:
        """Return the lines of the file, and those that this key has not made."""
        key = _key()
        lines: list[_Line] = []
        unreadable: list[str] = []
        for text in _content(self._path(bus)).decode("ascii", "replace").split("\n")[:-1]:
            line, _, mac = text.rpartition(" ")
            found = _parsed(line) if key and mac == _mac(key, bus, line) else None
            if found is None:
                unreadable.append(text)
            else:
                lines.append(found)
        return lines, unreadable

    def _write(self, bus: str, own: list[_Line], others: list[_Line], unreadable: list[str]) -> None:
        key = _key() or _made_key()
        kept = _thinned(own)
        rest = ANCHORS_IN_ALL - len(kept)
        texts = [line.text for line in (*others[-rest:], *kept)]
        lines = [*unreadable[-ANCHORS:], *(f"{text} {_mac(key, bus, text)}" for text in texts)]
        # A power cut may take it back, which costs an anchor.
        write_whole(self._path(bus), "".join(f"{each}\n" for each in lines).encode(), is_durable=False)

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        folder = f"{trust.state_folder()}/anchor"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = Lock(f"{folder}/.lock")
        if not lock.acquire(seconds):
            raise LogLocked("no anchor was kept", f"another command is using {folder}", "try again")
        try:
            yield
        finally:
            lock.release()


def keep_loss(root: Root, log: Log, position: Anchor) -> None:
    """Keep the position of a view that is about to be rebuilt, if the log has lost it."""
    try:
        if not find_losses(log, [position]):
            return
        lost = position._replace(at=now(), ended=log.last_seq())
    except StorageFailed:
        # The log cannot be read, so the view is not rebuilt either.
        return
    known = losses(root)
    if lost[:2] not in [each[:2] for each in known] and len(known) < ANCHORS:
        text = "".join(f"{each.seq} {each.head} {each.at} {each.ended}\n" for each in (*known, lost))
        replace(root.losses, text.encode())


def losses(root: Root) -> list[Anchor]:
    """Return the positions of views that the log had lost when they were rebuilt."""
    texts = _content(root.losses).decode("ascii", "replace").split("\n")[:-1]
    found = [_parsed(f"{text} - -") for text in texts]
    return [line.anchor._replace(source="an earlier view") for line in found if line is not None]


def forget_losses(root: Root) -> None:
    """Forget them: the log has the records again, or their loss was accepted."""
    with suppress(FileNotFoundError):
        os.unlink(root.losses)


def _parsed(text: str) -> _Line | None:
    try:
        seq, head, at, ended, host, path = text.split(" ")
        return _Line(Anchor(int(seq), head, _SOURCE, at, int(ended)), host, path)
    except ValueError:
        return None


def _thinned(lines: list[_Line]) -> list[_Line]:
    """Return as many lines as are kept: the older, the further apart."""
    kept = sorted(lines, key=lambda line: line.anchor.seq)
    while len(kept) > ANCHORS:
        seqs = [line.anchor.seq for line in kept]
        gaps = [
            (seqs[place + 1] - seqs[place - 1]) / (seqs[-1] - seqs[place - 1] + 1)
            for place in range(1, len(seqs) - 1)
        ]
        del kept[gaps.index(min(gaps)) + 1]
    return kept


# --- the key ---


def _key_path() -> str:
    return f"{trust.state_folder()}/key"


def _key() -> bytes:
    """Return the key of the user, nothing if there is none."""
    found = _content(_key_path())
    return found if len(found) == _KEY_BYTES else b""


def _made_key() -> bytes:
    """Make the key of the user, or return the one that another process has just made; or refuse."""
    path = _key_path()
    fresh = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    write_whole(fresh, os.urandom(_KEY_BYTES))
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(fresh)
    key = _key()
    if not key:
        raise StorageFailed(
            "no anchor was kept",
            f"{path} is not a key of {_KEY_BYTES} bytes that you alone can write to",
            "remove it; anchors that were made with it are ignored then",
        )
    return key


def _mac(key: bytes, bus: str, line: str) -> str:
    return blake2b(f"{bus} {line}".encode(), key=key, digest_size=16).hexdigest()


def _content(path: str) -> bytes:
    """Return the content of a file that no other user can write to, else nothing."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            found = os.fstat(file.fileno())
            is_ours = found.st_uid == os.geteuid() and not found.st_mode & 0o022
            return file.read(_FILE_BYTES) if is_ours else b""
    except OSError:
        return b""
