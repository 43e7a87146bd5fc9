"""Whether the reader of our standard output has got what was written.

What is written to a pipe is not read yet: `palaver read | head -c 10` shows ten bytes of a message. A file
and a terminal keep what they got.
"""

import fcntl
import os
import select
import termios
import time
from stat import S_ISFIFO

from palaver.cli.context import Context
from palaver.model.limits import READER_SECONDS

_NAP_MILLISECONDS = 2


def has_reader_got_it(context: Context) -> bool:
    """Write the answer so far; return False if its reader goes away before it has taken all of it."""
    context.flush()
    try:
        fd = context.caller.open_output()
    except OSError:
        # A pipe without a reader, or a process that has ended.
        return False
    try:
        return not S_ISFIFO(os.fstat(fd).st_mode) or _is_taken(fd)
    finally:
        os.close(fd)


def _is_taken(fd: int) -> bool:
    """Return True if a pipe is empty, or its reader is in no hurry."""
    gone = select.poll()
    gone.register(fd, 0)
    deadline = time.monotonic() + READER_SECONDS
    while time.monotonic() < deadline:
        # In this order: a reader that takes the rest and goes has got it.
        is_alone = bool(gone.poll(0))
        if not _unread_bytes(fd):
            return True
        if is_alone:
            return False
        gone.poll(_NAP_MILLISECONDS)
    return True


def _unread_bytes(fd: int) -> int:
    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), "little")
