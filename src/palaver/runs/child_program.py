"""One program, from its start to the end of the last process of its group.

It runs in a session of its own, so it has a process group, and a signal from the terminal reaches us first.
Its output is passed on as it comes. When it ends, what is left of its session is ended too: SIGTERM, ten
seconds, SIGKILL. Processes that have left the session (a daemon, on purpose) are left alone, and reported.
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
from dataclasses import dataclass
from types import FrameType

from palaver.model.errors import ToolMissing
from palaver.model.limits import DRAIN_SECONDS, RUN_CHUNK_BYTES
from palaver.model.masking.masks import clip
from palaver.runs import process_table
from palaver.runs.outlet import Outlet
from palaver.runs.process_table import ProcessEntry

# Passed on as they are; those that mean the end start the grace period before SIGKILL.
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_FORWARDED = (*_ENDING, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH)
_MISSING = 127
# What the process does first: wait for our go, undo what Python did to two signals, become the program.
_GATE = """
import os, sys, _signal
fd = int(sys.argv[1])
go = os.read(fd, 1)
os.close(fd)
if not go:
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
# How often the processes of an ending session are counted.
_COUNT_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """How a program ended."""

    #: The exit code, and the signal that ended it; 0 if none did.
    exit: int
    signal: int
    #: Whether we were told to end it, and whether that took SIGKILL.
    asked: bool
    made: bool
    seconds: float
    #: Whether another process is killing it: the log says that.
    killed: bool = False
    #: Processes of it that still run.
    left: tuple[int, ...] = ()

    @property
    def reason(self) -> str:
        """Return in one word why it ended."""
        if self.asked or self.killed:
            return "killed"
        return "crash" if self.signal else "exit"


