"""The API as an OpenAPI 3.1 document, made from the same table as the routes."""

import re
from typing import Final

import msgspec

from palaver import __version__
from palaver.web.calls import Call
from palaver.web.table import CALLS, STREAMS

_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "what"],
            "properties": {name: {"type": "string"} for name in ("code", "what", "why", "way_out")},
        }
    },
}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Your own name for this request: asking again does nothing more.",
    "schema": {"type": "string", "maxLength": 256},
}


def document() -> dict[str, object]:
    """Return the document."""
    schemas: dict[str, object] = {"Refusal": _ERROR}
    paths: dict[str, dict[str, object]] = {}
    for call in (*CALLS, *STREAMS):
        if call.body:
            schemas[call.body.__name__] = _schema(call.body)
        paths.setdefault(_path(call), {})[call.method.lower()] = operation(call)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Palaver",
            "version": __version__,
            "description": "What the dashboard asks the bus. Every call needs a session token in its header; "
            "what writes, writes as the person.",
        },
        "servers": [{"url": "/"}],
        "security": [{"session": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"session": {"type": "http", "scheme": "bearer"}},
        },
    }


def operation(call: Call) -> dict[str, object]:
    """Return what the document says of one call."""
    parameters: list[dict[str, object]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": about,
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._~:-]*$", "maxLength": 100},
        }
        for name, about in call.places.items()
    ]
    parameters += [
        {"name": each.name, "in": "query", "description": each.about, "schema": each.schema()}
        for each in call.parameters
    ]
    content = {call.media: {} if call.media != "application/json" else {"schema": {"type": "object"}}}
    refused = {"description": "A refusal", "content": {"application/json": {"schema": _ref("Refusal")}}}
    told: dict[str, object] = {
        "operationId": f"{call.method.lower()}{re.sub(r'[^a-z]+', '_', _path(call))}".strip("_"),
        "summary": call.about.partition(";")[0].rstrip("."),
        "description": call.about,
        "parameters": [*parameters, _KEY] if call.status == 201 else parameters,
        "responses": {
            str(call.status): {"description": "Done", "content": content},
            "4XX": refused,
            "503": refused,
            "507": refused,
        },
    }
    if call.body:
        told["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _ref(call.body.__name__)}},
        }
    return told


def _path(call: Call) -> str:
    return call.path.replace(":path}", "}")


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _schema(body: type[msgspec.Struct]) -> object:
    _, found = msgspec.json.schema_components([body], ref_template="#/components/schemas/{name}")
    return found[body.__name__]
