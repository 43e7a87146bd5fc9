"""Doctor: is everything as it should be? Each check says what it found and the way out."""

import fcntl
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from palaver.bus import trust
from palaver.bus.admin import quarantine
from palaver.bus.agents import agent_registry
from palaver.bus.config import settings
from palaver.bus.session import Session
from palaver.files.regular import open_regular
from palaver.log.lock import Lock, describe
from palaver.log.verification import verify
from palaver.model.errors import Refusal
from palaver.model.event import text
from palaver.model.secrets import find
from palaver.views import store
from palaver.views.mail import inbox

# File systems on which locks or syncs are known not to keep their word.
_DOUBTFUL = frozenset(["nfs", "nfs4", "9p", "drvfs", "cifs", "smb3", "fuse.sshfs", "vboxsf"])

#: What can be looked at in a bus that the user has not accepted.
_UNTRUSTED = ("trust", "folders", "file system", "room", "config", "log", "secrets", "lock", "tools")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: str
    found: str
    way_out: str = ""

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"name": self.name, "state": self.state, "found": self.found, "way_out": self.way_out}


def examine(session: Session, told: Callable[[int], None] | None = None) -> Iterator[Check]:
    """Look at everything, from the ground up; what cannot be looked at is bad, and the rest goes on."""
    looks: dict[str, Callable[[], Check]] = {
        "trust": lambda: _trust(session),
        "folders": lambda: _folders(session),
        "file system": lambda: _file_system(session),
        "locks and syncs": lambda: _locking(session),
        "room": lambda: _room(session),
        "config": lambda: _settings(session),
        "log": lambda: _chain(session, told),
        "view": lambda: _view(session),
        "quarantine": lambda: _quarantine(session),
        "addresses": lambda: _addressed(session),
        "secrets": lambda: _secrets(session),
        "lock": lambda: _lock_free(session),
        "tools": _tools,
    }
    if not trust.is_trusted(session.root.path):
        # The rest would write to the bus, or believe what somebody else has derived from its log.
        looks = {name: look for name, look in looks.items() if name in _UNTRUSTED}
    for name, look in looks.items():
        try:
            yield look()
        except Refusal as no:
            yield Check(name, "bad", f"{no.what}: {no.why}" if no.why else no.what, no.way_out)
        except OSError as fault:
            yield Check(name, "bad", str(fault), "mend that first")


def _trust(session: Session) -> Check:
    try:
        trust.require(session.root.path)
    except Refusal as no:
        return Check("trust", "bad", f"{no.what}: {no.why}", no.way_out)
    return Check("trust", "ok", "you created or accepted this bus on this machine")


def _folders(session: Session) -> Check:
    for path in (session.root.path, session.root.log, session.root.view, session.root.bells):
        try:
            mode = stat.S_IMODE(os.stat(path).st_mode)
        except OSError as fault:
            return Check("folders", "bad", f"{path}: {fault.strerror}", "palaver init makes what is missing")
        if mode & 0o077:
            return Check("folders", "bad", f"{path} is open to others ({mode:o})", f"chmod 700 {path}")
    return Check("folders", "ok", "yours alone")


def _file_system(session: Session) -> Check:
    kind = ""
    best = ""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            for row in mounts:
                words = row.split()
                place = words[4].rstrip("/") + "/"
                if (session.root.path + "/").startswith(place) and len(place) >= len(best):
                    best, kind = place, words[words.index("-") + 1]
    except (OSError, ValueError):
        return Check("file system", "note", "cannot be told here")
    if kind in _DOUBTFUL:
        return Check(
            "file system",
            "bad",
            f"{kind}: locks and syncs may not hold there",
            "move the bus to a local disk",
        )
    return Check("file system", "ok", kind)


