"""The fields that every translation keeps, and which of them a dialect's own words do not bring back.

A renderer writes a message in the words of its dialect, parses the result, and asks `missing_fields` what was
lost. It writes exactly those fields beside the text, where its dialect has a place for them, and the parser
restores them with `with_fields`. So a plain message is the protocol's own line, byte for byte, and every
other message survives a round trip.
"""

import json
from collections.abc import Mapping

from palaver.model.message import Message

#: Name beside the text → attribute of the message. These fields, and only these, survive every translation.
FIELDS = {
    "act": "act",
    "from": "sender",
    "to": "to",
    "task": "task",
    "subject": "subject",
    "body": "body",
    "priority": "priority",
    "re": "reply_to",
    "reasoning": "reasoning",
    "run": "run",
    "files": "files",
    "artifacts": "artifacts",
    "meta": "meta",
    "tag": "tag",
}
_TEXTS = frozenset(FIELDS) - {"to", "files", "artifacts", "meta"}


def missing_fields(wanted: Message, found: Message) -> dict[str, object]:
    """Return every field of `wanted` that `found` does not bring back."""
    return {
        name: value
        for name, attribute in FIELDS.items()
        if getattr(found, attribute) != (value := getattr(wanted, attribute))
    }


def with_fields(message: Message, fields: Mapping[str, object]) -> tuple[Message, list[str]]:
    """Return the message with these fields, and the names of those that cannot be used and were left out."""
    usable = {FIELDS[name]: value for name, value in fields.items() if is_usable(name, value)}
    unusable = [name for name, value in fields.items() if not is_usable(name, value)]
    return message.replace(**usable) if usable else message, unusable


def is_usable(name: str, value: object) -> bool:
    """Return True if a field of this name may have this value."""
    if name in _TEXTS:
        return type(value) is str
    if name == "meta":
        return type(value) is dict and _is_plain(value)
    if name not in FIELDS or type(value) is not list:
        return False
    kind = dict if name == "files" else str
    return all(type(item) is kind for item in value) and _is_plain(value)


def _is_plain(value: object) -> bool:
    """Return True if a value can be written as JSON: finite numbers, whole characters, bounded depth."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
