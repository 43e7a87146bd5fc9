"""One line of an office, read as a file of its own."""

from palaver.dialects.office.spec import SPEC
from palaver.model.mounted_files import Mount, Parsed, Source

WORKER = "messages/employee-emp-a1.log"
INBOX = "messages/manager-inbox.log"
MANAGER = "emp-manager-001"
AT = "2026-02-11T10:00:00Z"


def parsed(content: str | bytes, path: str = WORKER, *, whole: bool = True) -> Parsed:
    raw = content if isinstance(content, bytes) else content.encode()
    return SPEC.parse(Source(path=path, content=raw, mount=Mount(dialect="office"), whole=whole))


def kinds(found: Parsed) -> list[str]:
    """Return every piece as its kind and, if it has one, its reason."""
    return [f"{piece.kind} {piece.reason}".strip() for piece in found.pieces]


def codes(found: Parsed) -> list[str]:
    return [finding.code for finding in found.findings]
