"""The socket of the daemon: for commands and scripts that send messages fast.

One line of JSON in, one line out:

    {"send":{"from":"ada","to":["bob"],"body":"Hello"}}
    {"id":"msg-…","seq":12,…}

A message is durable when the response arrives. A client may give it an idempotency key
(`{"send":{…},"key":"…"}`); sent again with that key, here or with `palaver send --key`, it counts once. A
program of a run gives its token (`"token":"…"`), which proves that its agent sent the message. The response
to a wrong request is one line, too: `{"error":{"code":…}}`.
"""

import os
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Final

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import asdict

from palaver.bus.agents import tokens
from palaver.bus.mail import send
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.model.errors import BadArguments, Refusal
from palaver.model.limits import CATCH_UP_SECONDS, LINE_BYTES, SOCKET_IDLE_THREADS, SOCKET_SECONDS
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.plain import dumps
from palaver.model.strict_json import loads_object
from palaver.sync.passes import Sync

VERSION: Final = 1
_LINE: Final = 2 * LINE_BYTES
# How much of a line that is too long is skipped before the connection is closed.
_LONGEST: Final = 64 * LINE_BYTES


class SocketMessage(Struct, forbid_unknown_fields=True):
    """A message as a client writes it."""

    sender: str = field(name="from", default="")
    to: list[str] | str = field(default_factory=list)
    body: str = ""
    subject: str = ""
    act: str = ""
    priority: str = ""
    reasoning: str = ""
    task: str = ""
    run: str = ""
    reply_to: str = ""
    files: list[dict[str, object]] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)
    meta: dict[str, object] = field(default_factory=dict)


class SocketRequest(Struct, forbid_unknown_fields=True):
    """One line of a client."""

    send: SocketMessage
    v: int = VERSION
    key: str = ""
    allow_secret: bool = False
    token: str = ""


_Connected = socket.socket | tuple[bytes, socket.socket]


@contextmanager
def message_socket(root: Root) -> Iterator[None]:
    """Listen on the socket of a bus; a socket file that exists was left by a daemon that died."""
    _remove(root)
    folder = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # The path of a socket must be short, and that of the folder may be long.
        server = _Server(f"/proc/self/fd/{folder}/socket", _Connection)
    finally:
        os.close(folder)
    server.session = Session(root)
    server.sync = Sync(server.session)
    os.chmod(root.socket, 0o600)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 5.0}, daemon=True).start()
    try:
        yield
    finally:
        _remove(root)
        server.server_close()


def _remove(root: Root) -> None:
    with suppress(FileNotFoundError):
        os.unlink(root.socket)


class _Server(socketserver.UnixStreamServer):
    """Serves each connection in a thread; a thread keeps its view open and is used again."""

    request_queue_size = 64
    session: Session
    sync: Sync

    def __init__(self, path: str, handler: type["_Connection"]) -> None:
        super().__init__(path, handler)
        self._requests: SimpleQueue[_Connected] = SimpleQueue()
        self._lock = threading.Lock()
        # Threads that wait for a connection.
        self._idle = 0

    def process_request(self, request: _Connected, client_address: object) -> None:
        """Pass a connection to an idle thread, or to a new one."""
        del client_address
        with self._lock:
            is_free = self._idle > 0
            self._idle -= is_free
        self._requests.put(request)
        if not is_free:
            threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        while True:
            request = self._requests.get()
            try:
                self.finish_request(request, "")
            except Exception:
                self.handle_error(request, "")
            finally:
                self.shutdown_request(request)
            with self._lock:
                if self._idle >= SOCKET_IDLE_THREADS:
                    return
                self._idle += 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that went away."""


class _Connection(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Respond to each line, until the client closes the connection."""
        connection: socket.socket = self.request
        connection.settimeout(SOCKET_SECONDS)
        while line := self.rfile.readline(_LINE):
            if len(line) == _LINE and not line.endswith(b"\n"):
                is_skipped = self._skip_line()
                refused = _wrong(f"it is longer than {_LINE} bytes")
                self._respond({"error": refused.plain()})
                if not is_skipped:
                    return
                continue
            self._respond(respond(self.server.session, self.server.sync, line))

    def _respond(self, answer: dict[str, object]) -> None:
        self.wfile.write((dumps(answer) + "\n").encode())

    def _skip_line(self) -> bool:
        """Skip a line that is too long; return True if its end was reached."""
        return any(self.rfile.readline(_LINE)[-1:] in (b"\n", b"") for _ in range(_LONGEST // _LINE))


def respond(session: Session, sync: Sync, line: bytes) -> dict[str, object]:
    """Return the response to one request: the result, or what is wrong with it."""
    try:
        return _send(session, sync, convert(loads_object(line.strip()), SocketRequest))
    except Refusal as refused:
        return {"error": refused.plain()}
    except ValidationError as fault:
        # Half a message is worse than none: unknown fields and wrong types are refused.
        return {"error": _wrong(str(fault)).plain()}
    except (ValueError, RecursionError, UnicodeError):
        return {"error": _wrong("it is not one line of JSON").plain()}


def _send(session: Session, sync: Sync, request: SocketRequest) -> dict[str, object]:
    if request.v != VERSION:
        raise _wrong(f"this is version {VERSION}")
    said = request.send
    # What is empty was not given: a message has its own defaults.
    fields = {field: value for field, value in asdict(said).items() if value}
    to = [said.to] if isinstance(said.to, str) else said.to
    message = Message(**{**fields, "sender": name(said.sender), "to": to})
    if request.token:
        message = message.replace(auth=tokens.proof(session.root, message.sender, request.token))
    if not all(map(session.roster_cache().means, message.to)):
        # A recipient may have registered by a line in a file just now.
        sync.once(CATCH_UP_SECONDS)
    return send.send(session, message, key=request.key, allow_secret=request.allow_secret).plain()


def _wrong(why: str) -> BadArguments:
    return BadArguments("cannot do that", why, 'say {"send":{"from":…,"to":[…],"body":…}} on one line')
