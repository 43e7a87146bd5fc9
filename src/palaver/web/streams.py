"""Long answers: the log as it grows, verify as it goes, and exports. Each ends when its reader goes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from palaver.api import Bus
from palaver.model.errors import Refusal
from palaver.web.hub import Hub, Listener
from palaver.web.responses import refused

_EVENTS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_HEAD: Final = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
_DIGITS: Final = 16
_PIECE_BYTES: Final = 65_536


async def listen(hub: Hub, scope: Scope, receive: Receive, send: Send) -> None:
    """Tell every event behind `Last-Event-ID` as it comes, and what it changes."""
    given = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin-1")
    if given and not (given.isascii() and given.isdigit() and len(given) < _DIGITS):
        await refused(400, "bad-arguments", "Last-Event-ID is the number of an event")(scope, receive, send)
        return
    if scope["method"] == "HEAD":
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEAD)})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return
    joined = hub.listen()
    if joined is None:
        await refused(503, "too-many", "Too many listen already", retry_after=5)(scope, receive, send)
        return
    listener, until = joined
    gone = asyncio.create_task(_left(receive, listener))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEAD)})
        first = await hub.missed(int(given), until) if given else b""
        # A first line at once, so that whoever listens knows that it works.
        await _put(send, b"retry: 1000\n\n" + first)
        while not listener.gone:
            await _put(send, await listener.heard())
    finally:
        hub.leave(listener)
        gone.cancel()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _put(send: Send, told: bytes) -> None:
    if told:
        await send({"type": "http.response.body", "body": told, "more_body": True})


async def _left(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.leave()


class Verifying:
    """Verify, at most once at a time."""

    def __init__(self, bus: Bus, threads: Executor) -> None:
        """Take the bus, and where to run it."""
        self._bus = bus
        self._threads = threads
        self._done: asyncio.Future[None] | None = None

    async def __call__(self, request: Request) -> Response:
        """Answer with progress as it is made, then with the verdict."""
        async for _ in request.stream():
            pass
        if self._done is not None and not self._done.done():
            return refused(503, "busy", "The log is being verified already", retry_after=2)
        loop = asyncio.get_running_loop()
        heard: asyncio.Queue[bytes] = asyncio.Queue()

        def tell(kind: str, value: object) -> None:
            said = b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(value))
            loop.call_soon_threadsafe(heard.put_nowait, said)

        self._done = loop.run_in_executor(self._threads, _verified, self._bus, tell)
        return StreamingResponse(_steps(self._done, heard), headers=_EVENTS, media_type="text/event-stream")


async def _steps(done: "asyncio.Future[None]", heard: "asyncio.Queue[bytes]") -> AsyncIterator[bytes]:
    while not done.done() or not heard.empty():
        try:
            async with asyncio.timeout(0.1):
                yield await heard.get()
        except TimeoutError:
            continue


def _verified(bus: Bus, tell: Callable[[str, object], None]) -> None:
    try:
        total = bus.size()
        tell("progress", {"bytes": 0, "total": total})
        verdict = bus.verify(lambda done: tell("progress", {"bytes": done, "total": total}))
    except Refusal as no:
        tell("refused", {"error": no.plain()})
    else:
        tell("verdict", verdict.plain())


def exported(bus: Bus, wanted: dict[str, object]) -> Response:
    """Answer with the events that fit, as CloudEvents, one JSON object a line."""

    def lines() -> Iterator[bytes]:
        piece = bytearray()
        for event in Bus.exported.perform(bus.session, wanted):
            piece += msgspec.json.encode(event) + b"\n"
            if len(piece) > _PIECE_BYTES:
                yield bytes(piece)
                piece.clear()
        yield bytes(piece)

    headers = {"cache-control": "no-store", "content-disposition": 'attachment; filename="events.jsonl"'}
    return StreamingResponse(lines(), headers=headers, media_type="application/x-ndjson")
