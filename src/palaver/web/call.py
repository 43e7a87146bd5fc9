"""A call of the HTTP API: one row of a table, from which the route, the checks and the document are made.

Most calls are an operation of the bus: its fields become words of the path, parameters or the body, with the
bounds and descriptions that the operation has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from starlette.requests import Request

from palaver.api import Bus
from palaver.bus.operations.operation import Operation
from palaver.bus.operations.request import RequestField
from palaver.model.errors import BadArguments
from palaver.model.limits import WEB_BODY_BYTES
from palaver.model.masking.masks import clip
from palaver.model.strict_json import NotAnObject, loads_object

P = ParamSpec("P")
R = TypeVar("R")
Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Repeated:
    """What was answered before: the key of the request was used for the same request."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One thing that can be asked for."""

    method: str
    path: str
    about: str
    answer: Callable[[Bus, Values], object]
    #: The fields by the names that they have here.
    fields: Mapping[str, RequestField] = field(default_factory=dict)
    status: int = 200
    #: What the answer is, if it is not JSON.
    media: str = "application/json"
    #: Whether the Idempotency-Key of the request is used.
    keyed: bool = False
    #: The operation that it runs, if it is one.
    operation: str = ""

    @property
    def writes(self) -> bool:
        """Return True if it may change something."""
        return self.method == "POST"

    @property
    def in_path(self) -> dict[str, RequestField]:
        """Return the fields that are words of the path."""
        plain = self.path.replace(":path}", "}")
        return {name: each for name, each in self.fields.items() if f"{{{name}}}" in plain}

    @property
    def others(self) -> dict[str, RequestField]:
        """Return the fields that are parameters of the query, or of the body if it writes."""
        return {name: each for name, each in self.fields.items() if name not in self.in_path}


def call(
    method: str,
    path: str,
    operation: Operation[P, R],
    show: Callable[[R], object],
    *,
    names: Mapping[str, str] | None = None,
    bounds: Mapping[str, RequestField] | None = None,
    own: Mapping[str, object] | None = None,
    status: int = 200,
) -> Call:
    """Return the call of an operation.

    `names` has the names of fields that are called otherwise here, `bounds` fields with other bounds, `own`
    the fields that the call itself fills in.
    """
    given, here = own or {}, names or {}
    public = {each.name: each for each in operation.fields.values() if each.is_public}
    keyed = "key" in public
    fields = {
        here.get(name, name): (bounds or {}).get(name, each)
        for name, each in public.items()
        if name not in given and name != "key"
    }
    real = {here.get(name, name): name for name in public}
    # Here one value, for the operation a list.
    single = [name for name in bounds or {} if public[name].kind == "array"]

    def answer(bus: Bus, values: Values) -> object:
        wanted = {real[name]: value for name, value in values.items()}
        wanted |= {name: [wanted[name]] for name in single}
        answer = operation.answer(bus.session, {**wanted, **given})
        shown = show(answer.result)
        return Repeated(shown) if answer.is_repeat else shown

    return Call(
        method=method,
        path=path,
        about=operation.summary,
        answer=answer,
        fields=fields,
        status=status,
        keyed=keyed and method == "POST",
        operation=operation.name,
    )


async def read_request(call: Call, request: Request) -> Values:
    """Return the fields of a request, or refuse it."""
    query = request.query_params
    names = [name for name, _ in query.multi_items()]
    known = {} if call.writes else call.others
    for name in names:
        if name not in known or names.count(name) > 1:
            why = "it is given twice" if name in known else "there is no such parameter"
            raise BadArguments(
                f"cannot use {clip(name, 40)!r}", why, f"use {', '.join(sorted(known)) or 'none'}"
            )
    values: Values = {name: known[name].parse(name, text) for name, text in query.items()}
    values |= {name: each.parse(name, request.path_params[name]) for name, each in call.in_path.items()}
    if call.writes:
        values |= _body(call, await _content(request))
    if call.keyed:
        values["key"] = request.headers.get("idempotency-key", "")
    return values


class Oversized(Exception):
    """Raised when a body turns out to be longer than it may be."""


async def _content(request: Request) -> bytes:
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > WEB_BODY_BYTES:
            raise Oversized
    return bytes(content)


def _body(call: Call, content: bytes) -> Values:
    if not content:
        raise BadArguments("the body is empty", "this call takes a JSON object", "send at least {}")
    try:
        values = loads_object(content)
    except NotAnObject as wrong:
        raise BadArguments("cannot read the body", str(wrong), "send one JSON object") from wrong
    if unknown := values.keys() - call.others.keys():
        named = ", ".join(map(repr, sorted(unknown)))
        way_out = f"use {', '.join(call.others) or '{}'}"
        raise BadArguments("cannot use the body", f"there is no field {clip(named, 80)}", way_out)
    return dict(values)
