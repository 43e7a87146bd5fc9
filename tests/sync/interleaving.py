"""One pass over the files, interrupted at a chosen system call: by another program, or by its own death."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

from palaver.api import Bus
from palaver.bus.root import find
from palaver.bus.session import Session
from tests.sync.scene import Scene, append

# Functions of Python's `posix` module that ask the kernel nothing.
_NO_CALLS: Final = frozenset({"fspath", "_path_normpath", "getpid", "fsencode"})


class Moments:
    """Counts the moments of a pass, of which one comes before each system call; acts at some of them."""

    def __init__(self, deeds: dict[int, Callable[[], None]]) -> None:
        self._deeds = deeds
        self.count = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if event != "c_call" or getattr(arg, "__module__", "") != "posix":
            return
        if not self.is_counted(frame, getattr(arg, "__name__", "")):
            return
        self.count += 1
        if self.count in self._deeds:
            sys.setprofile(None)
            self._deeds[self.count]()
            sys.setprofile(self)

    def is_counted(self, frame: FrameType, name: str) -> bool:
        # The names for a call by ctypes are encoded just before it, and that call is not seen here.
        return name not in _NO_CALLS or frame.f_code.co_name == "fsencode"


class Exchanges(Moments):
    """Counts only the moments before files are exchanged, until the first deed; from then on all."""

    def is_counted(self, frame: FrameType, name: str) -> bool:
        is_exchange = frame.f_back is not None and frame.f_back.f_code.co_name == "_rename"
        return super().is_counted(frame, name) and (is_exchange or self.count >= min(self._deeds))


def interrupt_often(
    scene: Scene, deeds: dict[int, Callable[[], None]], counter: type[Moments] = Moments
) -> int:
    """Do one pass, with deeds at some moments of it; return how many moments it had."""
    moments = counter(deeds)
    sys.setprofile(moments)
    try:
        scene.sync()
    finally:
        sys.setprofile(None)
    return moments.count


def interrupt(scene: Scene, moment: int, deed: Callable[[], None]) -> bool:
    """Do one pass, with a deed at one moment of it; return False if the pass has no such moment."""
    return interrupt_often(scene, {moment: deed}) >= moment


def kill(scene: Scene, moment: int, deed: Callable[[], None]) -> bool:
    """Do one pass in a process of its own, which is killed after the deed; return False if it ended first."""

    def act_and_die() -> None:
        deed()
        _die()

    return _is_killed(scene, {moment: act_and_die})


def kill_later(scene: Scene, moment: int, deed: Callable[[], None]) -> bool:
    """Do the same, but let the pass do one more system call after the deed."""
    return _is_killed(scene, {moment: deed, moment + 1: _die})


def kill_after_exchange(scene: Scene, moment: int, deed: Callable[[], None]) -> bool:
    """Do the same at a moment before files are exchanged; the pass is killed at its next system call."""
    return _is_killed(scene, {moment: deed, moment + 1: _die}, Exchanges)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _is_killed(scene: Scene, deeds: dict[int, Callable[[], None]], counter: type[Moments] = Moments) -> bool:
    """Do one pass in a process of its own; return False if it ended before the first of the deeds."""
    pid = os.fork()
    if not pid:
        ending = 1
        try:
            scene.restart()
            ending = int(interrupt_often(scene, deeds, counter) >= min(deeds))
        finally:
            os._exit(ending)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0


def quiet_bus(scene: Scene) -> Bus:
    """Return a bus that does no pass by itself."""
    return Bus(session=Session(find(str(scene.folder)), agent="ada"))


# --- what other programs do to a file ---


def save_by_rename(path: Path, content: bytes) -> None:
    """Save as most editors do, and `sed -i`: the whole file beside, then moved into its place."""
    beside = path.with_name(f"{path.name}.swp")
    beside.write_bytes(content)
    beside.rename(path)


def save_in_place(path: Path, content: bytes) -> None:
    """Save as a program does that empties the file and writes it again."""
    path.write_bytes(content)


def add_by_rename(path: Path, content: bytes) -> None:
    save_by_rename(path, path.read_bytes() + content)


def add_in_place(path: Path, content: bytes) -> None:
    save_in_place(path, path.read_bytes() + content)


#: Ways to add lines to a file, and ways to save all of it.
ADDS: Final = {"append": append, "rename": add_by_rename, "in place": add_in_place}
SAVES: Final = {"rename": save_by_rename, "in place": save_in_place}
