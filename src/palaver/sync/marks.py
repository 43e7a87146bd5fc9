"""`.work/messages.jsonl` says of each line whether it was read: the marks of the view, written into the file."""

import os

from palaver.bus.core import Core
from palaver.model.plain import dumps
from palaver.model.strict import Unreadable, loads_object
from palaver.sync import attic
from palaver.sync.mounts import Mounted
from palaver.sync.opening import Unfit, opened
from palaver.views import sources
from palaver.views.asked import Asked

FILE = ".work/messages.jsonl"
_ASKED_AT_ONCE = 500


def mark_read(core: Core, db: Asked, mounted: Mounted) -> bool:
    """Write the marks that are missing; tell whether the file says all that the view knows."""
    path = mounted.full(FILE)
    try:
        fd, found = opened(path)
    except (FileNotFoundError, Unfit):
        return True
    try:
        source = sources.sources(db, mounted.name).get(FILE)
        if source is None or source.ending != found.st_size:
            # Somebody is writing to it: next time.
            return False
        content = os.pread(fd, found.st_size, 0)
    finally:
        os.close(fd)
    lines = content.split(b"\n")
    fresh = _marked(db, lines)
    if fresh != lines:
        attic.replace(core.root, mounted.name, path, b"\n".join(fresh), found.st_size)
    return True


def _marked(db: Asked, lines: list[bytes]) -> list[bytes]:
    unread: dict[int, dict[str, object]] = {}
    for place, line in enumerate(lines):
        if not line.strip() or b'"read_at":"' in line:
            continue
        try:
            fields = loads_object(line.strip())
        except Unreadable:
            continue
        if not fields.get("read_at"):
            unread[place] = fields
    marks = _marks(db, [str(fields.get("id")) for fields in unread.values()])
    fresh = list(lines)
    for place, fields in unread.items():
        at = marks.get((str(fields.get("id")), str(fields.get("to")).removeprefix("@").lower()))
        if at:
            fresh[place] = dumps({**fields, "read_at": at}).encode()
    return fresh


def _marks(db: Asked, ids: list[str]) -> dict[tuple[str, str], str]:
    """Return when each reader read each of the messages, by the name that was written too."""
    found: dict[tuple[str, str], str] = {}
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        some = ids[start : start + _ASKED_AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = db.execute(
            "select m.id, a.id, d.via, d.read from message m join delivery d on d.message = m.seq "
            f"join agent a on a.number = d.agent where d.read is not null and m.id in ({marks})",
            tuple(some),
        )
        for message, agent, via, at in rows:
            found[str(message), str(agent)] = str(at)
            if via:
                found.setdefault((str(message), str(via).lstrip("@")), str(at))
    return found
