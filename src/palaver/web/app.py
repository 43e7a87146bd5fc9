"""The app: routes made from the table of calls, behind the access check."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.api import Bus
from palaver.bus.root import find
from palaver.model.errors import BadArguments, Refusal
from palaver.model.limits import WEB_PATIENCE_SECONDS
from palaver.web.access import AccessCheck, bad_method, body_too_large, wants_page
from palaver.web.access_keys import Keys
from palaver.web.call import Call, Oversized, Repeated, read_request
from palaver.web.hub import Hub
from palaver.web.pages import page_routes, shell
from palaver.web.refusals import BadRequest, ServerFault, TooSlow, UsedLink
from palaver.web.responses import answered, no_page, refusal
from palaver.web.routes import CALLS, SIGN_IN, STREAMS
from palaver.web.streams import EventStream, VerifyStream, exported

Endpoint = Callable[[Request], Awaitable[Response]]
# The core is synchronous: reads run in a few threads, and all writes in one.
_READERS: Final = 6
_CHALLENGE_CHARS: Final = 64


class App:
    """One bus, served over HTTP."""

    def __init__(self, bus: Bus, keys: Keys, *, port: Callable[[], int]) -> None:
        """Take the bus, the keys, and a function that returns the port."""
        self._bus = bus
        self._keys = keys
        self._readers = ThreadPoolExecutor(_READERS, "palaver-web-read")
        self._writer = ThreadPoolExecutor(1, "palaver-web-write")
        self._stream = EventStream()
        lost = shell(404)

        async def http(request: Request, fault: Exception) -> Response:
            status = fault.status_code if isinstance(fault, HTTPException) else 500
            if status == 404:
                return lost if wants_page(request.scope) else no_page()
            if status == 405:
                return refusal(bad_method(request.method))
            way_out = "send it again with the same Idempotency-Key, and report the bug"
            return refusal(ServerFault("a bug in palaver", type(fault).__name__, way_out))

        app = Starlette(
            routes=self._routes(),
            exception_handlers={HTTPException: http, 404: http, 405: http, Exception: http},
        )
        # Only the exact address counts.
        app.router.redirect_slashes = False
        self.asgi = AccessCheck(
            app,
            port=port,
            is_session=keys.is_session,
            require_bus=lambda: find(bus.root.path),
            lost=lost,
        )

    def start(self) -> None:
        """Start to follow the log; called on the event loop."""
        self._stream.hub = Hub(self._bus, asyncio.get_running_loop())
        self._stream.hub.start()

    def stop(self) -> None:
        """Disconnect the listeners; called on the event loop."""
        if self._stream.hub is not None:
            self._stream.hub.stop()

    def close(self) -> None:
        """End the threads, after the current write."""
        if self._stream.hub is not None:
            self._stream.hub.close()
        self._readers.shutdown(cancel_futures=True)
        self._writer.shutdown()

    def _routes(self) -> list[BaseRoute]:
        stream, verify, export = STREAMS
        return [
            *page_routes(),
            Route("/api/hello", self._hello),
            Route(SIGN_IN.path, _guarded(self._session), methods=["POST"]),
            Route(stream.path, self._stream, methods=["GET"]),
            Route(verify.path, _guarded(VerifyStream(verify, self._bus, self._readers)), methods=["POST"]),
            Route(export.path, _guarded(self._export)),
            # A path of a write is more specific than that of a read.
            *(self._route(call) for call in CALLS if call.writes),
            *(self._route(call) for call in CALLS if not call.writes),
        ]

    def _route(self, call: Call) -> Route:
        pool = self._writer if call.writes else self._readers

        async def endpoint(request: Request) -> Response:
            async with asyncio.timeout(WEB_PATIENCE_SECONDS):
                wanted = await read_request(call, request)
            loop = asyncio.get_running_loop()
            # Shielded: a write is finished even if its caller disconnects.
            value = await asyncio.shield(loop.run_in_executor(pool, call.answer, self._bus, wanted))
            if call.media != "application/json":
                assert isinstance(value, bytes)
                return Response(value, headers={"cache-control": "no-store"}, media_type=call.media)
            if isinstance(value, Repeated):
                return answered(value.value)
            return answered(value, call.status)

        return Route(call.path, _guarded(endpoint), methods=[call.method])

    async def _export(self, request: Request) -> Response:
        wanted = await read_request(STREAMS[-1], request)
        return exported(
            self._bus, {"event_type" if name == "type" else name: value for name, value in wanted.items()}
        )

    async def _hello(self, request: Request) -> Response:
        """Prove to a command on this machine that this server serves this bus."""
        challenge = request.query_params.get("challenge", "")
        if not 0 < len(challenge) <= _CHALLENGE_CHARS:
            why, way_out = f"it must have 1 to {_CHALLENGE_CHARS} characters", "send a random text"
            return refusal(BadArguments("cannot use the challenge", why, way_out))
        return answered({"proof": self._keys.proof(challenge)})

    async def _session(self, request: Request) -> Response:
        """Exchange a sign-in token for a session."""
        await read_request(SIGN_IN, request)
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        session = self._keys.sign_in(given)
        if session is None:
            why = "the sign-in link was used, has expired, or is of an earlier start of the dashboard"
            return refusal(UsedLink("cannot sign in", why, "palaver open makes a new link"))
        return answered({"session": session})


def _guarded(endpoint: Endpoint) -> Endpoint:
    """Turn refusals into responses; any other exception is a bug of ours."""

    async def guarded(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refusal as no:
            return refusal(no)
        except Oversized:
            return refusal(body_too_large())
        except TimeoutError:
            why = f"it did not arrive within {WEB_PATIENCE_SECONDS:g} seconds"
            return refusal(TooSlow("cannot take the body", why, "send it again, as a whole"))
        except ClientDisconnect:
            return refusal(BadRequest("cannot take the body", "its end is missing", "send it again"))

    return guarded
