r"""The folder through which the daemon runs commands for other processes.

A command that starts Python, loads the package and opens the bus takes 25 to 200 ms; the daemon has all of it
ready. The launcher (`scripts/palaver`) hands a command over and shows what comes back. It is a shell script
that starts no other program, so the conversation consists of what a shell can do by itself: open files and
named pipes. Only this user can open what is in the folder: that proves both sides to each other.

    requests         a pipe, read by the daemon: the id of a command, one line each
    ID.reply         a pipe, read by the launcher; the daemon has made it in advance, and drawn the id.
                     It becomes ID.busy when the daemon takes the command, and gets another id afterwards.
    ID.request       the command: fields that end with a NUL. Who creates this file has taken the id.
                     FOLDER STREAMS TERMINAL VARIABLES… -- ARGUMENTS…
    ID.text          an output, as a shell reads it fastest: assignments to _out and _err
    ID.input         standard input
    ID.continue      a pipe, read by the daemon: the launcher has done what it was told

What the daemon says in `ID.reply`, one line each:

    line OUTPUT      the output: a short line
    text             the next output is in ID.text
    part             show it now, and continue
    input SIZE       write standard input to ID.input, at most so many bytes, and continue
    cold             nothing was done that cannot be repeated: start Python
    done CODE        show the output, and exit

    gone             the watchdog says that the daemon was stopped (`kill -STOP`): start Python

If the daemon dies, its pipes have no writer any more, and the kernel tells the launchers: they start Python.

There is a bound on how many commands run at once; the launcher of another one starts Python.
"""

import contextlib
import os
import shutil
import threading
from collections.abc import Callable
from typing import Final

from palaver.bus.trust import bus_id, state_folder
from palaver.daemon.caller_pipe import (
    CallerGone,
    CallerPipe,
    CommandRequest,
    CommandResult,
    RunCold,
    make_pipe,
)
from palaver.daemon.heartbeat import Heartbeat
from palaver.daemon.watchdog import REQUESTS, REQUESTS_OFF
from palaver.files.atomic_replace import write_whole
from palaver.log.clock import letters
from palaver.model.limits import COMMAND_CLAIM_SECONDS, COMMAND_IDLE_THREADS, COMMAND_PIPES, COMMAND_THREADS

VERSION: Final = "2"
# An id: a number, so that the oldest is taken first, and letters; and the end of its line.
_RECORD_BYTES: Final = 8 + 12 + 1
_NOBODY: Final = b"\n".rjust(_RECORD_BYTES)

Run = Callable[[CommandRequest, CallerPipe], CommandResult]


