"""The log as bytes: one record a line, with a checksum and the hash of the line before."""

import hashlib
import json
import zlib
from pathlib import Path

from tests.acceptance.project import Project


def segments(project: Project) -> list[Path]:
    return sorted((project.root / "log").glob("*.jsonl"))


def cut_last_lines(project: Project, count: int) -> None:
    """Take the newest records away, as if they had never been written."""
    newest = segments(project)[-1]
    lines = newest.read_bytes().splitlines(keepends=True)
    newest.write_bytes(b"".join(lines[:-count]))


def rewrite(project: Project, old: bytes, new: bytes) -> None:
    """Change a text in the log, and recompute every checksum and every link behind it."""
    for path in segments(project):
        lines = path.read_bytes().split(b"\n")[:-1]
        rewritten: list[bytes] = []
        for line in lines:
            head = line[: line.rindex(b',"crc":"')].replace(old, new)
            if rewritten:
                link = hashlib.blake2b(rewritten[-1], digest_size=16).hexdigest().encode()
                start = head.rindex(b'"prev":"') + len(b'"prev":"')
                head = head[:start] + link + b'"'
            rewritten.append(b'%b,"crc":"%08x"}' % (head, zlib.crc32(head)))
        path.write_bytes(b"".join(line + b"\n" for line in rewritten))


def change_as_redaction(project: Project, number: int, data: dict[str, object]) -> None:
    """Change a record, and append the event by which a redaction announces such a change."""
    [path] = segments(project)
    lines = path.read_bytes().split(b"\n")[:-1]
    was = lines[number - 1]
    fields = json.loads(was)
    fields["data"] = {**fields["data"], **data}
    lines[number - 1] = _sealed(fields)
    hashes = {"was": _hash(was), "now": _hash(lines[number - 1])}
    announcement = {
        "v": 1,
        "seq": len(lines) + 1,
        "event_id": "evt-aaaaaaaaaaaa",
        "event_type": "log.redacted",
        "timestamp": "2026-01-25T23:45:00.000Z",
        "actor": "ada",
        "auth": "claimed",
        "data": {"seq": number, **hashes, "reason": ""},
        "prev": _hash(lines[-1]),
    }
    path.write_bytes(b"\n".join([*lines, _sealed(announcement), b""]))


def _sealed(fields: dict[str, object]) -> bytes:
    """Return a record with its checksum."""
    fields.pop("crc", None)
    head = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()[:-1]
    return b'%b,"crc":"%08x"}' % (head, zlib.crc32(head))


def _hash(line: bytes) -> str:
    return hashlib.blake2b(line, digest_size=16).hexdigest()
