"""The door: a socket of the daemon, for commands and scripts that want to say something fast.

One line of JSON in, one line out:

    {"send":{"from":"ada","to":["bob"],"body":"Hello"}}
    {"id":"msg-…","seq":12,…}

A message is safe on the disk when its answer comes. A client may give it an id (`event_id`); then it may say
it again, here or in the log itself, and it counts once.
"""

import os
import socket
import socketserver
import threading
from typing import Final

from palaver.bus import posting
from palaver.bus.core import Core
from palaver.bus.root import Root
from palaver.model.errors import BadArguments, Refusal
from palaver.model.event import number, table, text, texts
from palaver.model.limits import DOOR_SECONDS, LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.plain import dumps
from palaver.model.strict import loads_object

VERSION: Final = 1
_FIELDS: Final = frozenset(
    [
        "from", "to", "body", "subject", "act", "priority", "reasoning", "task", "run", "reply_to", "files",
        "artifacts", "meta",
    ]
)  # fmt: skip


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
        self._server.core = Core(self._root)
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


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    core: Core

    def handle_error(self, request: object, client_address: object) -> None:
        """Let a client that went away go."""


class _Visit(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        """Answer line by line, until the client has had enough."""
        connection: socket.socket = self.request
        connection.settimeout(DOOR_SECONDS)
        while line := self.rfile.readline(2 * LINE_BYTES):
            self.wfile.write((dumps(answered(self.server.core, line)) + "\n").encode())


def answered(core: Core, line: bytes) -> dict[str, object]:
    """Return the answer to one request; whatever is wrong with it is said, with its code."""
    try:
        return _done(core, line)
    except Refusal as refused:
        return {"error": refused.plain()}
    except (ValueError, RecursionError, UnicodeError):
        return {"error": _wrong("it is not one line of JSON").plain()}


def _done(core: Core, line: bytes) -> dict[str, object]:
    request = loads_object(line.strip())
    if number(request, "v") not in (0, VERSION):
        raise _wrong(f"this is version {VERSION}")
    said = table(request, "send")
    if not said:
        raise _wrong("it asks for nothing that is known")
    strange = [key for key in said if key not in _FIELDS]
    if strange:
        raise _wrong(f"a message has no field {strange[0][:40]!r}")
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
    allow = request.get("allow_secret") is True
    return posting.send(core, message, key=text(request, "key"), allow_secret=allow).plain()


def _wrong(why: str) -> BadArguments:
    return BadArguments("cannot do that", why, 'say {"send":{"from":…,"to":[…],"body":…}} on one line')
