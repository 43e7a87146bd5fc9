"""The door: a socket of the daemon, for commands and scripts that want to say something fast.

One line of JSON in, one line out:

    {"send":{"from":"ada","to":["bob"],"body":"Hello"}}
    {"id":"msg-…","seq":12,…}

A message is safe on the disk when its answer comes. A client may give it a key (`{"send":{…},"key":"…"}`);
then it may say it again, here or with `palaver send --key`, and it counts once. A program of a run shows its
token (`"token":"…"`), and its word is known to be its agent's. Whatever is wrong with a request is answered
with one line: `{"error":{"code":…}}`.
"""

import os
import socket
import socketserver
import threading
from queue import SimpleQueue
from typing import Final

from palaver.bus.agents import tokens
from palaver.bus.mail import send
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.model.errors import BadArguments, Refusal
from palaver.model.event import table, text, texts
from palaver.model.limits import CATCH_UP_SECONDS, DOOR_IDLE, DOOR_SECONDS, LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.plain import dumps
from palaver.model.strict_json import loads_object
from palaver.sync.passes import Sync

VERSION: Final = 1
# What may be said, and what it must be.
_REQUEST: Final[dict[str, type]] = {"v": int, "send": dict, "key": str, "allow_secret": bool, "token": str}
_FIELDS: Final[dict[str, type]] = {
    "from": str, "to": list, "body": str, "subject": str, "act": str, "priority": str, "reasoning": str,
    "task": str, "run": str, "reply_to": str, "files": list, "artifacts": list, "meta": dict,
}  # fmt: skip
_INSIDE: Final[dict[str, type]] = {"to": str, "artifacts": str, "files": dict}
_WORDS: Final = {int: "a number", str: "a text", bool: "true or false", list: "a list", dict: "an object"}
_LINE: Final = 2 * LINE_BYTES
# How much of a line that is too long is heard out before the door is shut.
_LONGEST: Final = 64 * LINE_BYTES


_Asking = socket.socket | tuple[bytes, socket.socket]


class Door:
    """The socket of one bus, while it is open."""

    def __init__(self, root: Root) -> None:
        """Take the place of the bus."""
        self._root = root
        self._server: _Server | None = None

    def open(self) -> None:
        """Listen; whoever held the door before is gone, or we would not be here."""
        self._remove()
        folder = os.open(self._root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            # The name of a socket must be short, and a folder may lie deep.
            self._server = _Server(f"/proc/self/fd/{folder}/socket", _Visit)
        finally:
            os.close(folder)
        self._server.core = Session(self._root)
        self._server.sync = Sync(self._server.core)
        os.chmod(self._root.socket, 0o600)
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 5.0}, daemon=True
        ).start()

    def close(self) -> None:
        """Let nobody in any more."""
        if self._server is not None:
            self._remove()
            self._server.server_close()

    def _remove(self) -> None:
        try:
            os.unlink(self._root.socket)
        except FileNotFoundError:
            return


class _Server(socketserver.UnixStreamServer):
    """Lets everyone in at once. A thread whose visit is over waits for the next, with its view still open."""

    request_queue_size = 64
    core: Session
    sync: Sync

    def __init__(self, path: str, visit: type["_Visit"]) -> None:
        super().__init__(path, visit)
        self._visits: SimpleQueue[_Asking] = SimpleQueue()
        self._lock = threading.Lock()
        # Threads that wait for a visit that nobody has made yet.
        self._idle = 0

    def process_request(self, request: _Asking, client_address: object) -> None:
        """Give a visit to a thread that has time, or to a new one."""
        del client_address
        with self._lock:
            is_free = self._idle > 0
            self._idle -= is_free
        self._visits.put(request)
        if not is_free:
            threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        while True:
            request = self._visits.get()
            try:
                self.finish_request(request, "")
            except Exception:
                self.handle_error(request, "")
            finally:
                self.shutdown_request(request)
            with self._lock:
                if self._idle >= DOOR_IDLE:
                    return
                self._idle += 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a client that went away go."""


class _Visit(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Answer line by line, until the client has had enough."""
        connection: socket.socket = self.request
        connection.settimeout(DOOR_SECONDS)
        while line := self.rfile.readline(_LINE):
            if len(line) == _LINE and not line.endswith(b"\n"):
                heard = self._heard_out()
                refused = _wrong(f"it is longer than {_LINE} bytes")
                self._say({"error": refused.plain()})
                if not heard:
                    return
                continue
            self._say(answered(self.server.core, self.server.sync, line))

    def _say(self, answer: dict[str, object]) -> None:
        self.wfile.write((dumps(answer) + "\n").encode())

    def _heard_out(self) -> bool:
        """Let a line that is too long go by; tell whether it came to an end."""
        return any(self.rfile.readline(_LINE)[-1:] in (b"\n", b"") for _ in range(_LONGEST // _LINE))


def answered(core: Session, sync: Sync, line: bytes) -> dict[str, object]:
    """Return the answer to one request; whatever is wrong with it is said, with its code."""
    try:
        return _done(core, sync, line)
    except Refusal as refused:
        return {"error": refused.plain()}
    except (ValueError, RecursionError, UnicodeError):
        return {"error": _wrong("it is not one line of JSON").plain()}


def _done(core: Session, sync: Sync, line: bytes) -> dict[str, object]:
    request = loads_object(line.strip())
    if request.get("v", VERSION) != VERSION:
        raise _wrong(f"this is version {VERSION}")
    _check(request, _REQUEST, "request")
    said = table(request, "send")
    if not said:
        raise _wrong("it asks for nothing that is known")
    if type(said.get("to")) is str:
        said["to"] = [said["to"]]
    _check(said, _FIELDS, "message")
    files = said.get("files")
    message = Message(
        sender=name(text(said, "from")),
        to=texts(said, "to"),
        body=text(said, "body"),
        subject=text(said, "subject"),
        act=text(said, "act") or "inform",
        priority=text(said, "priority") or "normal",
        reasoning=text(said, "reasoning"),
        task=text(said, "task"),
        run=text(said, "run"),
        reply_to=text(said, "reply_to"),
        files=[each for each in files if type(each) is dict] if type(files) is list else None,
        artifacts=texts(said, "artifacts"),
        meta=table(said, "meta"),
    )
    if token := text(request, "token"):
        message = message.replace(auth=tokens.proof(core.root, message.sender, token))
    if not all(map(core.roster_cache().means, message.to)):
        # Whoever is meant may have spoken in a file just now.
        sync.once(CATCH_UP_SECONDS)
    allow = request.get("allow_secret") is True
    return send.send(core, message, key=text(request, "key"), allow_secret=allow).plain()


def _check(fields: dict[str, object], known: dict[str, type], what: str) -> None:
    """Refuse what nobody would read: half a message is worse than none."""
    for key, value in fields.items():
        if key not in known:
            raise _wrong(f"a {what} has no field {key[:40]!r}")
        if type(value) is not known[key]:
            raise _wrong(f"{key!r} must be {_WORDS[known[key]]}")
        if type(value) is list and any(type(each) is not _INSIDE[key] for each in value):
            raise _wrong(f"in {key!r} each must be {_WORDS[_INSIDE[key]]}")


def _wrong(why: str) -> BadArguments:
    return BadArguments("cannot do that", why, 'say {"send":{"from":…,"to":[…],"body":…}} on one line')
