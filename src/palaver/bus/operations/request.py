"""Requests: the fields of an operation, and the check of a request against them.

A field is described by its JSON schema, which msgspec derives from the annotated type. The faces read the
schema for their options, parameters and documents. Refusals: `too-large` for a text or list that is too long,
`bad-arguments` for everything else.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import get_args

import msgspec

from palaver.bus.mail.message_check import harmless, secret_found
from palaver.model.errors import BadArguments, Refusal, TooLarge
from palaver.model.secrets import mask_value

#: In the metadata of a type: only the Python API has the field.
PYTHON_ONLY = "python-only"
#: In the metadata of a type: the field names the agent that acts. The faces know it from the session.
SPEAKER = "speaker"
_NUMBERS = ("integer", "number")


# How fields are called in a sentence, if it is not by their names.
_LABELS = {"about": "description", "by": "sender", "agent": "name", "listed": "list"}


class RequestField:
    """One field of a request."""

    def __init__(self, name: str, hint: object, *, default: object) -> None:
        """Take the name, the annotated type, and the default (`msgspec.NODEFAULT` if it is required)."""
        self.name = name
        self.hint = hint
        self.default = default
        marks = {
            mark for meta in get_args(hint) if isinstance(meta, msgspec.Meta) for mark in meta.extra or ()
        }
        self.is_speaker = SPEAKER in marks
        self.is_public = not marks & {SPEAKER, PYTHON_ONLY}

    @property
    def is_required(self) -> bool:
        """Return True if the field has no default."""
        return self.default is msgspec.NODEFAULT

    @property
    def definition(self) -> tuple[str, object] | tuple[str, object, object]:
        """Return the field as msgspec defines it."""
        return (self.name, self.hint) if self.is_required else (self.name, self.hint, self.default)

    @cached_property
    def _whole_schema(self) -> dict[str, object]:
        return msgspec.json.schema(self.hint, schema_hook=lambda _: {"title": "any value"})

    @cached_property
    def schema(self) -> dict[str, object]:
        """Return the JSON schema of the value, without the alternative `null`."""
        schema = dict(self._whole_schema)
        options = schema.get("anyOf")
        if isinstance(options, list):
            real = [option for option in options if option != {"type": "null"}]
            if len(real) == 1:
                del schema["anyOf"]
                return {**real[0], **schema}
        return schema

    @cached_property
    def is_nullable(self) -> bool:
        """Return True if the value may be null."""
        options = self._whole_schema.get("anyOf")
        return isinstance(options, list) and {"type": "null"} in options

    @property
    def description(self) -> str:
        """Return the help text."""
        return str(self.schema.get("description", ""))

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """Return the values that are allowed, if they are listed."""
        listed = self.schema.get("enum", ())
        return tuple(map(str, listed)) if isinstance(listed, list) else ()

    @cached_property
    def kind(self) -> str:
        """Return the JSON type: string, integer, number, boolean, array or object."""
        return str(self.schema.get("type", "array" if "anyOf" in self.schema else "string"))

    def parse(self, label: str, text: str) -> object:
        """Return the value that a text stands for, on a command line or in a query; or refuse."""
        value: object = text
        if self.kind == "integer":
            digits = text.removeprefix("-")
            value = int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 19 else text
        elif self.kind == "number":
            try:
                value = float(text)
            except ValueError:
                value = text
        elif self.kind == "boolean":
            value = {"true": True, "yes": True, "false": False, "no": False}.get(text, text)
        self.check(value, label)
        return value

    def check(self, value: object, label: str = "") -> None:
        """Refuse a value that is of another type or out of bounds."""
        if self.choices and isinstance(value, str) and value not in self.choices:
            raise self.refusal(value, label or self.name)
        try:
            msgspec.convert(value, self.hint)
        except msgspec.ValidationError as wrong:
            raise self.refusal(value, label or self.name) from wrong

    def refusal(self, value: object, label: str) -> Refusal:
        """Return the refusal of a value."""
        is_text = isinstance(value, str)
        longest = self.schema.get("maxLength" if is_text else "maxItems")
        if isinstance(longest, int) and isinstance(value, str | list) and len(value) > longest:
            unit = "characters" if is_text else "items"
            return TooLarge(f"{label} is too long", f"it has {len(value)} {unit}", f"use at most {longest}")
        shown = f"{value!r}" if len(repr(value)) <= 60 else type(value).__name__
        way_out = f"use {self._example}: {self.description}"
        return BadArguments(f"cannot use {label} {shown}", f"it must be {self.expected}", way_out)

    @property
    def _example(self) -> str:
        """Return a value, as it is written on a command line or in JSON."""
        if self.choices:
            return self.choices[0]
        low, high = self.schema.get("minimum", 0), self.schema.get("maximum", 20)
        assert isinstance(low, int | float)
        assert isinstance(high, int | float)
        number = f"{max(low, min(20, high)):g}"
        texts = {"boolean": "true", "array": 'a list such as ["one", "two"]', "object": "an object"}
        return texts.get(self.kind, f"a number such as {number}" if self.kind in _NUMBERS else "a text")

    @property
    def expected(self) -> str:
        """Return in words what a value must be."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        words = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}
        words |= {"array": "a list of texts", "object": "an object", "string": "a text"}
        low, high = self.schema.get("minimum"), self.schema.get("maximum")
        bounds = (
            f" between {low} and {high}".replace(".0", "") if low is not None and high is not None else ""
        )
        return words.get(self.kind, self.kind) + bounds


def validate(
    name: str, request: type[msgspec.Struct], fields: Mapping[str, RequestField], given: dict[str, object]
) -> dict[str, object]:
    """Return the checked values of a request, defaults included; or refuse the first that is wrong."""
    try:
        converted = msgspec.convert(given, request)
    except msgspec.ValidationError as wrong:
        raise _refused(name, fields, given) from wrong
    values = msgspec.structs.asdict(converted)
    for field in fields.values():
        if field.choices:
            field.check(values[field.name])
    return values


def refuse_secrets(values: Mapping[str, object]) -> None:
    """Refuse a request that would store a secret in one of its fields, or in the name of one."""
    if "allow_secret" in values:
        # The check of the message decides, and says how to send it anyway.
        return
    for field, value in values.items():
        label = _LABELS.get(field, field.replace("_", " "))
        if isinstance(value, str):
            harmless(value, label)
        elif families := mask_value(value)[1]:
            raise secret_found(label, families[0])


def _refused(name: str, fields: Mapping[str, RequestField], given: Mapping[str, object]) -> Refusal:
    for field in fields.values():
        if field.name not in given:
            if field.is_required:
                return BadArguments(f"cannot {name}", f"{field.name} is missing", field.description)
            continue
        try:
            field.check(given[field.name])
        except Refusal as refused:
            return refused
    unknown = ", ".join(map(repr, given.keys() - fields.keys()))
    return BadArguments(f"cannot {name}", f"{unknown} is not a field", f"use {', '.join(fields)}")
