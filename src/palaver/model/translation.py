"""What must travel beside a text so that nothing is lost: the fields that a dialect's own parse lacks.

A renderer writes a message in its dialect's words, parses that, and asks `lacking` what is missing; it
writes that too, in the place its dialect has for it, and the parser puts it back with `completed`. So
the seeds' own lines come out byte for byte, and every other message comes back as it was.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.message import Message

#: Name beside the text → attribute of the message. These, and only these, must survive every translation.
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


def lacking(wanted: Message, found: Message) -> dict[str, object]:
    """Return what must stand beside the text: every field that `found` does not give back as `wanted`."""
    missing: dict[str, object] = {}
    for name, attribute in FIELDS.items():
        value: object = getattr(wanted, attribute)
        if getattr(found, attribute) != value:
            missing[name] = value
    return missing


def completed(found: Message, beside: dict[str, object]) -> list[str]:
    """Put what stands beside the text into the message; return the names that cannot be used.

    A name that is not ours, or a value of the wrong type, is returned and leaves the message as it is.
    """
    unusable: list[str] = []
    for name, value in beside.items():
        attribute = FIELDS.get(name)
        if attribute is None or not _fits(name, value):
            unusable.append(name)
        else:
            setattr(found, attribute, value)
    return unusable


def same(wanted: Message, found: Message) -> bool:
    """Tell whether nothing was lost between two messages."""
    return not lacking(wanted, found)


def _fits(name: str, value: object) -> bool:
    if name in _TEXTS:
        return type(value) is str
    if name == "meta":
        return type(value) is dict and _is_plain(value)
    if type(value) is not list:
        return False
    kind = dict if name == "files" else str
    return all(type(item) is kind for item in value) and _is_plain(value)


def _is_plain(value: object) -> bool:
    """Tell whether a value can be written again: numbers that end, whole characters, not too deep."""
    # Not for texts, which most are.
    import json

    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
