"""Quarantine: list what could not be parsed, show it safely, parse it again after a fix."""

import os
from typing import Annotated, NamedTuple

from msgspec import Meta

from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key
from palaver.bus.operations.operation import appends, inspects, operation, reads
from palaver.bus.session import Session
from palaver.files.regular import open_regular
from palaver.model.errors import BadArguments, NotFound
from palaver.model.event import Event
from palaver.model.limits import QUARANTINE_BYTES, SHOW_BYTES
from palaver.model.names import BUS
from palaver.views.files import quarantine
from palaver.views.files.quarantine import QuarantineItem

Everything = Annotated[bool, Meta(description="also what was explained or released")]
ItemId = Annotated[str, Meta(description="id of a quarantine entry", max_length=2_000)]


class QuarantineContent(NamedTuple):
    """A quarantine entry, and the beginning of its bytes."""

    item: QuarantineItem
    content: bytes


@operation(reads)
def items(session: Session, *, everything: Everything = False) -> list[QuarantineItem]:
    """Return the quarantine entries, oldest first, up to a limit."""
    return quarantine.items(session.view.current(), everything=everything)


@operation(inspects)
def count(session: Session, *, everything: Everything = False) -> int:
    """Return the number of quarantine entries."""
    return quarantine.count(session.view.current(), everything=everything)


def item(session: Session, wanted: str) -> QuarantineItem:
    """Return one entry."""
    found = quarantine.item(session.view.current(), wanted)
    if found is None:
        raise NotFound(
            f"nothing in quarantine is called {wanted}", "no entry has that id", "palaver quarantine lists it"
        )
    return found


@operation(inspects)
def item_and_content(session: Session, item_id: ItemId) -> QuarantineContent:
    """Return one quarantine entry and the beginning of its bytes."""
    found = item(session, item_id)
    return QuarantineContent(found, content(session, found))


def content(session: Session, wanted: QuarantineItem, limit: int = SHOW_BYTES) -> bytes:
    """Return the bytes of an entry, as many as may be shown."""
    if wanted.kind != "file":
        return session.log.lines_at([wanted.kept_in])[0][:limit]
    found = bytearray()
    for run in quarantine.runs(session.view, wanted):
        if len(found) >= limit or (found and not run.kept_in):
            break
        found += run_content(session, run, limit - len(found))
    return bytes(found)


def run_content(session: Session, wanted: QuarantineItem, limit: int) -> bytes:
    """Return the bytes of one run of lines of an entry."""
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


def _retried_before(session: Session, first: Event) -> bool:
    return bool(item(session, keys.expect_done(first, "retry")).released)


@operation(appends, repeat=_retried_before)
def retry(session: Session, item_id: ItemId, *, key: Key = "") -> bool:
    """Parse a quarantine entry again; return True if all of it is understood now."""
    is_understood = _retry(session, item(session, item_id))
    keys.mark_done(session, "retry", session.agent or BUS, key, about=item_id)
    return is_understood


def _retry(session: Session, wanted: QuarantineItem) -> bool:
    if wanted.released:
        return True
    if wanted.kind == "damaged":
        if session.log.events_at([wanted.kept_in]) == [None]:
            return False
        session.view.rebuild(f"{wanted.file} was fixed")
        return True
    if wanted.kind == "file":
        return session.sync.retry(wanted)
    raise BadArguments(
        f"cannot try {wanted.id} again", f"it is {wanted.kind}, and no text", "it stays in quarantine, whole"
    )
