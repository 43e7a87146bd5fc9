"""The pages: one shell for every view, static files, and the page of the API, without any data of the bus."""

import os
from hashlib import blake2b
from typing import Final

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver import __version__
from palaver.web.openapi import document
from palaver.web.responses import answered, no_page
from palaver.web.routes import CALLS, SIGN_IN, STREAMS

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
_PATHS: Final = (
    *("/", "/speak", "/quarantine", "/files"),
    *("/conversations/{id}", "/agents/{agent:path}", "/audit/{event}", "/quarantine/{item:path}"),
)
_CACHED: Final = {"cache-control": "no-cache"}
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(_HERE + "/templates"), autoescape=select_autoescape(default=True)
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


def _page(template: str, status: int = 200, **values: object) -> Response:
    content = _TEMPLATES.get_template(template).render(version=__version__, **values)
    return Response(content, status, headers=_CACHED, media_type="text/html; charset=utf-8")


def shell(status: int = 200) -> Response:
    """Return the page of every view. It reads from its address which one to show, if there is one."""
    return _page("shell.html", status, views=VIEWS)


def page_routes() -> list[BaseRoute]:
    """Return the routes that a browser may use without a token; everything is read and rendered once."""
    files = _files()

    async def file(request: Request) -> Response:
        found = files.get(request.path_params["file"])
        if found is None:
            return no_page()
        content, kind, tag = found
        headers = {**_CACHED, "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers={**headers, "content-type": kind})

    fixed = dict.fromkeys((*_PATHS, *(f"/{view}" for view, _, _ in VIEWS)), shell())
    fixed |= {
        "/favicon.ico": Response(status_code=204),
        "/api": _page("api.html", calls=[*CALLS, *STREAMS, SIGN_IN]),
        "/api/openapi.json": answered(document()),
    }
    routes = [Route(path, response, methods=["GET"]) for path, response in fixed.items()]
    return [*routes, Route("/static/{file:path}", file)]
