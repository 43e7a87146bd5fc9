r"""Fields for which runbus has no key: additional front matter, `palaver-<field>`.

    palaver-to: ["bob"]
    palaver-priority: urgent
    palaver-subject: "Two\nlines"

A text that is one printable line is written as it is; any other value is JSON.
"""

from contextlib import suppress

from palaver.dialects.runbus.grammar import BAD_NAME, BESIDE
from palaver.dialects.shared.pieces import Problem
from palaver.dialects.shared.translation import FIELDS, STRUCTURED, restore, trusted_fields
from palaver.model.message import Message
from palaver.model.mounted_files import Provenance
from palaver.model.plain import dumps, has_hidden
from palaver.model.strict_json import NotAnObject, loads_object


def line(name: str, value: object) -> str:
    """Return the line of front matter for a field."""
    if isinstance(value, str) and _is_plain(value):
        return f"{BESIDE}{name}: {value}"
    return f"{BESIDE}{name}: {dumps(value)}"


def restore_fields(
    message: Message, beside: dict[str, str], problems: list[Problem], provenance: Provenance
) -> Message:
    """Return the message with these fields; those that cannot be used are reported and go into `meta`."""
    if provenance is Provenance.NONE:
        return message
    values: dict[str, object] = {}
    for name, text in beside.items():
        with suppress(NotAnObject):
            values[name] = _value(name, text)
    trusted = trusted_fields(values, message, provenance, implied=["to"])
    restored, unusable = restore(message, trusted, bad_name=BAD_NAME, crowd="RUN012")
    odd = [name for name in beside if name not in values or name in unusable]
    if not odd:
        return restored
    fix = f"leave it out; the fields are {', '.join(FIELDS)}"
    problems += [Problem("RUN028", f"{BESIDE}{name} cannot be used", fix) for name in odd]
    return restored.replace(meta={**restored.meta, **{f"{BESIDE}{name}": beside[name] for name in odd}})


def _is_plain(text: str) -> bool:
    is_line = bool(text) and text == text.strip() and "\n" not in text and not has_hidden(text)
    return is_line and text[0] not in "\"'[{"


def _value(name: str, text: str) -> object:
    """Return the value of a field, or raise `NotAnObject`."""
    if name not in STRUCTURED and text[:1] != '"':
        return text
    found = loads_object(b'{"value":%s}' % text.encode())
    if len(found) != 1:
        raise NotAnObject(text)
    return found["value"]
