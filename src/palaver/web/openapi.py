"""The API as an OpenAPI 3.1 document, made from the same table as the routes."""

import re
from typing import Final

from palaver import __version__
from palaver.bus.operations.request import RequestField
from palaver.model.limits import KEY_CHARS
from palaver.web.call import Call
from palaver.web.responses import STATUS
from palaver.web.routes import CALLS, SIGN_IN, STREAMS

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
#: What every call can be refused with, and what only one that writes.
_ALWAYS: Final = (400, 401, 403, 404, 408, 414, 429, 431, 500, 503)
_WRITING: Final = (409, 413, 415, 507)
_OTHERS: Final = {400: "any other code of the list of errors", 414: "head-too-large"}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Your own name for this request: asking again does nothing more.",
    "schema": {"type": "string", "maxLength": KEY_CHARS},
}


def document() -> dict[str, object]:
    """Return the document."""
    paths: dict[str, dict[str, object]] = {}
    for call in (*CALLS, *STREAMS, SIGN_IN):
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
            "responses": {f"Refused{status}": _refused(status) for status in (*_ALWAYS, *_WRITING)},
            "securitySchemes": {
                "session": {"type": "http", "scheme": "bearer", "description": "what /api/session answers"},
                "sign_in": {"type": "http", "scheme": "bearer", "description": "the token of a sign-in link"},
            },
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
            "schema": {
                "type": "string",
                "pattern": "^[A-Za-z0-9][A-Za-z0-9._~:-]*$",
                "maxLength": field.schema.get("maxLength", 100),
            },
        }
        for name, field in call.in_path.items()
    ]
    if not call.writes:
        parameters += [
            {"name": name, "in": "query", "description": field.description, "schema": _schema(field)}
            for name, field in call.others.items()
        ]
    content = {call.media: {} if call.media != "application/json" else {"schema": {"type": "object"}}}
    done: dict[int, object] = {call.status: {"description": "Done", "content": content}}
    if call.keyed and call.status != 200:
        done[200] = {"description": "Done before, under the same Idempotency-Key", "content": content}
    refused = (*_ALWAYS, *(_WRITING if call.writes else ()))
    described: dict[str, object] = {
        "operationId": f"{call.method.lower()}{re.sub(r'[^a-z]+', '_', _path(call))}".strip("_"),
        "summary": call.about.partition(";")[0].rstrip("."),
        "description": call.about,
        "parameters": [*parameters, _KEY] if call.keyed else parameters,
        "responses": {
            **{str(status): response for status, response in sorted(done.items())},
            **{
                str(status): {"$ref": f"#/components/responses/Refused{status}"} for status in sorted(refused)
            },
        },
    }
    if call is SIGN_IN:
        described["security"] = [{"sign_in": []}]
    if call.writes:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(call)}},
        }
    return described


def _refused(status: int) -> dict[str, object]:
    """Return the response with a status: the codes that have it, if they are not all others."""
    codes = [code for code, each in STATUS.items() if each == status]
    schema = {"$ref": "#/components/schemas/Refusal"}
    return {
        "description": f"Refused: {', '.join(codes) or _OTHERS[status]}",
        "content": {"application/json": {"schema": schema}},
    }


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
    if field.is_required and "pattern" in schema:
        schema["minLength"] = 1
    if field.is_nullable:
        schema["type"] = [field.kind, "null"]
        if field.choices:
            schema["enum"] = [*field.choices, None]
    return schema if field.is_required or field.default == () else {**schema, "default": field.default}


def _path(call: Call) -> str:
    return call.path.replace(":path}", "}")
