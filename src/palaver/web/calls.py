"""A call of the API: one row of a table, of which the route, the checks and the OpenAPI page are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec
from starlette.requests import Request

from palaver.api import Bus
from palaver.model.errors import BadArguments
from palaver.model.limits import KEY_CHARS, WEB_BODY_BYTES
from palaver.model.strict_json import NotAnObject, loads_object

#: The largest number that a log can have.
_MOST: Final = (1 << 53) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A parameter that is a text."""

    name: str
    about: str
    choices: tuple[str, ...] = ()
    default: str = ""
    chars: int = 512

    def read(self, given: str | None) -> object:
        """Return the value, or refuse."""
        value = self.default if given is None else given
        if len(value) > self.chars:
            raise BadArguments(f"cannot use {self.name}", f"at most {self.chars} characters", "shorten it")
        if self.choices and value not in self.choices:
            raise BadArguments(
                f"cannot use {self.name}", "there is no such choice", f"use {', '.join(self.choices)}"
            )
        return value

    def schema(self) -> dict[str, object]:
        """Return its JSON schema."""
        fields: dict[str, object] = {"type": "string", "maxLength": self.chars}
        return {**fields, "enum": list(self.choices)} if self.choices else fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A parameter that is a whole number."""

    name: str
    about: str
    default: int = 0
    least: int = 0
    most: int = _MOST

    def read(self, given: str | None) -> object:
        """Return the value, or refuse."""
        if given is None:
            return self.default
        value = int(given) if given.isascii() and given.isdigit() and len(given) < 17 else -1
        if not self.least <= value <= self.most:
            why = f"it is a whole number between {self.least} and {self.most}"
            raise BadArguments(f"cannot use {self.name}", why, "give another")
        return value

    def schema(self) -> dict[str, object]:
        """Return its JSON schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most, "default": self.default}


Parameter = Word | Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, checked: the words of the path, the parameters, the body, the key."""

    bus: Bus
    path: Mapping[str, str]
    values: Mapping[str, object]
    body: object = None
    key: str = ""

    def word(self, name: str) -> str:
        """Return a parameter that is a text."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """Return a parameter that is a number."""
        value = self.values[name]
        assert type(value) is int
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One thing that can be asked for; `body` makes it one that writes."""

    method: str
    path: str
    about: str
    answer: Callable[[Asked], object]
    parameters: tuple[Parameter, ...] = ()
    body: type[msgspec.Struct] | None = None
    status: int = 200
    #: What the answer is, if it is not JSON.
    media: str = "application/json"
    #: Words of the path, with what they are.
    places: Mapping[str, str] = field(default_factory=dict)


async def asked(call: Call, request: Request, bus: Bus) -> Asked:
    """Check a request against its call."""
    query = request.query_params
    names = [name for name, _ in query.multi_items()]
    known = {parameter.name for parameter in call.parameters}
    for name in names:
        if name not in known or names.count(name) > 1:
            why = "it stands twice" if name in known else "there is no such parameter"
            raise BadArguments(f"cannot use {name[:40]!r}", why, f"use {', '.join(sorted(known)) or 'none'}")
    values = {parameter.name: parameter.read(query.get(parameter.name)) for parameter in call.parameters}
    body = _struct(call.body, await _content(request)) if call.body else None
    key = request.headers.get("idempotency-key", "")
    if len(key) > KEY_CHARS:
        raise BadArguments("cannot use the key", f"it is longer than {KEY_CHARS} characters", "use an id")
    return Asked(bus=bus, path=request.path_params, values=values, body=body, key=key)


class Oversized(Exception):
    """Raised when a body turns out to be longer than it may be."""


async def _content(request: Request) -> bytes:
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > WEB_BODY_BYTES:
            raise Oversized
    return bytes(content)


def _struct(kind: type[msgspec.Struct], content: bytes) -> msgspec.Struct:
    if not content:
        raise BadArguments("the body is empty", "this call wants a JSON object", "send at least {}")
    try:
        return msgspec.convert(loads_object(content), kind)
    except NotAnObject as wrong:
        raise BadArguments("cannot read the body", str(wrong), "send one JSON object") from wrong
    except msgspec.ValidationError as wrong:
        raise BadArguments(
            "cannot use the body", str(wrong), "the OpenAPI page says what is wanted"
        ) from wrong
