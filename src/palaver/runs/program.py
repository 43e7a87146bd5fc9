"""One program, from its start to the end of the last process of its group.

It runs in a session of its own, so it has a process group, and a signal at the terminal reaches us first.
What it prints is handed on as it comes. When it ends, what is left of its session is ended too: SIGTERM, ten
seconds, SIGKILL. What has left the session (a daemon, on purpose) is left alone, and named.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType

from palaver.model.errors import ToolMissing
from palaver.model.limits import DRAIN_SECONDS, RUN_CHUNK_BYTES
from palaver.runs import living
from palaver.runs.living import Process
from palaver.runs.outlet import Outlet

# Handed on as they are; those that mean the end start the ladder that leads to SIGKILL.
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_FORWARDED = (*_ENDING, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH)
_MISSING = 127
# What the process does first: wait for our word, undo what Python did to two signals, become the program.
_GATE = """
import os, sys, _signal
fd = int(sys.argv[1])
word = os.read(fd, 1)
os.close(fd)
if not word:
    os._exit(125)
_signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
_signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
try:
    os.execvp(sys.argv[2], sys.argv[2:])
except OSError as fault:
    sys.stderr.write(f"palaver: cannot start {sys.argv[2]}: {fault.strerror}\\n")
    sys.stderr.flush()
    os._exit(127 if isinstance(fault, FileNotFoundError) else 126)
