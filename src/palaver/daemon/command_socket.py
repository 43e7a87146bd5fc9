r"""The socket through which the daemon runs commands for other processes.

A command that starts Python, loads the package and opens the bus takes 25 to 200 ms; the daemon has all of it
ready. The launcher (`scripts/palaver`) hands a command over and shows what comes back. The conversation is
made for a shell: fields that end with a NUL one way, blocks of known size the other (heads have 32 bytes).

    launcher   palaver 1\n
    daemon     HALF REQUEST\n                  proves itself, and draws the id of this request
    launcher   HALF COUNT …                    proves itself, and hands the command over, in so many fields:
                                               FOLDER STREAMS SCREEN COUNT VARIABLES ARGUMENTS
    daemon     part SIZE\n…                    has a part of the output shown now: the answer is shown\n
               input\n                         asks for standard input: the answer ends with a NUL
               busy\n                          is still at it
               cold\n                          has done nothing that may not be done again: start Python
               done CODE SIZE SIZE\n…          the exit code, the output, the errors

Both halves of the secret are in a file that only this user can read. The daemon gives its half to processes
of this user alone (the kernel says whose they are). A process that takes over the port of a daemon that died
cannot know that half, and is told neither the other one nor the command.

There is a bound on how many commands run at once. A connection beyond it is closed, and its launcher starts
Python.
"""

import contextlib
import hmac
import os
import secrets
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from palaver.bus.trust import bus_id, state_folder
from palaver.daemon.peer_user import is_same_user
from palaver.files.atomic_replace import write_whole
from palaver.log.clock import letters
from palaver.model.limits import (
    COMMAND_BUSY_SECONDS,
    COMMAND_BYTES,
    COMMAND_HANDSHAKE_SECONDS,
    COMMAND_IDLE_THREADS,
    COMMAND_THREADS,
)

VERSION: Final = "1"
_GREETING: Final = f"palaver {VERSION}".encode()
# A process that has no file descriptors left gets some back when a command ends.
_ACCEPT_PAUSE: Final = 0.05
# The launcher counts on it.
_HEAD_BYTES: Final = 32
# Enough for the longest part of an answer. The kernel takes twice as much, for its own accounts.
_SEND_BYTES: Final = 1 << 18


class RunCold(BaseException):
    """The command must run in the process of its caller. No handler of errors handles it."""


class CallerGone(BaseException):
    """The caller has closed the connection: as if interrupted. No handler of errors handles it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """A command that another process hands over."""

    id: str
    # The last event of the log when the id was drawn: no earlier one can have it as its key.
    since: int
    folder: str
    environment: dict[str, str]
    # Whether standard input, output and error are terminals.
    terminals: tuple[bool, bool, bool]
    # The path of standard output, if that is a terminal: it knows its width.
    screen: str
    arguments: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a command has to say when it ends."""

    code: int
    out: bytes
    err: bytes


Run = Callable[[CommandRequest, "CallerConnection"], CommandResult]


