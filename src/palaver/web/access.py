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

from palaver.model.errors import Refusal
from palaver.model.limits import WEB_BODY_BYTES, WEB_BURST, WEB_PATIENCE_SECONDS, WEB_REQUESTS_PER_SECOND
from palaver.web.responses import refusal, refused

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
    ) -> None:
        """Take the app, a function that returns the port, and the check of a session token.

        `require_bus` refuses if a command would refuse the bus.
        """
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
            return refused(405, "bad-method", "Method not allowed")
        if not path.startswith(b"/"):
            return refused(403, "bad-target", "This is not a proxy")
        if b"upgrade" in headers:
            return refused(400, "no-upgrade", "Only plain HTTP is supported")
        wrong = self._foreign(scope, headers)
        if wrong is not None:
            return wrong
        if not _PATH.fullmatch(path) or b"/../" in path + b"/" or b"/./" in path + b"/":
            return refused(404, "not-found", "Not found")
        if path == b"/api" or path.startswith(b"/api/"):
            return self._api(scope, headers)
        return None

    def _foreign(self, scope: Scope, headers: dict[bytes, bytes]) -> ASGIApp | None:
        """Return the response to a request that another site caused, None to any other."""
        host = headers.get(b"host")
        ours = {f"{name}:{self._port()}".encode() for name in ("127.0.0.1", "localhost")}
        if not host:
            return refused(400, "no-host", "The Host header is missing")
        if host not in ours:
            return refused(403, "bad-host", "This host name is not served here")
        origin = headers.get(b"origin")
        if origin is not None and origin not in {b"http://" + name for name in ours}:
            return refused(403, "bad-origin", "Requests from other sites are not allowed")
        # A link of another site may open the page: it shows nothing until it has a token.
        opens = (
            headers.get(b"sec-fetch-mode") == b"navigate" and headers.get(b"sec-fetch-dest") == b"document"
        )
        page = scope["method"] in ("GET", "HEAD") and not scope["path"].startswith("/api/")
        site = headers.get(b"sec-fetch-site", b"none")
        if site not in (b"same-origin", b"none") and not (opens and page):
            return refused(403, "bad-site", "Requests from other sites are not allowed")
        return None

    def _api(self, scope: Scope, headers: dict[bytes, bytes]) -> ASGIApp | None:
        if not self._paced():
            return refused(429, "too-many", "Too many requests; wait a second", retry_after=1)
        if scope["path"].rstrip("/") not in OPEN:
            scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
            if scheme.lower() != "bearer" or not self._is_session(token.strip()):
                return refused(401, "no-token", "Not signed in; palaver open makes a sign-in link")
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
        return refused(415, "not-json", "The body must be application/json")
    if headers.get(b"content-encoding", b"identity") != b"identity":
        return refused(415, "encoded", "The body must not be compressed")
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        return refused(400, "bad-length", "Content-Length is not a number")
    if len(length) > 12 or int(length) > WEB_BODY_BYTES:
        return refused(413, "too-large", f"The body is longer than {WEB_BODY_BYTES} bytes")
    return None
