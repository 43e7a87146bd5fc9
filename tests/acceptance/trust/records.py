"""The log as bytes: one record a line, with a checksum and the hash of the line before."""

import hashlib
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
