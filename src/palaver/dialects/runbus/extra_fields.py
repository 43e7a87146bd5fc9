r"""Fields for which runbus has no key: additional front matter, `palaver-<field>`.

    palaver-to: ["bob"]
    palaver-priority: urgent
    palaver-subject: "Two\nlines"

A text that is one printable line is written as it is; any other value is JSON.
"""

from typing import Final

from palaver.dialects.runbus.grammar import BAD_NAME, BESIDE, ODD_FIELD, TOO_MANY
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.shared.translation import FIELDS, with_fields
from palaver.model.errors import BadName
from palaver.model.limits import RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, Message
from palaver.model.names import address
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object

_STRUCTURED: Final = frozenset(["to", "files", "artifacts", "meta"])
_CLOSED: Final = {"act": frozenset(ACTS), "priority": frozenset(PRIORITIES)}


def line(name: str, value: object) -> str:
    """Return the line of front matter for a field."""
    if isinstance(value, str) and _is_plain(value):
        return f"{BESIDE}{name}: {value}"
    return f"{BESIDE}{name}: {dumps(value)}"


def restore(message: Message, beside: dict[str, str], problems: list[Problem]) -> Message:
    """Return the message with these fields; those that cannot be used are reported and go into `meta`."""
    values: dict[str, object] = {}
    for name, text in beside.items():
        try:
            values[name] = _checked(name, _value(name, text))
        except ValueError:
            continue
    restored, unusable = with_fields(message, values)
    odd = [name for name in beside if name not in values or name in unusable]
    if not odd:
        return restored
    fix = f"leave it out; the fields are {', '.join(FIELDS)}"
    problems += [Problem(ODD_FIELD, f"{BESIDE}{name} cannot be used", fix) for name in odd]
    return with_fields(
        restored, {"meta": {**restored.meta, **{f"{BESIDE}{name}": beside[name] for name in odd}}}
    )[0]


def canonical_name(text: str) -> str:
    """Return the canonical form of an address, or raise `Unreadable`."""
    try:
        return address(text)
    except BadName as fault:
        raise Unreadable(BAD_NAME, f"{fault.what}: {fault.why}", fault.way_out) from fault


def _is_plain(text: str) -> bool:
    return bool(text) and text.isprintable() and text == text.strip() and text[0] not in "\"'[{"


def _value(name: str, text: str) -> object:
    if name not in _STRUCTURED and text[:1] != '"':
        return text
    try:
        found = loads_object(b'{"value":%s}' % text.encode())
    except NotAnObject as fault:
        raise ValueError(name) from fault
    if len(found) != 1:
        raise ValueError(name)
    return found["value"]


def _checked(name: str, value: object) -> object:
    if name in _CLOSED and value not in _CLOSED[name]:
        raise ValueError(name)
    if name == "from" and isinstance(value, str):
        return canonical_name(value) if value else value
    if name == "to" and isinstance(value, list):
        if len(value) > RECIPIENTS:
            raise Unreadable(
                TOO_MANY, f"it has {len(value)} recipients", f"name at most {RECIPIENTS}, or a list"
            )
        return [canonical_name(each) if isinstance(each, str) else each for each in value]
    return value
