"""Strict HTTP: one request per connection, and nothing ambiguous in it.

uvicorn and h11 read the request; this module checks its head before they do. What two parsers could read
differently (two lengths, a length and chunks, two hosts) is refused, as is what is too long or too slow.
"""

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from palaver.model.limits import WEB_HEAD_BYTES, WEB_HEADERS, WEB_LINE_BYTES, WEB_PATIENCE_SECONDS
from palaver.model.plain import dumps
from palaver.web.refusals import BadRequest, HeadTooLarge, TooSlow

_AGAIN: Final = "send it again, as a whole"
#: What is refused before uvicorn reads it: the words of each status, and the refusal.
_REFUSED: Final = {
    400: (
        "Bad Request",
        BadRequest(
            "cannot read the request",
            "it is not valid HTTP/1.1, ambiguous, or incomplete",
            "send one Host header, one length, and as many bytes as it says",
        ),
    ),
    408: ("Request Timeout", TooSlow("cannot take the request", "it did not arrive in time", _AGAIN)),
    414: (
        "URI Too Long",
        HeadTooLarge("cannot take the request", "its address is too long", "put texts in the body"),
    ),
    431: (
        "Request Header Fields Too Large",
        HeadTooLarge("cannot take the request", "its headers are too long, or too many", "send fewer"),
    ),
}
_ONCE: Final = (
    b"host",
    b"content-length",
    b"transfer-encoding",
    b"authorization",
    b"origin",
    b"content-type",
)


class StrictProtocol(H11Protocol):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Take the arguments of uvicorn."""
        super().__init__(*arguments, **named)
        self._head = bytearray()
        self._whole = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the timer."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(WEB_PATIENCE_SECONDS, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hold the data until the head is complete and valid; then pass it on."""
        if self._whole:
            super().data_received(data)
            return
        self._head += data
        end = self._head.find(b"\r\n\r\n")
        wrong = _refused_status(bytes(self._head if end < 0 else self._head[:end]), whole=end >= 0)
        if wrong:
            self._refuse(wrong)
        elif end >= 0:
            self._whole = True
            self._stop_timer()
            super().data_received(bytes(self._head))
            self._head.clear()

    def eof_received(self) -> None:
        """Refuse a request that is shorter than its Content-Length."""
        if (
            self._whole
            and self.conn.their_state is h11.SEND_BODY
            and self.conn.our_state is h11.SEND_RESPONSE
        ):
            self._refuse(400)

    def send_400_response(self, msg: str) -> None:
        """Refuse what h11 cannot read, as everything else is refused."""
        del msg
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(400)
        else:
            # A response has begun.
            self.transport.close()

    def _late(self) -> None:
        self._refuse(408)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int) -> None:
        self._stop_timer()
        self._whole = True
        if self.transport.is_closing():
            return
        words, refusal = _REFUSED[status]
        body = dumps({"error": refusal.plain()})
        self.transport.write(
            f"HTTP/1.1 {status} {words}\r\ncontent-type: application/json\r\nconnection: close\r\n"
            f"x-content-type-options: nosniff\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()
        )
        self.transport.close()


def _refused_status(head: bytes, *, whole: bool) -> int:
    """Return the status with which to refuse a head, 0 to accept it."""
    line, _, rest = head.partition(b"\r\n")
    if len(line) > WEB_LINE_BYTES:
        return 414
    if len(head) > WEB_HEAD_BYTES or head.count(b"\n") > WEB_HEADERS:
        return 431
    if not whole:
        # A request without a version is HTTP/0.9, and has no head.
        return 400 if b"\n" in head and b"HTTP/" not in head.partition(b"\n")[0] else 0
    if not line.endswith((b" HTTP/1.1", b" HTTP/1.0")):
        return 400
    names = [field.partition(b":")[0].strip().lower() for field in rest.split(b"\r\n")]
    if any(names.count(name) > 1 for name in _ONCE):
        return 400
    return 400 if b"content-length" in names and b"transfer-encoding" in names else 0
