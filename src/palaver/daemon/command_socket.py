r"""The socket through which the daemon runs commands for other processes.

A command that starts Python, loads the package and opens the bus takes 25 to 200 ms; the daemon has all of it
ready. The launcher (`scripts/palaver`) hands a command over and shows what comes back. The conversation is
made for a shell: fields that end with a NUL one way, a line and blocks of known size the other.

    launcher   palaver 1\n
    daemon     HALF REQUEST\n                  proves itself, and draws the id of this request
    launcher   HALF FOLDER STREAMS PROCESS COUNT …  proves itself, and hands the command over
    daemon     part SIZE\n…                    has a part of the output shown now: the answer is shown\n
               input\n                         asks for standard input: the answer ends with a NUL
               busy\n                          is still at it
               cold\n                          has done nothing that may not be done again: start Python
               done CODE SIZE SIZE\n…          the exit code, the output, the errors

Both halves of the secret stand in a file that only this user can read. The daemon gives its half to processes
of this user alone (the kernel says whose they are), so whoever takes over the port of a daemon that died
cannot know it, and is told neither the other half nor the command.
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
from queue import SimpleQueue
from typing import Final

from palaver.bus.trust import state_folder
from palaver.daemon.peer_user import is_same_user
from palaver.files.atomic_replace import replace
from palaver.log.clock import letters

VERSION: Final = "1"
_GREETING: Final = f"palaver {VERSION}".encode()
_HANDSHAKE_SECONDS: Final = 5.0
_BUSY_SECONDS: Final = 5.0
# A command line of Linux is at most 2 MiB, its environment included.
_REQUEST_BYTES: Final = 4 << 20
_IDLE_THREADS: Final = 8


class RunCold(BaseException):
    """The command must run in the process of its caller. No handler of errors handles it."""


class CallerGone(BaseException):
    """The caller has closed the connection: as if interrupted. No handler of errors handles it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """A command that another process hands over."""

    id: str
    folder: str
    environment: dict[str, str]
    # Whether standard input, output and error are terminals.
    terminals: tuple[bool, bool, bool]
    # The process id of the caller, whose terminals know their width.
    process: int
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

    def receive(self, halves: tuple[str, str]) -> CommandRequest:
        """Return the command of a caller that has proved itself."""
        self._socket.settimeout(_HANDSHAKE_SECONDS)
        if self._next(b"\n") != _GREETING or not is_same_user(self._socket):
            raise CallerGone
        theirs, ours = halves
        request_id = letters()
        self._send(f"{theirs} {request_id}\n".encode())
        self._socket.settimeout(_HANDSHAKE_SECONDS)
        if not hmac.compare_digest(self._next(b"\0"), ours.encode()):
            raise CallerGone
        folder, streams, process, variables, *words = self._texts(int(self._next(b"\0")))
        count = int(variables)
        return CommandRequest(
            id=request_id,
            folder=folder,
            environment=dict(each.partition("=")[::2] for each in words[:count]),
            terminals=(streams[0] == "t", streams[1] == "t", streams[2] == "t"),
            process=int(process),
            arguments=words[count:],
        )

    def show(self, out: bytes) -> None:
        """Let the caller show a part of the output now; return when it has."""
        self._send(b"part %d\n" % len(out) + out)
        self._next(b"\n")

    def read_input(self) -> bytes:
        """Return the standard input of the caller."""
        self._send(b"input\n")
        return self._next(b"\0")

    def refuse(self) -> None:
        """Let the caller start Python."""
        self._send(b"cold\n")

    def check(self) -> None:
        """Tell a caller who waits that we are still there; raise CallerGone if it is not."""
        if select.select([self._socket], [], [], 0)[0] and not self._socket.recv(1, socket.MSG_PEEK):
            raise CallerGone
        if time.monotonic() - self._spoke > _BUSY_SECONDS:
            self._send(b"busy\n")

    def finish(self, result: CommandResult) -> None:
        """Hand the result over."""
        sizes = b"%d %d %d" % (result.code, len(result.out), len(result.err))
        self._send(b"done " + sizes + b"\n" + result.out + result.err)

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
        return [self._next(b"\0").decode("utf-8", "surrogateescape") for _ in range(count)]

    def _next(self, end: bytes) -> bytes:
        """Return what was sent up to this byte."""
        while end not in self._received:
            fresh = self._socket.recv(1 << 16)
            if not fresh or len(self._received) > _REQUEST_BYTES:
                raise CallerGone
            self._received += fresh
            self._acknowledge()
        found, _, self._received = self._received.partition(end)
        return found


class CommandSocket:
    """Accepts commands for one bus."""

    def __init__(self, path: str, run: Run) -> None:
        """Take the path of the file that tells launchers where we are, and what runs a command."""
        self._path = path
        self._run = run
        self._halves = secrets.token_hex(16), secrets.token_hex(16)
        self._server: socket.socket | None = None
        self._waiting: SimpleQueue[socket.socket] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def __enter__(self) -> "CommandSocket":
        """Listen, and tell where."""
        self._server = server = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=self._accept, args=(server,), daemon=True).start()
        theirs, ours = self._halves
        os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
        replace(self._path, f"{VERSION} {server.getsockname()[1]} {theirs} {ours}\n".encode())
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        if self._server is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
            self._server.close()

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                # The server was closed.
                return
            with self._lock:
                is_free = self._idle > 0
                self._idle -= is_free
            self._waiting.put(connection)
            if not is_free:
                threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        """Serve connections; a thread keeps its view open and is used again."""
        while True:
            with self._waiting.get() as connection:
                caller = CallerConnection(connection)
                with contextlib.suppress(OSError, CallerGone):
                    self._serve(caller)
            with self._lock:
                if self._idle >= _IDLE_THREADS:
                    return
                self._idle += 1

    def _serve(self, caller: CallerConnection) -> None:
        request = caller.receive(self._halves)
        try:
            result = self._run(request, caller)
        except RunCold:
            caller.refuse()
        else:
            caller.finish(result)


def daemon_file(bus: str) -> str:
    """Return the path of the file in which the daemon of a bus says where it is."""
    return f"{state_folder()}/daemon/{os.path.realpath(bus).replace('/', '%')}"
