"""Quarantine: list what could not be understood, show it safely, try it again after a fix."""

import os

from palaver.bus.session import Session
from palaver.files.regular import open_regular
from palaver.model.errors import BadArguments, NotFound
from palaver.model.limits import QUARANTINE_BYTES, SHOW_BYTES
from palaver.views.files import quarantine
from palaver.views.files.quarantine import QuarantineItem


def items(session: Session, *, everything: bool = False) -> list[QuarantineItem]:
    """Return the oldest entries; with `everything` also those that were explained or released."""
    return quarantine.items(session.view.current(), everything=everything)


def count(session: Session, *, everything: bool = False) -> int:
    """Return the number of entries."""
    return quarantine.count(session.view.current(), everything=everything)


def item(session: Session, wanted: str) -> QuarantineItem:
    """Return one entry."""
    found = quarantine.item(session.view.current(), wanted)
    if found is None:
        raise NotFound(f"nothing in quarantine is called {wanted}", "", "palaver quarantine lists it")
    return found


def content(session: Session, wanted: QuarantineItem, limit: int = SHOW_BYTES) -> bytes:
    """Return the bytes of an entry, as many as may be shown; they are kept whole where they lie."""
    if wanted.kind != "file":
        return session.log.raw(wanted.kept_in)[:limit]
    if not wanted.kept_in or "/" in wanted.kept_in:
        raise NotFound(
            f"cannot show {wanted.id}",
            f"the quarantine is full ({QUARANTINE_BYTES >> 20} MiB), so these bytes were only counted",
            f"look at byte {wanted.offset} of {wanted.file}",
        )
    path, offset, length = f"{session.root.quarantine}/{wanted.kept_in}", wanted.kept_at, wanted.kept
    try:
        fd = open_regular(path, os.O_RDONLY)
    except OSError as fault:
        raise NotFound(f"cannot show {wanted.id}", fault.strerror or str(fault), f"look at {path}") from fault
    try:
        return os.pread(fd, min(limit, length), offset)
    finally:
        os.close(fd)


def retry(session: Session, wanted: QuarantineItem) -> bool:
    """Try an entry again; return True if all of it is understood now."""
    if wanted.released:
        return True
    if wanted.kind == "damaged":
        if session.log.at(wanted.kept_in) is None:
            return False
        session.view.rebuild(f"{wanted.file} was mended")
        return True
    if wanted.kind == "file":
        return session.sync.retry(wanted)
    raise BadArguments(
        f"cannot try {wanted.id} again", f"it is {wanted.kind}, and no text", "it stays in quarantine, whole"
    )
