"""Lines that a file gained after it was replaced: taken in from the attic, and owed to the new file.

They are in the log, so nothing can be lost. They are appended to the new file as they were written, with the
mark of reading if there is one by now, and reading confirms them, as with everything that we write: a line
that is found there more often than the file had it before is the one that was carried over.
"""

import os

from palaver.bus.session import Session
from palaver.model.limits import LINE_BYTES, OWED
from palaver.sync.foreign_file import Unfit, open_to_read
from palaver.sync.intake.echoes import Rendering
from palaver.sync.intake.events import hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import attic
from palaver.sync.render.debts import Debt
from palaver.sync.render.read_marks import mark_lines
from palaver.views.files import carried_lines
from palaver.views.query import Query

# A longer line could be read in several pieces, and would not be recognised.
_LONGEST = 2 * LINE_BYTES


def add_late_lines(core: Session, db: Query, mounted: MountPoint, found: Debt) -> None:
    """Add the lines that are owed to the files of a mount, as many as are written at a time."""
    if not carried_lines.has_lines(db, mounted.name):
        return
    paths = {old.source: old.path for old in attic.entries(core.root, mounted.name, mounted.path)}
    for seq, source, offset, length in carried_lines.lines(db, mounted.name, OWED):
        raw = _line(paths.get(source, ""), offset, length)
        if not raw:
            found.lost.append(seq)
            continue
        file = attic.name_of(source)
        line = mark_lines(core, db, mounted, file, [raw])[0]
        found.carried.setdefault(file, []).append(Rendering(seq, line + b"\n"))
        for sha in {hashed(raw), hashed(line)}:
            found.hashes.setdefault((file, sha), []).append(seq)


def _line(path: str, offset: int, length: int) -> bytes:
    """Return a line of a replaced file without its end; nothing if it is gone, or is no single line."""
    if not path or length > _LONGEST:
        return b""
    try:
        fd, _ = open_to_read(path)
    except (OSError, Unfit):
        return b""
    try:
        raw = os.pread(fd, length, offset).rstrip(b"\n")
    finally:
        os.close(fd)
    return b"" if b"\n" in raw else raw
