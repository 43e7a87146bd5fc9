"""The patrol's clock on disk: how many seconds were patrolled (docs/adr/0020).

`.palaver/watch` is a small file that every patrol replaces by rename, without a lock: if two write at once,
one of them is forgotten. Without the file every event counts as seen just now, and nobody is late.
"""

import os
import time
from functools import cache
from typing import Final

from palaver.bus.session import Session
from palaver.files.atomic_replace import write_whole
from palaver.files.regular import open_regular
from palaver.model.deadlines import PatrolClock, decode_clock, in_force

_BOOT: Final = "/proc/sys/kernel/random/boot_id"
_MOST: Final = 1 << 20


@cache
def boot_id() -> str:
    """Return the id of this boot of the machine."""
    return _content(_BOOT).decode("ascii", "replace").strip()


def clock_path(core: Session) -> str:
    """Return the path of the clock's file."""
    return f"{core.root.path}/watch"


def load_clock(core: Session) -> PatrolClock:
    """Return the clock as the last patrol left it; a new one if there is none."""
    return decode_clock(_content(clock_path(core)))


def save_clock(core: Session, clock: PatrolClock) -> None:
    """Replace the file; an error of the disk is raised.

    Not synced: after a power cut the machine's clock starts again anyway.
    """
    write_whole(clock_path(core), clock.encode(), is_durable=False)


def advance_clock(core: Session) -> PatrolClock | None:
    """Advance the clock as a patrol does; None if a patrol did a moment ago, or knows more than we do."""
    clock = load_clock(core)
    ticks, boot = time.monotonic(), boot_id()
    deadlines = in_force(core.view.settings())
    pause, gap = deadlines["patrol"], deadlines["gap"]
    head = core.view.seq
    if boot == clock.boot:
        lately = 0.0 <= ticks - clock.ticks < pause
    else:
        # Another boot of this machine, or another machine on the same disk: its clock is not ours.
        lately = abs(time.time() - _written_at(clock_path(core))) < gap
    if lately or head < clock.head:
        return None
    clock = clock.advance(ticks=ticks, boot=boot, head=head, gap=gap)
    try:
        save_clock(core, clock)
    except OSError:
        # Then no time has passed.
        return None
    return clock


def _written_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _content(path: str) -> bytes:
    try:
        fd = open_regular(path, os.O_RDONLY)
    except OSError:
        return b""
    with open(fd, "rb") as file:
        try:
            return file.read(_MOST)
        except OSError:
            return b""
