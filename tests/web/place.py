"""A served bus, and what a browser, a plain socket and a program do with it."""

import http.client
import json
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver import Bus
from palaver.model.event import Event
from palaver.web.server import Server
from tests.cli.spoken import copy_bus
from tests.patience import PATIENCE


@dataclass(slots=True)
class Place:
    """One bus with its dashboard."""

    folder: Path
    server: Server
    bus: Bus
    _session: str = field(default="")

    @classmethod
    def serve(cls, scene: Path, folder: Path, port: int = 0) -> "Place":
        """Serve a copy of a scene."""
        copy_bus(scene, folder)
        return cls.at(folder, port)

    @classmethod
    def at(cls, folder: Path, port: int = 0) -> "Place":
        server = Server(str(folder), port=port)
        server.start()
        return cls(folder, server, Bus(str(folder), agent="you"))

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def way_in(self) -> str:
        return self.server.address.partition("#in=")[2]

    @property
    def session(self) -> str:
        """Return a session, opened as a page opens it."""
        if not self._session:
            status, answer = self.ask("/api/session", body={}, token=self.way_in)
            assert status == 200, answer
            self._session = answer["session"]
        return self._session

    def ask(
        self, path: str, *, body: object = None, token: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Ask the API as a program would; return the status and the value."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        fields = {"authorization": f"Bearer {token or self.session}", **(headers or {})}
        if body is not None:
            fields.setdefault("content-type", "application/json")
        try:
            method = "GET" if body is None else "POST"
            content = body if isinstance(body, bytes) else None if body is None else json.dumps(body)
            connection.request(method, path, content, fields)
            answer = connection.getresponse()
            text = answer.read()
            is_json = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def raw(self, request: bytes, *, half: bool = False, seconds: float = PATIENCE) -> bytes:
        """Put bytes on the wire; return what comes back until the end. `half` says that we are done."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=seconds) as wire:
            wire.sendall(request)
            if half:
                wire.shutdown(socket.SHUT_WR)
            pieces = []
            while piece := wire.recv(65_536):
                pieces.append(piece)
        return b"".join(pieces)

    def listen(self, after: int | None = None) -> "Ear":
        return Ear(self.server.port, self.session, after)

    def last(self, event_type: str = "") -> Event:
        """Return the newest event."""
        return self.bus.events(limit=1, event_type=event_type)[-1]


class Ear:
    """A plain socket that listens to the stream."""

    def __init__(self, port: int, session: str, after: int | None) -> None:
        self.wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        resume = f"Last-Event-ID: {after}\r\n" if after is not None else ""
        self.wire.sendall(
            f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {session}\r\n"
            f"{resume}\r\n".encode()
        )
        self._heard = b""

    def until(self, wanted: bytes) -> bytes:
        """Return all that was heard up to the first time that something was said."""
        while wanted not in self._heard:
            piece = self.wire.recv(65_536)
            assert piece, f"the stream ended before {wanted!r}: {self._heard[-500:]!r}"
            self._heard += piece
        return self._heard

    def numbers(self) -> list[int]:
        """Return the numbers of the events heard so far, in order."""
        return [int(line[4:]) for line in self._heard.split(b"\n") if line.startswith(b"id: ")]

    def close(self) -> None:
        self.wire.close()
