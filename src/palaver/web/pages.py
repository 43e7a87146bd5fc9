"""The pages: one shell for every view, static files, and the page of the API, without any data of the bus."""

import os
from hashlib import blake2b
from typing import Final

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import Response

from palaver import __version__
from palaver.web.responses import refused
from palaver.web.routes import CALLS, STREAMS

_HERE: Final = os.path.dirname(os.path.abspath(__file__))
_KINDS: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
#: The views: address, name, and the key that opens it after `g`. A new view is one line here, one module in
#: static/views/, and one line in static/views.js.
VIEWS: Final = (
    ("now", "Now", "n"),
    ("board", "Board", "b"),
    ("conversations", "Conversations", "c"),
    ("agents", "Agents", "a"),
    ("insights", "Insights", "i"),
    ("audit", "Audit", "u"),
)


def _files() -> dict[str, tuple[bytes, str, str]]:
    """Return the static files by name, with type and etag; read once, so that no request opens a path."""
    found: dict[str, tuple[bytes, str, str]] = {}
    top = _HERE + "/static"
    for folder, _, names in os.walk(top):
        for name in names:
            kind = _KINDS.get(os.path.splitext(name)[1])
            if kind is None:
                continue
            path = f"{folder}/{name}"
            with open(path, "rb") as file:
                content = file.read()
            tag = f'"{blake2b(content, digest_size=8).hexdigest()}"'
            found[path[len(top) + 1 :]] = (content, kind, tag)
    return found


class Pages:
    """What a browser gets without a token."""

    def __init__(self) -> None:
        """Read and render everything once."""
        loader = FileSystemLoader(_HERE + "/templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(default=True))
        self._files = _files()
        self._shell = self._rendered("shell.html", views=VIEWS, version=__version__)
        self._api = self._rendered("api.html", calls=[*CALLS, *STREAMS], version=__version__)

    async def shell(self, request: Request) -> Response:
        """Return the page; it reads from its address which view to show."""
        del request
        return _page(self._shell)

    async def api(self, request: Request) -> Response:
        """Return the page of the API."""
        del request
        return _page(self._api)

    async def file(self, request: Request) -> Response:
        """Return a static file."""
        found = self._files.get(request.path_params["file"])
        if found is None:
            return refused(404, "not-found", "Not found")
        content, kind, tag = found
        headers = {"cache-control": "no-cache", "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "content-type": kind})

    async def nothing(self, request: Request) -> Response:
        """Return an empty response, for browsers that ask for a favicon."""
        del request
        return Response(status_code=204)

    def _rendered(self, template: str, **values: object) -> bytes:
        return self._templates.get_template(template).render(**values).encode()


def _page(content: bytes) -> Response:
    return Response(content, headers={"cache-control": "no-cache"}, media_type="text/html; charset=utf-8")
