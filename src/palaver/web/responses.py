"""Responses: values as JSON, and refusals with their HTTP status."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.responses import Response

from palaver.model.errors import NotFound, Refusal

#: The status of each refusal; 400 if it is not listed: the request is invalid.
STATUS: Final[Mapping[str, int]] = {
    "no-bus": 503,
    "bad-config": 503,
    "not-found": 404,
    "unknown-recipient": 404,
    "not-yours": 403,
    "retired": 403,
    "unsafe-root": 403,
    "untrusted-bus": 403,
    "too-large": 413,
    "not-permitted": 403,
    "illegal-move": 409,
    "task-taken": 409,
    "task-cycle": 409,
    "answer-first": 409,
    "one-at-a-time": 409,
    "assignment-taken": 409,
    "ambiguous-name": 409,
    "key-conflict": 409,
    "already-read": 409,
    "already-taken": 409,
    "log-locked": 503,
    "storage": 507,
    "sync-failed": 507,
    "timeout": 503,
    "tool-missing": 503,
    "bad-method": 405,
    "bad-target": 403,
    "bad-host": 403,
    "bad-origin": 403,
    "no-token": 401,
    "no-way-in": 401,
    "not-json": 415,
    "head-too-large": 431,
    "too-slow": 408,
    "too-many": 429,
    "busy": 503,
    "server-fault": 500,
}
_FRESH: Final = {"cache-control": "no-store"}


def answered(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a value as JSON."""
    content = msgspec.json.encode(value)
    return Response(content, status, {**_FRESH, **(headers or {})}, "application/json")


#: Options of commands, and what they are over HTTP; any other has the name of its field.
_FIELDS: Final = {
    "-m TEXT or -m -": "`body`",
    "-m TEXT": "`body`",
    "--file": "`files`",
    "--key": "the same Idempotency-Key",
}
_OPTION: Final = re.compile(rf"{'|'.join(map(re.escape, _FIELDS))}|(?<!\S)--(?P<name>[a-z][a-z-]*)")


def _over_http(way_out: str) -> str:
    """Return what to do, with fields of the request in the place of options; a command stays as it is.

    >>> _over_http("take it out, or use --allow-secret"), _over_http("palaver verify --accept")
    ('take it out, or use `allow_secret`', 'palaver verify --accept')
    """

    def field(found: re.Match[str]) -> str:
        return _FIELDS.get(found[0]) or f"`{found['name'].replace('-', '_')}`"

    return way_out if "palaver " in way_out else _OPTION.sub(field, way_out)


def refusal(no: Refusal, *, retry_after: int = 1) -> Response:
    """Return a refusal, of the bus or of the HTTP interface; one that is over soon says when to ask again."""
    status = STATUS.get(no.code, 400)
    headers = {"retry-after": str(retry_after)} if status in (429, 503) else {}
    error = {**no.plain(), "way_out": _over_http(no.way_out)}
    return answered({"error": error}, status, headers)


def no_page() -> Response:
    """Return the refusal of an address that nothing has."""
    return refusal(
        NotFound("there is nothing at this address", "no page and no call has it", "use / or /api")
    )
