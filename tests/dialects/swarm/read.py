"""Lines for the tests of swarm: made, and read."""

import json
from typing import Final

from palaver.dialects.swarm.spec import SPEC
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Source

MOUNT: Final = Mount(dialect="swarm")
PATH: Final = "channel.jsonl"
NOON: Final = "2026-01-25T12:00:00.000Z"


def line(**fields: object) -> bytes:
    """Return a plain line from programmer to qa, with these fields changed; `sender` is its `from`."""
    six: dict[str, object] = {
        "ts": NOON,
        "from": fields.pop("sender", "programmer"),
        "to": ["@qa"],
        "type": "message",
        "reasoning": "Because.",
        "content": "Hello.",
    }
    return json.dumps(six | fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def without(field: str) -> bytes:
    """Return the plain line without one of its fields."""
    fields = json.loads(line())
    del fields[field]
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def read(content: bytes, mount: Mount = MOUNT, *, whole: bool = True) -> Parsed:
    return SPEC.parse(Source(path=PATH, content=content, mount=mount, whole=whole))


def message(content: bytes, mount: Mount = MOUNT) -> Message:
    """Return the one message of a content."""
    (found,) = read(content, mount).messages
    return found


def outcome(content: bytes, *, whole: bool = True) -> list[str]:
    """Return what became of a content, piece by piece: the kind, or why it was quarantined."""
    return [piece.reason or piece.kind for piece in read(content, whole=whole).pieces]


def codes(content: bytes) -> list[str]:
    """Return the codes of what was found, by the parser alone."""
    return [finding.code for finding in read(content).findings]


def linted(content: bytes, mount: Mount = MOUNT) -> list[str]:
    """Return the codes of what was found, by the parser and by every rule."""
    source = Source(path=PATH, content=content, mount=mount)
    parsed = SPEC.parse(source)
    findings = list(parsed.findings)
    for rule in SPEC.rules:
        findings += rule.check(source, parsed, {PATH: parsed})
    return sorted(finding.code for finding in findings)


EVENT: Final = Kind.EVENT
BLANK: Final = Kind.BLANK
PENDING: Final = Kind.PENDING
