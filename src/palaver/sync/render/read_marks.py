"""`.work/messages.jsonl` says of each line whether it was read: the view's marks, written into the file.

The file is replaced as a whole, while others append to it: see `replacement.py`.
"""

import os

from palaver.bus.session import Session
from palaver.model.dialect import Source
from palaver.model.message import Message
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.sync.intake import keeping
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.repeats import says_again
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.opening import Unfit, appending, opened
from palaver.sync.render import replacement
from palaver.views.files import sources
from palaver.views.mail import lookups
from palaver.views.query import Query

FILE = ".work/messages.jsonl"


def mark_read(core: Session, db: Query, mounted: MountPoint) -> bool:
    """Write the marks that are missing; return True if the file has all that the view knows."""
    path = mounted.full(FILE)
    try:
        fd, found = opened(path)
    except (FileNotFoundError, Unfit):
        return True
    try:
        source = sources.sources(db, mounted.name).get(FILE)
        content = os.pread(fd, found.st_size, 0)
    finally:
        os.close(fd)
    is_same = source is not None and source.mark == f"{found.st_dev}:{found.st_ino}"
    if source is None or not is_same or not source.ending <= len(content) == found.st_size:
        # It is not the file that was read in this pass: next time.
        return False
    if content and not content.endswith(b"\n"):
        # A program is in the middle of a line. But a line that nobody ends must not keep all waiting.
        if keeping.is_quiet(found):
            _end_line(path)
        return False
    # Lines behind that were appended since, or are our own and not confirmed yet: they stay as they are.
    taken = content.rfind(b"\n", 0, source.ending) + 1
    fresh = b"\n".join(mark_lines(core, db, mounted, content[:taken].split(b"\n"))) + content[taken:]
    return fresh == content or replacement.replace(core.root, mounted, FILE, content, fresh, grows=True)


def _end_line(path: str) -> None:
    fd, _ = appending(path)
    try:
        os.write(fd, b"\n")
    finally:
        os.close(fd)


def mark_lines(core: Session, db: Query, mounted: MountPoint, lines: list[bytes]) -> list[bytes]:
    """Return lines with the marks that are missing in them."""
    unread: dict[int, dict[str, object]] = {}
    for place, line in enumerate(lines):
        if not line.strip() or b'"read_at":"' in line:
            continue
        try:
            fields = loads_object(line.strip())
        except NotAnObject:
            continue
        if not fields.get("read_at"):
            unread[place] = fields
    marks = lookups.marks(db, [str(fields.get("id")) for fields in unread.values()])
    known = Known(core, db)
    fresh = list(lines)
    for place, fields in unread.items():
        at = marks.get((str(fields.get("id")), str(fields.get("to")).removeprefix("@").lower()))
        if at and _is_known(mounted, known, lines[place]):
            fresh[place] = dumps({**fields, "read_at": at}).encode()
    return fresh


def _is_known(mounted: MountPoint, known: Known, line: bytes) -> bool:
    """Return True if a line is the message that has its id; another one may have the same."""
    source = Source(path=FILE, content=line + b"\n", mount=mounted.mount)
    values = [value for piece in mounted.dialect.parse(source).pieces for value in piece.values]
    messages = [value for value in values if type(value) is Message]
    found = [known.message(message.id) for message in messages]
    pairs = zip(messages, found, strict=True)
    return bool(messages) and all(each is not None and says_again(said, each) for said, each in pairs)
