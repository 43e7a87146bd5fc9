"""The access check: what every request must prove before it is handled.

The page is at an address of this machine, and any web page that a person visits can send requests there. So
the host name, the origin of the requesting page, and a token in a header are checked, for reads as well.
There are no cookies and no CORS headers, so a page of another origin can neither send the token nor read a
response.
"""

import asyncio
import re
import time
from collections.abc import Callable, MutableMapping
from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from palaver.model.errors import Refusal, TooLarge
from palaver.model.limits import WEB_BODY_BYTES, WEB_BURST, WEB_PATIENCE_SECONDS, WEB_REQUESTS_PER_SECOND
from palaver.web.refusals import (
    BadHost,
    BadMethod,
    BadOrigin,
    BadRequest,
    BadTarget,
    NotJson,
    NotSignedIn,
    TooMany,
)
from palaver.web.responses import no_page, refusal

#: Everything from this server, nothing from elsewhere; images may also be made by the page.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"connection", b"close"),
)
#: Paths without a token: they show nothing of the bus.
OPEN: Final = frozenset({"/api", "/api/openapi.json", "/api/hello", "/api/session"})
_FOREIGN: Final = BadOrigin(
    "cannot answer another site", "the request comes from a page of it", "use the dashboard itself"
)
_DRAIN_BYTES: Final = 8 * WEB_BODY_BYTES
_PATH: Final = re.compile(rb"/(?:[A-Za-z0-9._~@:-]+/)*[A-Za-z0-9._~@:-]*")
_JSON: Final = re.compile(rb'application/json(?:\s*;\s*charset="?utf-8"?)?', re.IGNORECASE)


class AccessCheck:
    """The app, behind its access check."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: Callable[[], int],
        is_session: Callable[[str], bool],
        require_bus: Callable[[], object],
        lost: ASGIApp,
    ) -> None:
        """Take the app, a function that returns the port, and the check of a session token.

        `require_bus` refuses if a command would refuse the bus. `lost` is the page for a wrong address.
        """
        self._lost = lost
        self._app = app
        self._port = port
        self._is_session = is_session
        self._require_bus = require_bus
        self._left = float(WEB_BURST)
        self._at = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse it; either way the response has our headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        wrong = self._wrong(scope)

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        if wrong is not None:
            await _drained(receive)
        await (self._app if wrong is None else wrong)(scope, receive, sent)

    def _wrong(self, scope: Scope) -> ASGIApp | None:
        """Return the response to a request that is refused, None to one that is not."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        path: bytes = scope["raw_path"]
        if scope["method"] in ("TRACE", "CONNECT"):
            return refusal(bad_method(scope["method"]))
        if not path.startswith(b"/"):
            return refusal(BadTarget("cannot pass on a request", "this is not a proxy", "name the path only"))
        if b"upgrade" in headers:
            return refusal(_bad("it asks for an upgrade", "use plain HTTP; /api/stream sends what happens"))
        wrong = self._foreign(scope, headers)
        if wrong is not None:
            return wrong
        if not _PATH.fullmatch(path) or b"/../" in path + b"/" or b"/./" in path + b"/":
            return self._lost if wants_page(scope) else no_page()
        if path == b"/api" or path.startswith(b"/api/"):
            return self._api(scope, headers)
        return None

    def _foreign(self, scope: Scope, headers: dict[bytes, bytes]) -> ASGIApp | None:
        """Return the response to a request that another site caused, None to any other."""
        host = headers.get(b"host")
        ours = {f"{name}:{self._port()}".encode() for name in ("127.0.0.1", "localhost")}
        if not host:
            return refusal(_bad("it has no Host header", f"send Host: 127.0.0.1:{self._port()}"))
        if host not in ours:
            shown = host[:60].decode("latin-1")
            way_out = f"use http://127.0.0.1:{self._port()}, as palaver open does"
            return refusal(BadHost("cannot answer", f"{shown!a} is not a name of this server", way_out))
        origin = headers.get(b"origin")
        if origin is not None and origin not in {b"http://" + name for name in ours}:
            return refusal(_FOREIGN)
        # A link of another site may open the page: it shows nothing until it has a token.
        opens = (
            headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"
        )
        page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api/")
        site = headers.get(b"sec-fetch-site", b"none")
        if site not in (b"same-origin", b"none") and not (opens and page):
            return refusal(_FOREIGN)
        return None

    def _api(self, scope: Scope, headers: dict[bytes, bytes]) -> ASGIApp | None:
        if not self._paced():
            why = f"there were more than {WEB_REQUESTS_PER_SECOND:g} requests a second"
            return refusal(TooMany("cannot answer now", why, "wait a second"))
        if scope["path"].rstrip("/") not in OPEN:
            scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
            if scheme.lower() != "bearer" or not self._is_session(token.strip()):
                why = "the Authorization header has no session that is valid"
                return refusal(NotSignedIn("not signed in", why, "palaver open makes a sign-in link"))
            try:
                # Trust may have been revoked since the server was started.
                self._require_bus()
            except Refusal as no:
                return refusal(no)
        if scope["method"] in ("POST", "PUT", "PATCH", "DELETE"):
            return _body(headers)
        return None

    def _paced(self) -> bool:
        """Return True if the token bucket of the rate limit has a token, and take it."""
        now = time.monotonic()
        self._left = min(WEB_BURST, self._left + (now - self._at) * WEB_REQUESTS_PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


async def _drained(receive: Receive) -> None:
    """Read the body: a client that is cut off while it sends does not read the response."""
    left = _DRAIN_BYTES
    try:
        async with asyncio.timeout(WEB_PATIENCE_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        return


def _body(headers: dict[bytes, bytes]) -> ASGIApp | None:
    if not _JSON.fullmatch(headers.get(b"content-type", b"").strip()):
        return refusal(
            NotJson("cannot read the body", "it is not sent as JSON", "send Content-Type: application/json")
        )
    if headers.get(b"content-encoding", b"identity") != b"identity":
        return refusal(NotJson("cannot read the body", "it is compressed", "send no Content-Encoding"))
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        return refusal(_bad("its Content-Length is not a number", "send the number of bytes"))
    if len(length) > 12 or int(length) > WEB_BODY_BYTES:
        return refusal(body_too_large())
    return None


def body_too_large() -> TooLarge:
    """Return the refusal of a body that is too long."""
    why = f"it is longer than {WEB_BODY_BYTES} bytes"
    return TooLarge("cannot take the body", why, "put the text in a file, and name it in `files`")


def bad_method(method: str) -> BadMethod:
    """Return the refusal of a method."""
    why = "this address does not take that method"
    return BadMethod(f"cannot {method[:20]} here", why, "/api/openapi.json has the methods of each address")


def wants_page(scope: Scope) -> bool:
    """Return True if a browser asks for a page, so that a person reads the answer."""
    accepted = dict(scope["headers"]).get(b"accept", b"")
    is_api = scope["path"] == "/api" or scope["path"].startswith("/api/")
    return scope["method"] in ("GET", "HEAD") and not is_api and b"text/html" in accepted


def _bad(why: str, way_out: str) -> BadRequest:
    return BadRequest("cannot read the request", why, way_out)
