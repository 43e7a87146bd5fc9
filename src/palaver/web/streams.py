"""Long responses: new events, the progress of verify, and exports. Each ends when its reader disconnects."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from palaver.api import Bus
from palaver.model.errors import BadArguments, Refusal
from palaver.web.call import Call, read_request
from palaver.web.hub import Hub, Listener
from palaver.web.refusals import Busy
from palaver.web.responses import refusal

_EVENTS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
_HEAD: Final = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
_DIGITS: Final = 16
_PIECE_BYTES: Final = 65_536


class EventStream:
    """`/api/stream`: every event after `Last-Event-ID` as it is appended, and what it changes.

    An ASGI app of its own, because a request and a response for each listener would cost too much.
    """

    def __init__(self) -> None:
        """Start without a hub: the server has not started yet."""
        self.hub: Hub | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the listener disconnects."""
        given = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin-1")
        if given and not (given.isascii() and given.isdigit() and len(given) < _DIGITS):
            way_out = "send the number of the last event that you have, or no such header"
            wrong = BadArguments("cannot use Last-Event-ID", "it is not the number of an event", way_out)
            await refusal(wrong)(scope, receive, send)
        elif self.hub is None:
            starting = Busy("cannot answer now", "the server is starting", "wait a second")
            await refusal(starting)(scope, receive, send)
        elif scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": 200, "headers": list(_HEAD)})
            await _put(send, b"", more=False)
        elif (listener := self.hub.listen()) is None:
            crowd = Busy("cannot take another listener", "there are too many", "close a page, or wait")
            await refusal(crowd, retry_after=5)(scope, receive, send)
        else:
            await _listen(self.hub, listener, given, receive, send)


async def _listen(hub: Hub, listener: Listener, given: str, receive: Receive, send: Send) -> None:
    disconnect = asyncio.create_task(_disconnect(receive, listener))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEAD)})
        missed = await hub.missed(int(given), listener.since) if given else b""
        # The first line is sent at once, so that the listener knows that it works.
        await _put(send, b"retry: 1000\n\n" + missed)
        while not listener.gone:
            await _put(send, await listener.next())
    finally:
        hub.leave(listener)
        disconnect.cancel()
    await _put(send, b"", more=False)


async def _put(send: Send, body: bytes, *, more: bool = True) -> None:
    if body or not more:
        await send({"type": "http.response.body", "body": body, "more_body": more})


async def _disconnect(receive: Receive, listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.leave()


class VerifyStream:
    """`/api/verify`: one verification at a time, with its progress."""

    def __init__(self, call: Call, bus: Bus, threads: Executor) -> None:
        """Take the row of the table of calls, the bus, and the threads to run it in."""
        self._call = call
        self._bus = bus
        self._threads = threads
        self._done: asyncio.Future[None] | None = None

    async def __call__(self, request: Request) -> Response:
        """Send the progress, then the verdict."""
        await read_request(self._call, request)
        if self._done is not None and not self._done.done():
            why = "another request verifies the log just now"
            return refusal(Busy("cannot verify", why, "wait for its end"), retry_after=2)
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bytes] = asyncio.Queue()

        def tell(kind: str, value: object) -> None:
            frame = b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(value))
            loop.call_soon_threadsafe(queue.put_nowait, frame)

        self._done = loop.run_in_executor(self._threads, _verify, self._bus, tell)
        return StreamingResponse(_frames(self._done, queue), headers=_EVENTS, media_type="text/event-stream")


async def _frames(done: "asyncio.Future[None]", queue: "asyncio.Queue[bytes]") -> AsyncIterator[bytes]:
    while not done.done() or not queue.empty():
        try:
            async with asyncio.timeout(0.1):
                yield await queue.get()
        except TimeoutError:
            continue


def _verify(bus: Bus, tell: Callable[[str, object], None]) -> None:
    try:
        total = bus.size()
        tell("progress", {"bytes": 0, "total": total})
        verdict = bus.verify(lambda done: tell("progress", {"bytes": done, "total": total}))
    except Refusal as no:
        tell("refused", {"error": no.plain()})
    else:
        tell("verdict", verdict.plain())


def exported(bus: Bus, wanted: dict[str, object]) -> Response:
    """Return the events that match, as CloudEvents, one JSON object per line."""

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
