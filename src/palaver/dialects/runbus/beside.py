r"""Fields that runbus has no word for: further front matter, `palaver-<field>`.

    palaver-to: ["bob"]
    palaver-priority: urgent
    palaver-subject: "Two\nlines"

A text that is one printable line stands as it is; any other value is JSON.
"""

from typing import Final

from palaver.dialects.runbus.grammar import BAD_NAME, BESIDE, ODD_FIELD, TOO_MANY
from palaver.dialects.runbus.notes import Notes, Wrong
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
    """Return the line of front matter that holds a field."""
    if isinstance(value, str) and _plain(value):
        return f"{BESIDE}{name}: {value}"
    return f"{BESIDE}{name}: {dumps(value)}"


def put_back(message: Message, beside: dict[str, str], notes: Notes) -> None:
    """Put the fields beside a text into its message; what cannot be used stays with it as meta."""
    values: dict[str, object] = {}
    odd: list[str] = []
    for name, text in beside.items():
        try:
            values[name] = _checked(name, _value(name, text))
        except ValueError:
            odd.append(name)
    completed, unusable = with_fields(message, values)
    for slot in Message.__slots__:
        setattr(message, slot, getattr(completed, slot))
    odd += unusable
    for name in odd:
        way_out = f"leave it out; there are {', '.join(FIELDS)}"
        notes.note(ODD_FIELD, f"{BESIDE}{name} cannot be used", way_out)
        message.meta = {**message.meta, f"{BESIDE}{name}": beside[name]}


def named(text: str) -> str:
    """Return the canonical form of an address, or raise `Wrong`."""
    try:
        return address(text)
    except BadName as refusal:
        raise Wrong(BAD_NAME, f"{refusal.what}: {refusal.why}", refusal.way_out) from refusal


def _plain(text: str) -> bool:
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
        return named(value) if value else value
    if name == "to" and isinstance(value, list):
        if len(value) > RECIPIENTS:
            raise Wrong(TOO_MANY, f"{len(value)} recipients", f"name at most {RECIPIENTS}, or a list")
        return [named(each) if isinstance(each, str) else each for each in value]
    return value
