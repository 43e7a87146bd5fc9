"""The clock of the patrol on the disk: who looks, and how long somebody has watched (docs/adr/0020).

`.palaver/watch` is a small file that whoever looks replaces by rename, without a lock: of two that write at
once, one is forgotten. Without it everything counts as seen just now, and nobody is late.
"""

import os
import time
from _thread import get_ident
from typing import Final

from palaver.bus.session import Session
from palaver.log.regular import open_regular
from palaver.model.deadlines import in_force
from palaver.model.watch import Watch, read

_BOOT: Final = "/proc/sys/kernel/random/boot_id"
_MOST: Final = 1 << 20


def boot_id() -> str:
    """Return which start of this machine it is."""
    return _content(_BOOT).decode("ascii", "replace").strip()


def path_of(core: Session) -> str:
    """Return where the clock is kept."""
    return f"{core.root.path}/watch"


def kept(core: Session) -> Watch:
    """Return the clock as it was left; a new one where there is none."""
    return read(_content(path_of(core)))


def keep(core: Session, watch: Watch) -> None:
    """Write it down, or raise what the disk says: then the next one takes everything for new.

    Not synced, unlike what `replacing` writes: after a power cut the machine's clock counts anew anyway.
    """
    fresh = f"{path_of(core)}.{os.getpid()}.{get_ident()}"
    fd = open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with open(fd, "wb") as file:
        file.write(watch.written())
    os.rename(fresh, path_of(core))


def looked(core: Session) -> Watch | None:
    """Look in passing, as a patrol does; None if somebody looked a moment ago, or knows more than we do."""
    watch = kept(core)
    ticks, boot = time.monotonic(), boot_id()
    deadlines = in_force(core.view.roster().settings)
    pause, gap = deadlines["patrol"], deadlines["gap"]
    [(head,)] = core.view.asked.execute("select seq from place")
    if boot == watch.boot:
        lately = 0.0 <= ticks - watch.ticks < pause
    else:
        # Another start of this machine, or another machine on the same disk: that one's clock is not ours.
        lately = abs(time.time() - _written_at(path_of(core))) < gap
    if lately or head < watch.head:
        return None
    watch.look(ticks=ticks, boot=boot, head=head, gap=gap)
    try:
        keep(core, watch)
    except OSError:
        # Then no time has passed.
        return None
    return watch


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