class ChildProgram:
    """A program that is about to run: its process exists, and waits until it may begin.

    So the log knows every program before it does anything. If we die before that, the process ends.
    """

    def __init__(
        self,
        words: list[str],
        *,
        environment: Mapping[str, str],
        folder: str = ".",
        streams: tuple[int, int] = (1, 2),
        umask: int,
        grace: float,
    ) -> None:
        """Start its process, which waits."""
        self._begun = self._asked = self._made = False
        self._deadline = 0.0
        self._grace = grace
        # Signals that came before there was a process to pass them on to.
        self.pid = 0
        self._early: list[int] = []
        self._before = {each: signal.signal(each, self._forward) for each in _FORWARDED}
        gate, self._gate = os.pipe2(os.O_CLOEXEC)
        try:
            self._child = subprocess.Popen(  # noqa: S603 - the user names the program
                [sys.executable, "-ISc", _GATE, str(gate), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(gate,),
                cwd=folder,
                env=dict(environment),
                umask=umask,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            self._restore_signals()
            os.close(self._gate)
            raise ToolMissing(
                f"cannot start {clip(words[0], 80)!a}", str(fault), "shorten its arguments or its environment"
            ) from fault
        finally:
            os.close(gate)
        self.pid = self._child.pid
        for number in self._early:
            self._signal_group(number)
        found = process_table.find_process(self.pid)
        self.ticks = found.ticks if found else 0
        self._since = time.monotonic()
        self._connect(streams)

    def _connect(self, streams: tuple[int, int]) -> None:
        """Prepare to feed its input, and to copy its output to our streams."""
        self._input = bytearray()
        self._input_open = False
        pipes = [
            pipe.fileno() for pipe in (self._child.stdin, self._child.stdout, self._child.stderr) if pipe
        ]
        self._stdin, *outputs = pipes
        self._outlets = tuple(map(Outlet, streams))
        self._sources = dict(zip(outputs, self._outlets, strict=True))
        for fd in pipes:
            os.set_blocking(fd, False)

    def begin(self, text: bytes, *, keep_input_open: bool = False) -> None:
        """Let it begin, with a text on its standard input, which is then closed unless more may follow."""
        self._input += text
        self._input_open = keep_input_open
        self._begun = True
        with suppress(BrokenPipeError):
            # It may have been killed already.
            os.write(self._gate, b".")
        os.close(self._gate)

    def abandon(self) -> None:
        """End it before it has begun."""
        self._begun = True
        os.close(self._gate)
        self._restore_signals()
        self._reap()

    @property
    def takes_input(self) -> bool:
        """Return True if its standard input is open."""
        return self._stdin >= 0 and self._input_open

    def write_input(self, text: bytes) -> None:
        """Write more to its standard input."""
        assert self.takes_input, "a closed input takes no more"
        self._input += text

    def ask_to_end(self, number: int = signal.SIGTERM) -> None:
        """Ask the group to end; after the grace period it is made to."""
        self._signal_group(number)
        if not self._asked:
            self._asked = True
            self._deadline = time.monotonic() + self._grace

    def run(
        self,
        take_output: Callable[[bytes], None],
        do_due: Callable[[], float],
        *,
        wakers: tuple[int, ...] = (),
    ) -> ProgramEnd:
        """Pass on its output until it has ended; call `do_due` often, and when a waker is readable."""
        assert self._begun, "it waits until it may begin"
        wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        old = signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        ended = os.pidfd_open(self.pid)
        try:
            self._pump_until_end(take_output, do_due, ended, (wake, *wakers))
            self._clean_up(take_output, wake)
        finally:
            signal.set_wakeup_fd(old)
            self._restore_signals()
            for fd in (wake, waker, ended):
                os.close(fd)
        return self._reap()

    def _restore_signals(self) -> None:
        for each, handle in self._before.items():
            signal.signal(each, handle)

    def _pump_until_end(
        self,
        take_output: Callable[[bytes], None],
        do_due: Callable[[], float],
        ended: int,
        wakers: tuple[int, ...],
    ) -> None:
        while True:
            seconds = do_due()
            if self._asked:
                seconds = min(seconds, _COUNT_SECONDS)
                self._enforce_end()
            if ended in self._pump(take_output, seconds, (ended, *wakers)):
                return

    def _clean_up(self, take_output: Callable[[bytes], None], wake: int) -> None:
        """Read what is still in the pipes, and end what is left of the session."""
        quiet = time.monotonic()
        while True:
            left = self._others()
            if left and not self._deadline:
                process_table.ask_to_end(left)
                self._deadline = time.monotonic() + self._grace
            elif left:
                self._enforce_end(left)
            woken = self._pump(take_output, _COUNT_SECONDS, (wake,))
            # A slow reader that still reads is waited for, too.
            if woken & (self._sources.keys() | {outlet.fd for outlet in self._outlets}):
                quiet = time.monotonic()
            over = not self._sources or time.monotonic() - quiet > DRAIN_SECONDS
            if not left and over and not any(outlet.has_pending for outlet in self._outlets):
                return
            if not left and time.monotonic() - quiet > self._grace:
                # Nobody reads our output any more; the traces have it.
                return

    def _pump(
        self, take_output: Callable[[bytes], None], seconds: float, wakers: tuple[int, ...]
    ) -> set[int]:
        """Wait until a file descriptor is ready, handle it, and return those that were."""
        ready = {fd for fd, _ in self._poll(wakers).poll(int(seconds * 1000) + 1)}
        for fd in ready.intersection(wakers):
            _drain(fd)
        for fd in ready.intersection(self._sources):
            self._read_output(fd, self._sources[fd], take_output)
        for outlet in self._outlets:
            if outlet.has_pending and outlet.fd in ready:
                outlet.write()
        if self._stdin >= 0 and (self._stdin in ready or not self._input):
            self._feed_input(broken=self._stdin in ready and not self._input)
        return ready

    def _poll(self, wakers: tuple[int, ...]) -> select.poll:
        poll = select.poll()
        for fd in wakers:
            poll.register(fd, select.POLLIN)
        for fd, outlet in self._sources.items():
            if not outlet.is_full:
                poll.register(fd, select.POLLIN)
        for outlet in self._outlets:
            if outlet.has_pending:
                poll.register(outlet.fd, select.POLLOUT)
        if self._stdin >= 0:
            # Without input for it we only want to know when it stops reading.
            poll.register(self._stdin, select.POLLOUT if self._input else 0)
        return poll

    def _read_output(self, fd: int, outlet: Outlet, take_output: Callable[[bytes], None]) -> None:
        try:
            piece = os.read(fd, RUN_CHUNK_BYTES)
        except BlockingIOError:
            return
        if piece:
            take_output(piece)
            outlet.put(piece)
        else:
            del self._sources[fd]

    def _feed_input(self, *, broken: bool) -> None:
        """Write to the program's standard input as much as it takes; close it when no more can come."""
        try:
            if self._input:
                del self._input[: os.write(self._stdin, bytes(self._input[:RUN_CHUNK_BYTES]))]
        except BlockingIOError:
            return
        except OSError:
            broken = True
        if broken or not (self._input or self._input_open):
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
            self._signal_group(number)

    def _signal_group(self, number: int) -> None:
        """Send a signal to the group; its number is ours as long as its leader was not reaped."""
        if not self.pid:
            self._early.append(number)
            return
        try:
            os.killpg(self.pid, number)
            if number in _ENDING:
                os.killpg(self.pid, signal.SIGCONT)
        except (ProcessLookupError, PermissionError):
            return

    def _others(self) -> list[ProcessEntry]:
        return [each for each in process_table.session_processes(self.pid) if each.pid != self.pid]

    def _enforce_end(self, left: list[ProcessEntry] | None = None) -> None:
        """Send SIGKILL if the grace period has passed."""
        if time.monotonic() >= self._deadline:
            self._made = True
            session = left if left is not None else process_table.session_processes(self.pid)
            process_table.send_signal(session, signal.SIGKILL)

    def _reap(self) -> ProgramEnd:
        seconds = time.monotonic() - self._since
        status = self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout, self._child.stderr):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                continue
        number = max(0, -status)
        return ProgramEnd(
            exit=128 + number if number else status,
            signal=number,
            asked=self._asked,
            made=self._made,
            seconds=seconds,
        )


def _drain(fd: int) -> None:
    try:
        os.read(fd, RUN_CHUNK_BYTES)
    except OSError:
        # It is empty, or cannot be read: the descriptor of an ended process.
        return


def refuse_missing(program: str, environment: Mapping[str, str], code: int = _MISSING) -> None:
    """Refuse a program that does not exist, with the exit code that a shell would give."""
    if shutil.which(program, path=environment.get("PATH")) is None:
        why = "it was not found, or is not executable"
        refused = ToolMissing(f"cannot start {clip(program, 80)!a}", why, "check its name and PATH")
        refused.exit = code
        raise refused
