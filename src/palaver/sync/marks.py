"""`.work/messages.jsonl` says of each line whether it was read: the view's marks, written into the file."""

import os

from palaver.bus.core import Core
from palaver.model.plain import dumps
from palaver.model.strict import Unreadable, loads_object
from palaver.sync import attic, keeping
from palaver.sync.mounts import Mounted
from palaver.sync.opening import Unfit, appending, opened
from palaver.views import questions, sources
from palaver.views.asked import Asked

FILE = ".work/messages.jsonl"


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
            # Somebody is writing to it: next time. But a line that nobody ends must not keep all waiting.
            if keeping.is_quiet(found) and os.pread(fd, 1, found.st_size - 1) != b"\n":
                _end_line(path)
            return False
        content = os.pread(fd, found.st_size, 0)
    finally:
        os.close(fd)
    lines = content.split(b"\n")
    fresh = _marked(db, lines)
    if fresh != lines:
        attic.replace(core.root, mounted.name, path, b"\n".join(fresh), found.st_size)
    return True


def _end_line(path: str) -> None:
    fd, _ = appending(path)
    try:
        os.write(fd, b"\n")
    finally:
        os.close(fd)


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
    marks = questions.marks(db, [str(fields.get("id")) for fields in unread.values()])
    fresh = list(lines)
    for place, fields in unread.items():
        at = marks.get((str(fields.get("id")), str(fields.get("to")).removeprefix("@").lower()))
        if at:
            fresh[place] = dumps({**fields, "read_at": at}).encode()
    return fresh