def _locking(session: Session) -> Check:
    path = session.root.path + "/probe.lock"
    try:
        with open(path, "w", opener=open_regular) as first, open(path, "w", opener=open_regular) as second:
            fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fsync(first.fileno())
            try:
                fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return Check("locks and syncs", "ok", "a lock keeps others out, a sync succeeds")
            return Check(
                "locks and syncs", "bad", "a lock does not keep others out", "move the bus to a local disk"
            )
    except OSError as fault:
        return Check("locks and syncs", "bad", f"{fault.strerror}", "mend the disk")
    finally:
        if os.path.isfile(path) and not os.path.islink(path):
            os.unlink(path)


def _room(session: Session) -> Check:
    free = shutil.disk_usage(session.root.path).free
    if free < 64 << 20:
        return Check(
            "room", "bad", f"{free >> 20} MB are left on the disk", "make room before writes are refused"
        )
    return Check("room", "ok", f"{free >> 30} GB are left")


def _settings(session: Session) -> Check:
    try:
        _, found = settings.read(session.root)
    except Refusal as refused:
        return Check("config", "bad", str(refused), "mend the line")
    if found.warnings:
        return Check("config", "note", "; ".join(found.warnings), "mend the name, or take the line out")
    return Check("config", "ok", f"{len(found.lists)} lists, identity is {found.identity}")


def _chain(session: Session, told: Callable[[int], None] | None) -> Check:
    verdict = verify(session.log, told)
    if not verdict.good:
        return Check(
            "log",
            "bad",
            f"{len(verdict.faults)} faults, the first: {verdict.faults[0]}",
            "palaver verify shows all",
        )
    if verdict.sync_failures:
        what = f"{verdict.sync_failures} syncs have failed: the disk has lost writes before"
        return Check("log", "bad", what, "look at the disk (dmesg), then move the bus to another")
    return Check("log", "ok", f"{verdict.events} events, every line and every link is good")


def _view(session: Session) -> Check:
    try:
        db = session.view.current()
        found = db.execute("pragma quick_check")[0][0]
    except store.Broken as fault:
        found = str(fault)
    if found != "ok":
        return Check("view", "bad", str(found).partition("\n")[0], "palaver rebuild")
    if session.view.notes:
        return Check("view", "note", "; ".join(session.view.notes))
    return Check("view", "ok", "whole, and up to date")


def _quarantine(session: Session) -> Check:
    waiting = quarantine.count(session)
    if waiting:
        return Check("quarantine", "bad", f"{waiting} entries wait", "palaver quarantine lists them")
    return Check("quarantine", "ok", "empty")


def _addressed(session: Session) -> Check:
    agent_registry.roster(session)
    lost = inbox.lost(session.view.current())
    if lost:
        what = f"{lost} message{'s' * (lost > 1)} reached nobody"
        newest = inbox.last_lost(session.view.current())
        return Check("addresses", "note", f"{what}, last {newest}", f"palaver resend {newest} NAME")
    return Check("addresses", "ok", "every message reached somebody")


def _secrets(session: Session) -> Check:
    found: list[int] = []
    for batch in session.log.batches():
        found += [event.seq for event in batch.events if find(text(event.data, "body"))]
    if found:
        shown = ", ".join(map(str, found[:5])) + (" …" if len(found) > 5 else "")
        count = f"{len(found)} messages hold" if len(found) > 1 else "1 message holds"
        what = f"{count} what looks like a secret: {shown}"
        return Check("secrets", "note", what, f"palaver redact {found[0]}")
    return Check("secrets", "ok", "none seen")


def _lock_free(session: Session) -> Check:
    holder = Lock(session.root.log_lock).holder()
    if holder:
        return Check("lock", "note", f"held by {describe(holder)}", "fine if it goes away by itself")
    return Check("lock", "ok", "free")


def _tools() -> Check:
    missing = [] if shutil.which("git") else ["git (for snapshots)"]
    versions = f"SQLite {sqlite3.sqlite_version}"
    if missing:
        return Check("tools", "note", f"{versions}; missing: {', '.join(missing)}", "install it")
    return Check("tools", "ok", versions)
