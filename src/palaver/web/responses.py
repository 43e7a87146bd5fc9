"""Responses: values as JSON, and refusals with their HTTP status."""

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


def refusal(no: Refusal, *, retry_after: int = 1) -> Response:
    """Return a refusal, of the bus or of the HTTP interface; one that is over soon says when to ask again."""
    status = STATUS.get(no.code, 400)
    headers = {"retry-after": str(retry_after)} if status in (429, 503) else {}
    return answered({"error": no.plain()}, status, headers)


def no_page() -> Response:
    """Return the refusal of an address that nothing has."""
    return refusal(
        NotFound("there is nothing at this address", "no page and no call has it", "use / or /api")
    )
