"""`runs/RUN/artifacts/review-packet.md`: every review of a run, one after the other, as people read them."""

import os
import re
from typing import Final

from palaver.bus.root import Root
from palaver.model.message import Message

_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PACKET: Final = "artifacts/review-packet.md"


def run_of(written: str) -> str:
    """Return the run that a review belongs to: the one that is named, else the one that this process is."""
    return written or os.environ.get("RUN_ID", "")


def leave(root: Root, message: Message) -> str:
    """Add a review to the packet of its run; return where it stands, nothing if there is no such run."""
    if not _RUN.fullmatch(message.run):
        return ""
    home = os.path.dirname(root.path)
    for runs in (os.environ.get("RUNS_DIR", ""), f"{home}/runs"):
        folder = f"{runs}/{message.run}"
        if runs and os.path.isdir(folder):
            return _add(f"{folder}/{_PACKET}", message)
    return ""


def _add(path: str, message: Message) -> str:
    """Append in one write, so that reviewers who write at the same moment do not mix."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        head = f"# Review packet: {message.run}\n\n" if not os.fstat(fd).st_size else ""
        about = f", {message.task}" if message.task else ""
        said = f"{head}## {message.sender}, {message.at}{about}\n\n{message.body}\n\n({message.id})\n\n"
        os.write(fd, said.encode())
        os.fsync(fd)
    finally:
        os.close(fd)
    return path
