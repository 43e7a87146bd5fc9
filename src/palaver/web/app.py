"""The app: routes made from the table of calls, and the doors in front of them."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from palaver.api import Bus
from palaver.model.errors import Refusal
from palaver.model.limits import WEB_PATIENCE_SECONDS
from palaver.web import streams
from palaver.web.access import AccessCheck
from palaver.web.access_keys import Keys
from palaver.web.call import Call, Oversized, read_request
from palaver.web.hub import Hub
from palaver.web.openapi import document
from palaver.web.pages import VIEWS, Pages
from palaver.web.responses import answered, refusal, refused
from palaver.web.routes import CALLS, STREAMS

Endpoint = Callable[[Request], Awaitable[Response]]
# The core is synchronous: readers wait in threads of their own, and all that is written goes through one.
_READERS: Final = 6
_CHALLENGE_CHARS: Final = 64


class App:
    """One bus, as HTTP sees it."""

    def __init__(self, bus: Bus, keys: Keys, *, port: Callable[[], int]) -> None:
        """Take the bus, the keys, and how to learn the port."""
        self._bus = bus
        self._keys = keys
        self._readers = ThreadPoolExecutor(_READERS, "palaver-web-read")
        self._writer = ThreadPoolExecutor(1, "palaver-web-write")
        self._verifying = streams.Verifying(bus, self._readers)
        self._hub: Hub | None = None
        app = Starlette(
            routes=self._routes(), exception_handlers={HTTPException: _http, 404: _http, 405: _http}
        )
        # What is not exactly an address of ours is none.
        app.router.redirect_slashes = False
        self.asgi = AccessCheck(app, port=port, known=keys.known)

    def start(self) -> None:
        """Begin to follow the log; called on the loop."""
        self._hub = Hub(self._bus, asyncio.get_running_loop())
        self._hub.start()

    def stop(self) -> None:
        """Send away who listens; called on the loop."""
        if self._hub is not None:
            self._hub.stop()

    def ended(self) -> None:
        """Let the threads go; what is being written is written."""
        if self._hub is not None:
            self._hub.ended()
        self._readers.shutdown(cancel_futures=True)
        self._writer.shutdown()

    def _routes(self) -> list[BaseRoute]:
        pages = Pages()
        shown = ["/", "/speak", "/quarantine", "/files", *(f"/{view}" for view, _, _ in VIEWS)]
        inner = ["/conversations/{id}", "/agents/{agent:path}", "/audit/{event}", "/quarantine/{item:path}"]
        _, verify, export = STREAMS
        return [
            *(Route(path, pages.shell) for path in (*shown, *inner)),
            Route("/static/{file:path}", pages.file),
            Route("/favicon.ico", pages.nothing),
            Route("/api", pages.api),
            Route("/api/openapi.json", _document),
            Route("/api/hello", self._hello),
            Route("/api/session", self._session, methods=["POST"]),
            Route("/api/stream", _Stream(self), methods=["GET"]),
            Route(verify.path, _guarded(self._verifying), methods=["POST"]),
            Route(export.path, _guarded(self._export(export))),
            *(self._route(call) for call in CALLS if call.method == "POST"),
            *(self._route(call) for call in CALLS if call.method == "GET"),
        ]

    def _route(self, call: Call) -> Route:
        pool = self._writer if call.writes else self._readers

        async def endpoint(request: Request) -> Response:
            async with asyncio.timeout(WEB_PATIENCE_SECONDS):
                wanted = await read_request(call, request)
            loop = asyncio.get_running_loop()
            # Shielded: who goes away in the middle of a write does not take it back.
            value = await asyncio.shield(loop.run_in_executor(pool, call.answer, self._bus, wanted))
            if call.media != "application/json":
                assert isinstance(value, bytes)
                return Response(value, headers={"cache-control": "no-store"}, media_type=call.media)
            repeated = isinstance(value, dict) and value.get("duplicate") is True
            return answered(value, 200 if repeated else call.status)

        return Route(call.path, _guarded(endpoint), methods=[call.method])

    def _export(self, call: Call) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            wanted = await read_request(call, request)
            return streams.exported(
                self._bus, {"event_type" if name == "type" else name: value for name, value in wanted.items()}
            )

        return endpoint

    async def _hello(self, request: Request) -> Response:
        """Prove to a command on this machine that it is this bus which serves here."""
        challenge = request.query_params.get("challenge", "")
        if not 0 < len(challenge) <= _CHALLENGE_CHARS:
            return refused(400, "bad-arguments", "Give a challenge")
        return answered({"proof": self._keys.proof(challenge)})

    async def _session(self, request: Request) -> Response:
        """Exchange a way in for a session."""
        async for _ in request.stream():
            pass
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        session = self._keys.opened(given)
        if session is None:
            return refused(
                401, "no-way-in", "This way in was used, or is too old; palaver open gives a new one"
            )
        return answered({"session": session})

    async def listen(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what happens."""
        if self._hub is None:
            await refused(503, "starting", "Not yet", retry_after=1)(scope, receive, send)
            return
        await streams.listen(self._hub, scope, receive, send)


async def _document(request: Request) -> Response:
    """Answer with the OpenAPI document."""
    del request
    return answered(document())


class _Stream:
    """The one endpoint that talks to the server itself: it must not pay for what it does not use."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app.listen(scope, receive, send)


def _guarded(endpoint: Endpoint) -> Endpoint:
    """Turn what is raised into an answer: a refusal is an answer, and anything else a mistake of ours."""

    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refusal as no:
            return refusal(no)
        except Oversized:
            return refused(413, "too-large", "The body is too long")
        except TimeoutError:
            return refused(408, "too-slow", "The body did not come in time")
        except ClientDisconnect:
            return refused(400, "gone", "The body ended too early")

    return guarded


async def _http(request: Request, fault: Exception) -> Response:
    del request
    status = fault.status_code if isinstance(fault, HTTPException) else 500
    words = {404: ("not-found", "There is nothing here"), 405: ("bad-method", "Not with this method")}
    code, what = words.get(status, ("http", "That did not work"))
    return refused(status, code, what)