class CallerConnection:
    """The connection to the process that called a command."""

    def __init__(self, connection: socket.socket) -> None:
        """Take an accepted connection."""
        self._socket = connection
        self._received = b""
        self._spoke = time.monotonic()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # An answer is in the hands of the kernel at once, whatever happens to this process.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES)

    def receive(self, halves: tuple[str, str], last_seq: Callable[[], int]) -> CommandRequest:
        """Return the command of a caller that has proved itself; raise ValueError if it is not one."""
        self._socket.settimeout(COMMAND_HANDSHAKE_SECONDS)
        if self._next(b"\n") != _GREETING:
            raise CallerGone
        theirs, ours = halves
        # Before the caller knows the id: it may use it without us if we are slow.
        since, request_id = last_seq(), letters()
        self._send(f"{theirs} {request_id}\n".encode())
        self._socket.settimeout(COMMAND_HANDSHAKE_SECONDS)
        if not hmac.compare_digest(self._next(b"\0"), ours.encode()):
            raise CallerGone
        folder, streams, screen, variables, *words = self._texts(int(self._next(b"\0")))
        count = int(variables)
        is_input, is_output, is_errors = (each == "t" for each in streams)
        return CommandRequest(
            id=request_id,
            since=since,
            folder=folder,
            environment=dict(each.partition("=")[::2] for each in words[:count]),
            terminals=(is_input, is_output, is_errors),
            screen=screen,
            arguments=words[count:],
        )

    def show(self, out: bytes) -> None:
        """Let the caller show a part of the output now; return when it has."""
        self._send(_head("part", len(out)) + out)
        self._next(b"\n")

    def read_input(self) -> bytes:
        """Return the standard input of the caller."""
        self._send(_head("input"))
        return self._next(b"\0")

    def refuse(self) -> None:
        """Let the caller start Python."""
        self._send(_head("cold"))

    def check(self) -> None:
        """Tell a caller who waits that we are still there; raise CallerGone if it is not."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if poll.poll(0) and not self._socket.recv(1, socket.MSG_PEEK):
            raise CallerGone
        if time.monotonic() - self._spoke > COMMAND_BUSY_SECONDS:
            self._send(_head("busy"))

    def finish(self, result: CommandResult) -> None:
        """Hand the result over."""
        head = _head("done", result.code, len(result.out), len(result.err))
        self._send(head + result.out + result.err)

    def _send(self, content: bytes) -> None:
        """Send, however long the caller takes to show what it was sent before."""
        self._spoke = time.monotonic()
        self._socket.settimeout(None)
        self._socket.sendall(content)
        self._acknowledge()

    def _acknowledge(self) -> None:
        """Let the kernel acknowledge at once: a shell sends in pieces, each of which waits for that."""
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _texts(self, count: int) -> list[str]:
        """Return the next fields: arguments, which are UTF-8 or not, as Python has them."""
        while self._received.count(b"\0") < count:
            self._receive()
        *found, self._received = self._received.split(b"\0", count)
        return [each.decode("utf-8", "surrogateescape") for each in found]

    def _next(self, end: bytes) -> bytes:
        """Return what was sent up to this byte."""
        while end not in self._received:
            self._receive()
        found, _, self._received = self._received.partition(end)
        return found

    def _receive(self) -> None:
        fresh = self._socket.recv(1 << 18)
        if not fresh or len(self._received) > COMMAND_BYTES:
            raise CallerGone
        self._received += fresh
        self._acknowledge()


class CommandSocket:
    """Accepts commands for one bus."""

    def __init__(
        self,
        bus: str,
        run: Run,
        *,
        last_seq: Callable[[], int],
        end_thread: Callable[[], None],
        note: Callable[[str], None],
    ) -> None:
        """Take the path of the bus, what runs a command, what asks the log, and what prints problems.

        `end_thread` closes what commands have left open in a thread.
        """
        self._path = daemon_file(bus)
        self._run = run
        self._last_seq = last_seq
        self._end_thread = end_thread
        self._note = note
        self._halves = secrets.token_hex(16), secrets.token_hex(16)
        self._server: socket.socket | None = None
        self._said = b""
        self._lock = threading.Lock()
        # Threads, and those of them that wait for a connection.
        self._threads = self._idle = 0

    def __enter__(self) -> "CommandSocket":
        """Listen, and tell launchers where; if that cannot be told, commands run without us."""
        self._server = server = socket.create_server(("127.0.0.1", 0), backlog=128)
        # A connection counts when its greeting is there: one thing less to wait for.
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, 1)
        with self._lock:
            self._start_thread(server)
        theirs, ours = self._halves
        self._said = f"{VERSION} {server.getsockname()[1]} {theirs} {ours}\n".encode()
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            write_whole(self._path, self._said, is_durable=False)
        except OSError as fault:
            self._note(f"commands stay cold: cannot write {self._path}: {fault.strerror}")
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        server, self._server = self._server, None
        with contextlib.suppress(OSError), open(self._path, "rb") as file:
            # A copy of this bus may have a daemon of its own, which came later.
            if file.read() == self._said:
                os.unlink(self._path)
        if server is not None:
            # This ends `accept`, which a close does not.
            server.shutdown(socket.SHUT_RDWR)
            server.close()

    def _start_thread(self, server: socket.socket) -> None:
        threading.Thread(target=self._accept, args=(server,), daemon=True).start()
        self._threads += 1
        self._idle += 1

    def _accept(self, server: socket.socket) -> None:
        """Accept connections and serve them; a thread keeps its view open and is used again."""
        while self._server is server:
            try:
                connection, _ = server.accept()
            except OSError:
                time.sleep(_ACCEPT_PAUSE)
                continue
            with connection:
                if not is_same_user(connection) or not self._begin(server):
                    continue
                self._serve(connection)
            if not self._end():
                self._end_thread()
                return

    def _begin(self, server: socket.socket) -> bool:
        """Let another thread accept connections meanwhile; return False if there are too many."""
        with self._lock:
            if self._idle == 1:
                if self._threads == COMMAND_THREADS:
                    return False
                try:
                    self._start_thread(server)
                except RuntimeError:
                    # The system has no thread left to give.
                    return False
            self._idle -= 1
            return True

    def _end(self) -> bool:
        """Return True if this thread should accept the next connection, False if enough others do."""
        with self._lock:
            if self._idle == COMMAND_IDLE_THREADS:
                self._threads -= 1
                return False
            self._idle += 1
            return True

    def _serve(self, connection: socket.socket) -> None:
        try:
            caller = CallerConnection(connection)
            request = caller.receive(self._halves, self._last_seq)
            try:
                result = self._run(request, caller)
            except RunCold:
                caller.refuse()
            else:
                caller.finish(result)
        except (OSError, CallerGone):
            return
        except Exception as fault:
            # The launcher starts Python, and this thread serves others.
            self._note(f"a command could not be run: {fault!r}")


def _head(kind: str, *numbers: int) -> bytes:
    """Return the head of an answer, of one size: otherwise a shell would read it byte by byte."""
    words = " ".join([kind, *map(str, numbers)])
    return f"{words:<{_HEAD_BYTES - 1}}\n".encode()


def daemon_file(bus: str) -> str:
    """Return the path of the file in which the daemon of a bus says where it is."""
    return f"{state_folder()}/daemon/{bus_id(bus)}"
