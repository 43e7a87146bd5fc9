"""Health checks of a bus: each says what it found, and the way out."""

import fcntl
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import EACCES, EROFS
from typing import Final

from palaver.bus import trust
from palaver.bus.admin import quarantine
from palaver.bus.admin.anchor_check import ACCEPT, check_anchors, settle
from palaver.bus.admin.snapshot_repository import require_contained
from palaver.bus.agents import agent_registry
from palaver.bus.config import config_store
from palaver.bus.operations.fields import Progress
from palaver.bus.operations.operation import inspects, operation
from palaver.bus.operations.result import PlainFields
from palaver.bus.session import Session
from palaver.files.regular import NotRegular, open_regular, size_of
from palaver.log.lock import Lock, describe
from palaver.log.verification import verify
from palaver.model.errors import Refusal
from palaver.model.plain import numbered
from palaver.model.secrets import mask_value
from palaver.views import store
from palaver.views.mail import inbox

# File systems on which locks or syncs are unreliable.
_DOUBTFUL = frozenset(["nfs", "nfs4", "9p", "drvfs", "cifs", "smb3", "fuse.sshfs", "vboxsf"])

# How many of many are named.
_SHOWN = 5
#: What can be examined in a bus that the user has not accepted.
_UNTRUSTED = (
    "trust", "folders", "file system", "room", "config", "log", "anchors", "secrets", "lock", "tools"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check(PlainFields):
    """The result of one check: `ok`, `note` or `bad`, what was found, and the way out."""

    state: str
    found: str
    way_out: str = ""
    name: str = ""


@operation(inspects)
def examine(session: Session, told: Progress = None) -> Iterator[Check]:
    """Run health checks."""
    is_trusted = trust.is_trusted(session.root.path)
    checks: dict[str, Callable[[Session], Check]] = {**_CHECKS, "log": lambda each: _log(each, told)}
    for name, check in checks.items():
        if not is_trusted and name not in _UNTRUSTED:
            # It would write to the bus, or believe what somebody else has derived from its log.
            continue
        try:
            result = check(session)
        except Refusal as no:
            result = Check("bad", f"{no.what}: {no.why}" if no.why else no.what, no.way_out)
        except OSError as fault:
            result = Check("bad", str(fault), "fix that first")
        yield replace(result, name=name)


def _trust(session: Session) -> Check:
    trust.require(session.root.path)
    return Check("ok", "you created or accepted this bus on this machine")


def _folders(session: Session) -> Check:
    derived = (session.root.view, session.root.bells)
    for path in (session.root.path, session.root.log, *derived):
        try:
            mode = stat.S_IMODE(os.stat(path).st_mode)
        except FileNotFoundError as fault:
            if path in derived:
                # The next command makes it again.
                continue
            return Check("bad", f"{path}: {fault.strerror}", "put it back from a backup or a snapshot")
        except OSError as fault:
            return Check("bad", f"{path}: {fault.strerror}", "palaver init makes what is missing")
        if mode & 0o077:
            return Check("bad", f"{path} is open to others ({mode:o})", f"chmod 700 {path}")
    require_contained(session.root)
    return Check("ok", "yours alone")


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
        return Check("note", "cannot be told here")
    if kind in _DOUBTFUL:
        return Check("bad", f"{kind}: locks and syncs may not hold there", "move the bus to a local disk")
    return Check("ok", kind)


def _locks_and_syncs(session: Session) -> Check:
    path = session.root.path + "/probe.lock"
    try:
        with open(path, "w", opener=open_regular) as first, open(path, "w", opener=open_regular) as second:
            fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.fsync(first.fileno())
            try:
                fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return Check("ok", "a lock keeps others out, a sync succeeds")
            return Check("bad", "a lock does not keep others out", "move the bus to a local disk")
    except OSError as fault:
        if fault.errno in (EROFS, EACCES):
            return Check("note", f"the bus can be read, and not written to: {fault.strerror}")
        return Check("bad", f"{fault.strerror}", "fix the disk")
    finally:
        if os.path.isfile(path) and not os.path.islink(path):
            os.unlink(path)


def _room(session: Session) -> Check:
    free = shutil.disk_usage(session.root.path).free
    if free < 64 << 20:
        return Check("bad", f"{free >> 20} MB are left on the disk", "make room before writes are refused")
    return Check("ok", f"{free >> 30} GB are left")


def _config(session: Session) -> Check:
    try:
        _, found = config_store.read(session.root)
    except Refusal as refused:
        return Check("bad", str(refused), "fix the line")
    if found.warnings:
        return Check("note", "; ".join(found.warnings), "fix the name, or take the line out")
    return Check("ok", f"{numbered(len(found.lists), 'list')}, identity is {found.identity}")


def _log(session: Session, told: Progress = None) -> Check:
    verdict = verify(session.log, told)
    if not verdict.good:
        count = len(verdict.faults)
        what = f"{numbered(count, 'fault')}{', the first' if count > 1 else ''}: {verdict.faults[0]}"
        return Check("bad", what, "palaver verify shows all")
    if verdict.sync_failures:
        what = f"{verdict.sync_failures} syncs have failed: the disk has lost writes before"
        return Check("bad", what, "look at the disk (dmesg), then move the bus to another")
    return Check("ok", f"{numbered(verdict.events, 'event')}, every line and every link is good")


def _anchors(session: Session) -> Check:
    report = check_anchors(session)
    if report.losses:
        what = "; ".join(loss.what for loss in report.losses)
        return Check("bad", what, f"put the records back, or accept the log as it is: {ACCEPT}")
    notes = report.notes
    if trust.is_trusted(session.root.path):
        position = session.view.current().position()
        notes += settle(session, position) if position else []
    if notes:
        return Check("note", "; ".join(notes))
    agree = "anchors agree" if report.anchors > 1 else "anchor agrees"
    known = f"{report.anchors} {agree} with the log, up to record {report.newest}"
    return Check("ok", known if report.anchors else "there are none yet")


def _view(session: Session) -> Check:
    try:
        db = session.view.current()
        found = db.execute("pragma quick_check")[0][0]
    except store.Broken as fault:
        found = str(fault)
    if found != "ok":
        return Check("bad", str(found).partition("\n")[0], "palaver rebuild")
    if session.view.notes:
        return Check("note", "; ".join(session.view.notes))
    return Check("ok", "whole, and up to date")


def _quarantine(session: Session) -> Check:
    waiting = quarantine.count(session)
    if waiting:
        return Check("bad", f"{numbered(waiting, 'entry')} in it", "palaver quarantine lists them")
    return Check("ok", "empty")


def _addresses(session: Session) -> Check:
    agent_registry.roster(session)
    lost = inbox.lost(session.view.current())
    if lost:
        what = f"{numbered(len(lost), 'message')} reached nobody, last {lost[0]}"
        return Check("note", what, f"palaver resend {lost[0]} NAME")
    return Check("ok", "every message reached somebody")


def _held_mail(session: Session) -> Check:
    held = inbox.held(session.view.current())
    if not held:
        return Check("ok", "none")
    _, message_id, agent = held[0]
    what = f"no program takes {numbered(len(held), 'message')} (loop-limit), last {message_id}"
    return Check("note", what, f"palaver thread {message_id}, then palaver resend {message_id} {agent}")


def _secrets(session: Session) -> Check:
    found: list[int] = []
    for batch in session.log.batches():
        mail = (event for event in batch.events if event.event_type == "mail.sent")
        found += [event.seq for event in mail if mask_value(event.data)[1]]
    lines = session.sync.secret_lines() if trust.is_trusted(session.root.path) else []
    what: list[str] = []
    if found:
        hold = "messages hold" if len(found) > 1 else "message holds"
        what.append(f"{len(found)} {hold} what looks like a secret: {_first([*map(str, found)])}")
    if lines:
        what.append(f"files hold what looks like a secret: {_first(lines)}")
    if what:
        way_out = f"palaver redact {found[0]}" if found else "replace the secret, and take it out of the file"
        return Check("note", "; ".join(what), way_out)
    return Check("ok", "none seen")


def _first(each: list[str]) -> str:
    """Return the first of many, and whether there are more."""
    return ", ".join(each[:_SHOWN]) + (f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else "")


def _lock(session: Session) -> Check:
    root = session.root
    for path in (root.log_lock, root.view_lock, root.sync_lock):
        with suppress(FileNotFoundError):
            try:
                size_of(path)
            except NotRegular as special:
                return Check("bad", f"{path} is {special.kind}, not a lock file", "remove it")
    holder = Lock(session.root.log_lock).holder()
    if holder:
        return Check("note", f"held by {describe(holder)}", "fine if it goes away by itself")
    return Check("ok", "free")


def _tools(_: Session) -> Check:
    missing = [] if shutil.which("git") else ["git (for snapshots)"]
    versions = f"SQLite {sqlite3.sqlite_version}"
    if missing:
        return Check("note", f"{versions}; missing: {', '.join(missing)}", "install it")
    return Check("ok", versions)


#: Every check, from the ground up.
_CHECKS: Final[Mapping[str, Callable[[Session], Check]]] = {
    "trust": _trust,
    "folders": _folders,
    "file system": _file_system,
    "locks and syncs": _locks_and_syncs,
    "room": _room,
    "config": _config,
    "log": _log,
    "anchors": _anchors,
    "view": _view,
    "quarantine": _quarantine,
    "addresses": _addresses,
    "held mail": _held_mail,
    "secrets": _secrets,
    "lock": _lock,
    "tools": _tools,
}