class CommandFolder:
    """Runs commands for one bus."""

    def __init__(
        self,
        bus: str,
        run: Run,
        *,
        end_thread: Callable[[], None],
        note: Callable[[str], None],
    ) -> None:
        """Take the path of the bus, what runs a command, and what prints problems.

        `end_thread` closes what commands have left open in a thread.
        """
        self._file = daemon_file(bus)
        name = letters()
        self._said = f"{VERSION} {name}\n".encode()
        self._folder = f"{self._file}.{name}"
        self._run = run
        self._end_thread = end_thread
        self._note = note
        self._requests = -1
        self._heartbeat = Heartbeat(self._folder, self._refresh)
        self._lock = threading.Lock()
        # Pipes that wait for a launcher, and how many ids were drawn.
        self._pipes: dict[str, CallerPipe] = {}
        self._made = 0
        # Those of commands that were answered, which their launchers may not have read yet.
        self._answered: list[CallerPipe] = []
        self._tidying = threading.Lock()
        # Threads, and those of them that wait for a command.
        self._threads = self._idle = 0

    def __enter__(self) -> "CommandFolder":
        """Make the folder, and tell launchers; if that cannot be done, commands run without us."""
        try:
            os.makedirs(os.path.dirname(self._file), mode=0o700, exist_ok=True)
            _remove_dead(self._file)
            os.mkdir(self._folder, 0o700)
            self._requests = make_pipe(f"{self._folder}/{REQUESTS}")
            self._supply()
            self._heartbeat.start()
            with self._lock:
                self._start_thread()
            write_whole(self._file, self._said, is_durable=False)
        except OSError as fault:
            self._note(f"commands stay cold: cannot write {fault.filename or self._file}: {fault.strerror}")
        return self

    def __exit__(self, *_: object) -> None:
        """Run no more commands."""
        self._heartbeat.stop()
        with contextlib.suppress(OSError), open(self._file, "rb") as file:
            # A copy of this bus may have a daemon of its own, which came later.
            if file.read() == self._said:
                os.unlink(self._file)
        requests, self._requests = self._requests, -1
        if requests >= 0:
            # Ends the threads, one after the other. The last one to end cannot tell, so the pipe stays open.
            os.write(requests, _NOBODY)
        with self._lock:
            pipes = [*self._pipes.values(), *self._answered]
            self._pipes, self._answered = {}, []
        for pipe in pipes:
            pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- pipes ---

    def _supply(self) -> None:
        """Have enough pipes ready for launchers, as far as the system allows."""
        # A launcher that finds no pipe starts Python.
        with contextlib.suppress(OSError):
            while len(self._pipes) < COMMAND_PIPES:
                self._make_pipe()

    def _make_pipe(self) -> None:
        request_id = self._new_id()
        with self._lock:
            # A launcher may take it at once; the thread that serves it waits for this lock.
            self._pipes[request_id] = CallerPipe(self._folder, request_id)

    def _use_again(self, pipe: CallerPipe) -> bool:
        """Have the pipe of a launcher that has ended ready for another one; return False if it must go."""
        request_id = self._new_id()
        with self._lock, contextlib.suppress(OSError):
            if len(self._pipes) < COMMAND_PIPES and pipe.renew(request_id):
                self._pipes[request_id] = pipe
                return True
        return False

    def _new_id(self) -> str:
        with self._lock:
            self._made += 1
            return f"{self._made % 10**8:08}{letters()}"

    def _refresh(self) -> None:
        """Have enough pipes ready: a launcher that was killed may have taken one and not said so."""
        self._close_taken(COMMAND_CLAIM_SECONDS)
        with self._tidying:
            self._tidy()

    def _close_taken(self, seconds: float) -> None:
        """Close the pipes that were taken so long ago and not used; a launcher that lives starts Python."""
        for pipe in list(self._pipes.values()):
            taken = pipe.taken_for()
            if taken is not None and taken >= seconds and self._take(pipe.id):
                pipe.close()

    def _take(self, request_id: str) -> CallerPipe | None:
        """Return the pipe of an id, to one thread only."""
        with self._lock:
            return self._pipes.pop(request_id, None)

    def _let_go(self, pipe: CallerPipe) -> None:
        """Keep the pipe and the files of a command that was answered until its launcher has ended."""
        with self._lock:
            self._answered.append(pipe)
        # When half of them are used: to tidy many at once costs little more than to tidy one.
        self._tidy_below(COMMAND_PIPES // 2)

    def _tidy_below(self, count: int) -> None:
        """Tidy if only so many pipes are ready, and no other thread is doing it."""
        if len(self._pipes) <= count and self._tidying.acquire(blocking=False):
            try:
                self._tidy()
            finally:
                self._tidying.release()

    def _tidy(self) -> None:
        """Use the pipes of launchers that have ended again, and have enough of them ready."""
        with self._lock:
            answered, self._answered = self._answered, []
        waiting = []
        for pipe in answered:
            if pipe.is_read:
                waiting.append(pipe)
            elif not self._use_again(pipe):
                pipe.close()
        with self._lock:
            self._answered += waiting
        self._supply()

    # --- threads ---

    def _start_thread(self) -> None:
        threading.Thread(target=self._serve_all, daemon=True).start()
        self._threads += 1
        self._idle += 1

    def _serve_all(self) -> None:
        """Serve one launcher after the other; a thread keeps its view open and is used again."""
        requests = self._requests
        while True:
            # One line: each is written at once, and all are equally long.
            said = os.read(requests, _RECORD_BYTES)
            if self._requests < 0:
                # The others have to hear it too.
                os.write(requests, _NOBODY)
                return
            pipe = self._take(said.decode("ascii", "replace").rstrip("\n"))
            if pipe is None:
                if len(said) < _RECORD_BYTES or not said.endswith(b"\n"):
                    # It is not from a launcher, and a line of one may have been cut.
                    self._close_taken(0)
                continue
            if not self._begin():
                # The launcher hears that nothing will come, and starts Python.
                pipe.close()
                continue
            if self._serve(pipe):
                self._let_go(pipe)
            else:
                pipe.close()
                self._tidy_below(COMMAND_PIPES // 2)
            if not self._end():
                self._end_thread()
                return

    def _begin(self) -> bool:
        """Let another thread wait for launchers meanwhile; return False if there are too many."""
        with self._lock:
            if self._idle == 1:
                if self._threads == COMMAND_THREADS:
                    return False
                try:
                    self._start_thread()
                except RuntimeError:
                    # The system has no thread left to give.
                    return False
            self._idle -= 1
            return True

    def _end(self) -> bool:
        """Return True if this thread should wait for the next launcher, False if enough others do."""
        with self._lock:
            if self._idle == COMMAND_IDLE_THREADS:
                self._threads -= 1
                return False
            self._idle += 1
            return True

    def _serve(self, pipe: CallerPipe) -> bool:
        """Run a command; return False if it could not be answered."""
        # It may take long, and others need pipes meanwhile.
        self._tidy_below(COMMAND_PIPES // 4)
        try:
            request = pipe.receive()
            # We may have been stopped in between, and the launcher has started Python since.
            pipe.check()
            try:
                result = self._run(request, pipe)
            except RunCold:
                pipe.refuse()
            else:
                pipe.finish(result)
        except (OSError, CallerGone):
            return False
        except Exception as fault:
            # The launcher starts Python, and this thread serves others.
            self._note(f"a command could not be run: {fault!r}")
            return False
        return True


def daemon_file(bus: str) -> str:
    """Return the path of the file in which the daemon of a bus says where its folder is."""
    return f"{state_folder()}/daemon/{bus_id(bus)}"


def find_requests(bus: str) -> str:
    """Return the path of the pipe that takes the commands for a bus; raise OSError or ValueError."""
    file = daemon_file(bus)
    with open(file, encoding="ascii") as said:
        _, name = said.read().split()
    return f"{file}.{name}/{REQUESTS}"


def has_reader(pipe: str) -> bool:
    """Return True if a process has opened a pipe to read it."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _remove_dead(file: str) -> None:
    """Remove the folders of daemons of a bus that were killed; a copy of the bus may have a living one."""
    parent, prefix = os.path.dirname(file), os.path.basename(file) + "."
    for name in os.listdir(parent):
        folder = f"{parent}/{name}"
        if name.startswith(prefix) and not any(
            has_reader(f"{folder}/{each}") for each in (REQUESTS, REQUESTS_OFF)
        ):
            shutil.rmtree(folder, ignore_errors=True)
