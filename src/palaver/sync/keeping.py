"""Small judgements about foreign bytes: whether they are finished, and where what cannot be read is kept.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os
import time

from palaver.bus.root import Root
from palaver.model.dialect import Kind, Parsed
from palaver.model.limits import QUARANTINE_BYTES, QUIET_SECONDS
from palaver.model.message import Message


def is_quiet(found: os.stat_result) -> bool:
    """Tell whether nobody has written to a file for a while; a time that is yet to come says nothing."""
    age = time.time() - found.st_mtime
    return age >= QUIET_SECONDS or age < -QUIET_SECONDS


def is_whole(found: os.stat_result) -> bool:
    """Tell whether a dropped file is finished: it was moved here once it was written, or left alone since."""
    return found.st_ctime_ns > found.st_mtime_ns or is_quiet(found)


def is_closed(parsed: Parsed, content: bytes) -> bool:
    """Tell whether the last message of a bus file has its text and its end."""
    said = [piece for piece in parsed.pieces if piece.kind is not Kind.BLANK]
    if not said:
        return True
    if said[-1].kind is not Kind.EVENT:
        # What nobody can read may be a beginning.
        return False
    message = said[-1].values[0]
    ends = content.rstrip(b"\r\n \t").endswith(b"\n---")
    return type(message) is Message and bool(message.body) and ends


def keep(root: Root, name: str, content: bytes) -> None:
    """Keep bytes whole, for as long as there is room for them; they stay in their own file too."""
    from palaver.bus.replacing import put

    os.makedirs(root.quarantine, mode=0o700, exist_ok=True)
    if _size(root.quarantine) + len(content) > QUARANTINE_BYTES:
        return
    fd = os.open(f"{root.quarantine}/{name}.bin", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        put(fd, content)
    finally:
        os.close(fd)


def _size(folder: str) -> int:
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries)