"""
# How often the processes of a session that is to end are counted.
_COUNT_SECONDS = 0.05


class Ended:
    """How a program ended."""

    def __init__(self, status: int, *, asked: bool, made: bool, seconds: float) -> None:
        """Take what the kernel says, whether it was asked to end or made to, and how long it ran."""
        self.signal = -status if status < 0 else 0
        self.exit = status if status >= 0 else 128 - status
        self.asked = asked
        #: Whether somebody else ended it: its keeper hears of that from the log.
        self.killed = asked
        self.made = made
        self.seconds = seconds
        self.left: list[int] = []

    @property
    def reason(self) -> str:
        """Return in one word why it ended."""
        if self.killed:
            return "killed"
        return "crash" if self.signal else "exit"


class Program:
    """A program that is about to run: its process is there, and waits until it may begin.

    So that whoever looks at the log knows of every program that does anything. Should we die before, it ends.
    """

    def __init__(self, words: list[str], *, environment: Mapping[str, str], umask: int, grace: float) -> None:
        """Make its process."""
        self._begun = self._asked = self._made = False
        self._deadline = 0.0
        self._grace = grace
        # Signals that came while there was nobody to hand them on to.
        self.pid = 0
        self._early: list[int] = []
        self._before = {each: signal.signal(each, self._forward) for each in _FORWARDED}
        gate, self._gate = os.pipe2(os.O_CLOEXEC)
        try:
            self._child = subprocess.Popen(  # noqa: S603 - to start what the user names is what we are for
                [sys.executable, "-ISc", _GATE, str(gate), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(gate,),
                env=dict(environment),
                umask=umask,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            self._restore()
            os.close(self._gate)
            raise ToolMissing(f"cannot start {words[0][:80]!a}", str(fault), "ask for less") from fault
        finally:
            os.close(gate)
        self.pid = self._child.pid
        for number in self._early:
            self._tell(number)
        found = living.process(self.pid)
        self.ticks = found.ticks if found else 0
        self._since = time.monotonic()
        self._given = bytearray()
        self._open_end = False
        pipes = [
            pipe.fileno() for pipe in (self._child.stdin, self._child.stdout, self._child.stderr) if pipe
        ]
        self._stdin, *outputs = pipes
        self._outlets = (Outlet(1), Outlet(2))
        self._sources = dict(zip(outputs, self._outlets, strict=True))
        for fd in pipes:
            os.set_blocking(fd, False)

    def begin(self, given: bytes, *, open_end: bool = False) -> None:
        """Let it begin, with a text on its standard input, which ends there unless more may follow."""
        self._given += given
        self._open_end = open_end
        self._begun = True
        with suppress(BrokenPipeError):
            # Somebody may have ended it already.
            os.write(self._gate, b".")
        os.close(self._gate)

    def give_up(self) -> None:
        """Let it end before it has begun."""
        self._begun = True
        os.close(self._gate)
        self._restore()
        self._counted()

    def give(self, text: bytes) -> bool:
        """Write more to its standard input; tell whether it still listens."""
        if self._stdin >= 0 and self._open_end:
            self._given += text
            return True
        return False

    def ask_to_end(self, number: int = signal.SIGTERM) -> None:
        """Ask the group to end; after the time of grace it is made to."""
        self._tell(number)
        if not self._asked:
            self._asked = True
            self._deadline = time.monotonic() + self._grace

    def run(
        self,
        heard: Callable[[bytes], None],
        due: Callable[[], float],
        *,
        more: tuple[int, ...] = (),
    ) -> Ended:
        """Hand on what it prints until it has ended; `due` is asked often, and when `more` wakes us."""
        assert self._begun, "it waits until it may begin"
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        old = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        ended = os.pidfd_open(self.pid)
        try:
            self._until_ended(heard, due, ended, (wake, *more))
            self._tidy(heard, wake)
        finally:
            signal.set_wakeup_fd(old)
            self._restore()
            for fd in (wake, waker, ended):
                os.close(fd)
        return self._counted()

    def _restore(self) -> None:
        for each, heed in self._before.items():
            signal.signal(each, heed)

    def _until_ended(
        self, heard: Callable[[bytes], None], due: Callable[[], float], ended: int, wakers: tuple[int, ...]
    ) -> None:
        while True:
            seconds = due()
            if self._asked:
                seconds = min(seconds, _COUNT_SECONDS)
                self._climb()
            if ended in self._turn(heard, seconds, (ended, *wakers)):
                return

    def _tidy(self, heard: Callable[[bytes], None], wake: int) -> None:
        """Take what is still in the pipes, and end what is left of the session."""
        quiet = time.monotonic()
        while True:
            left = self._others()
            if left and not self._deadline:
                living.ask_to_end(left)
                self._deadline = time.monotonic() + self._grace
            elif left:
                self._climb(left)
            woken = self._turn(heard, _COUNT_SECONDS, (wake,))
            if woken & self._sources.keys():
                quiet = time.monotonic()
            over = not self._sources or time.monotonic() - quiet > DRAIN_SECONDS
            if not left and over and not any(outlet.waits for outlet in self._outlets):
                return
            if not left and time.monotonic() - quiet > self._grace:
                # Nobody reads what we have for him; his loss, the files have it.
                return

    def _turn(self, heard: Callable[[bytes], None], seconds: float, wakers: tuple[int, ...]) -> set[int]:
        """Wait for something to happen, do it, and return what it was."""
        happened = {fd for fd, _ in self._poll(wakers).poll(int(seconds * 1000) + 1)}
        for fd in happened.intersection(wakers):
            _emptied(fd)
        for fd in happened.intersection(self._sources):
            self._take(fd, self._sources[fd], heard)
        for outlet in self._outlets:
            if outlet.waits and outlet.fd in happened:
                outlet.write()
        if self._stdin >= 0 and (self._stdin in happened or not self._given):
            self._feed(broken=self._stdin in happened and not self._given)
        return happened

    def _poll(self, wakers: tuple[int, ...]) -> select.poll:
        poll = select.poll()
        for fd in wakers:
            poll.register(fd, select.POLLIN)
        for fd, outlet in self._sources.items():
            if not outlet.full:
                poll.register(fd, select.POLLIN)
        for outlet in self._outlets:
            if outlet.waits:
                poll.register(outlet.fd, select.POLLOUT)
        if self._stdin >= 0:
            # Without words for it we only want to hear that it listens no more.
            poll.register(self._stdin, select.POLLOUT if self._given else 0)
        return poll

    def _take(self, fd: int, outlet: Outlet, heard: Callable[[bytes], None]) -> None:
        try:
            piece = os.read(fd, RUN_CHUNK_BYTES)
        except BlockingIOError:
            return
        if piece:
            heard(piece)
            outlet.put(piece)
        else:
            del self._sources[fd]

    def _feed(self, *, broken: bool) -> None:
        """Write to the program's standard input what it takes; close it when there is no more to come."""
        try:
            if self._given:
                del self._given[: os.write(self._stdin, bytes(self._given[:RUN_CHUNK_BYTES]))]
        except BlockingIOError:
            return
        except OSError:
            broken = True
        if broken or not (self._given or self._open_end):
            self._stdin = -1
            assert self._child.stdin, "it was a pipe"
            try:
                self._child.stdin.close()
            except OSError:
                return

    def _forward(self, number: int, frame: FrameType | None) -> None:
        del frame
        if number in _ENDING:
            self.ask_to_end(number)
        else:
            self._tell(number)

    def _tell(self, number: int) -> None:
        """Send a signal to the group; it is ours as long as its first process was not counted."""
        if not self.pid:
            self._early.append(number)
            return
        try:
            os.killpg(self.pid, number)
            if number in _ENDING:
                os.killpg(self.pid, signal.SIGCONT)
        except (ProcessLookupError, PermissionError):
            return

    def _others(self) -> list[Process]:
        return [each for each in living.of_session(self.pid) if each.pid != self.pid]

    def _climb(self, left: list[Process] | None = None) -> None:
        """Make what was asked to end in vain."""
        if time.monotonic() >= self._deadline:
            self._made = True
            living.tell(left if left is not None else living.of_session(self.pid), signal.SIGKILL)

    def _counted(self) -> Ended:
        seconds = time.monotonic() - self._since
        status = self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                continue
        return Ended(status, asked=self._asked, made=self._made, seconds=seconds)


def _emptied(fd: int) -> None:
    try:
        os.read(fd, RUN_CHUNK_BYTES)
    except OSError:
        # Nothing is in it, or it is not a thing to be read: a process that has ended.
        return


def refuse_missing(program: str, environment: Mapping[str, str], code: int = _MISSING) -> None:
    """Refuse a program that is not there; if it was to run in our place, with the exit code of a shell."""
    if shutil.which(program, path=environment.get("PATH")) is None:
        why = "it is not there, or not a program"
        refused = ToolMissing(f"cannot start {program[:80]!a}", why, "look at its name and at PATH")
        refused.exit = code
        raise refused
