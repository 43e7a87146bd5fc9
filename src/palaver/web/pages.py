"""The pages: one shell for every view, our own files, the API's page. None holds anything of the bus."""

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
#: The views: address, word, and the key that leads there after `g`. A view that comes later is one line here,
#: one module in static/views/, and one line in static/views.js.
VIEWS: Final = (
    ("now", "Now", "n"),
    ("board", "Board", "b"),
    ("conversations", "Conversations", "c"),
    ("agents", "Agents", "a"),
    ("insights", "Insights", "i"),
    ("audit", "Audit", "u"),
)


def _files() -> dict[str, tuple[bytes, str, str]]:
    """Return our files by name, with kind and tag; read once, so that no request names a path."""
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
    """What a browser is given before it has shown a token."""

    def __init__(self) -> None:
        """Read everything once."""
        loader = FileSystemLoader(_HERE + "/templates")
        self._templates = Environment(loader=loader, autoescape=select_autoescape(default=True))
        self._files = _files()
        self._shell = self._rendered("shell.html", views=VIEWS, version=__version__)
        self._api = self._rendered("api.html", calls=[*CALLS, *STREAMS], version=__version__)

    async def shell(self, request: Request) -> Response:
        """Answer with the page; which view it is, the page reads from its own address."""
        del request
        return _page(self._shell)

    async def api(self, request: Request) -> Response:
        """Answer with the API's page."""
        del request
        return _page(self._api)

    async def file(self, request: Request) -> Response:
        """Answer with a file of ours."""
        found = self._files.get(request.path_params["file"])
        if found is None:
            return refused(404, "not-found", "There is nothing here")
        content, kind, tag = found
        headers = {"cache-control": "no-cache", "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "content-type": kind})

    async def nothing(self, request: Request) -> Response:
        """Answer that there is nothing, which is all that some browsers want to know."""
        del request
        return Response(status_code=204)

    def _rendered(self, template: str, **values: object) -> bytes:
        return self._templates.get_template(template).render(**values).encode()


def _page(content: bytes) -> Response:
    return Response(content, headers={"cache-control": "no-cache"}, media_type="text/html; charset=utf-8")
