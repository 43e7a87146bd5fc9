"""The page of operations: what can be asked of a bus, by Python, by command and over HTTP."""

from palaver.api import OPERATIONS
from palaver.bus.operations.operation import Operation
from palaver.bus.operations.request import RequestField
from palaver.web.routes import CALLS, NOT_OFFERED
from tools.docs import page

_LEAD = (
    "Every operation of a bus: a method of `palaver.Bus`, and the base of the commands and of the HTTP API. "
    "A field without a default is required. A write takes a `key`: the same key of the same agent again does "
    "nothing more."
)


def operations_page() -> str:
    """Return the page of all operations, in the order of the table."""
    sections = [_section(name, operation) for name, operation in OPERATIONS.items()]
    return page("Operations", _LEAD, sections)


def _section(name: str, operation: Operation[..., object]) -> str:
    calls = [call for call in CALLS if call.operation == name]
    http = ", ".join(f"`{call.method} {call.path.replace(':path}', '}')}`" for call in calls)
    lines = [f"## {name}", "", operation.summary, "", f"HTTP: {http or NOT_OFFERED[name]}."]
    if operation.fields:
        lines += ["", "| field | type | default | what it is |", "|---|---|---|---|"]
        lines += [_row(field) for field in operation.fields.values()]
    return "\n".join(lines)


def _row(field: RequestField) -> str:
    default = "" if field.is_required else f"`{field.default!r}`"
    return f"| `{field.name}` | {_type(field)} | {default} | {field.description} |"


def _type(field: RequestField) -> str:
    low, high, longest = (field.schema.get(name) for name in ("minimum", "maximum", "maxLength"))
    bounds = f", {low} to {high}" if low is not None and high is not None else ""
    bounds += f", at most {longest} characters" if longest is not None else ""
    return field.kind + bounds
