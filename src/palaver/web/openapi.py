"""The API as an OpenAPI 3.1 document, made from the same table as the routes."""

import re
from typing import Final

from palaver import __version__
from palaver.bus.operations.request import RequestField
from palaver.web.call import Call
from palaver.web.routes import CALLS, STREAMS

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
    paths: dict[str, dict[str, object]] = {}
    for call in (*CALLS, *STREAMS):
        paths.setdefault(_path(call), {})[call.method.lower()] = operation(call)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Palaver",
            "version": __version__,
            "description": "The operations of a bus over HTTP. Every call needs a session token in its "
            "header; what writes, writes as the person.",
        },
        "servers": [{"url": "/"}],
        "security": [{"session": []}],
        "paths": paths,
        "components": {
            "schemas": {"Refusal": _ERROR},
            "securitySchemes": {"session": {"type": "http", "scheme": "bearer"}},
        },
    }


def operation(call: Call) -> dict[str, object]:
    """Return the part of the document on one call."""
    parameters: list[dict[str, object]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": field.description,
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._~:-]*$", "maxLength": 100},
        }
        for name, field in call.in_path.items()
    ]
    if not call.writes:
        parameters += [
            {"name": name, "in": "query", "description": field.description, "schema": _schema(field)}
            for name, field in call.others.items()
        ]
    content = {call.media: {} if call.media != "application/json" else {"schema": {"type": "object"}}}
    schema = {"$ref": "#/components/schemas/Refusal"}
    refused = {"description": "A refusal", "content": {"application/json": {"schema": schema}}}
    described: dict[str, object] = {
        "operationId": f"{call.method.lower()}{re.sub(r'[^a-z]+', '_', _path(call))}".strip("_"),
        "summary": call.about.partition(";")[0].rstrip("."),
        "description": call.about,
        "parameters": [*parameters, _KEY] if call.keyed else parameters,
        "responses": {
            str(call.status): {"description": "Done", "content": content},
            "4XX": refused,
            "503": refused,
            "507": refused,
        },
    }
    if call.writes:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(call)}},
        }
    return described


def _body(call: Call) -> dict[str, object]:
    required = [name for name, field in call.others.items() if field.is_required]
    return {
        "type": "object",
        "properties": {name: _schema(field) for name, field in call.others.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _schema(field: RequestField) -> dict[str, object]:
    schema = {name: value for name, value in field.schema.items() if name != "title"}
    return (
        schema if field.is_required or field.default in (None, ()) else {**schema, "default": field.default}
    )


def _path(call: Call) -> str:
    return call.path.replace(":path}", "}")
