"""`runs/RUN/artifacts/review-packet.md`: every review of a run, one after the other, as people read them."""

import os
import re
from typing import Final

from palaver.bus import trust
from palaver.bus.root import Root
from palaver.files.regular import find_link, open_file
from palaver.model.errors import StorageFailed
from palaver.model.message import Message

_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PACKET: Final = "artifacts/review-packet.md"


def run_of(written: str) -> str:
    """Return the run that a review belongs to: the one that is named, else the one that this process is."""
    return written or os.environ.get("RUN_ID", "")


def leave(root: Root, message: Message) -> str:
    """Add a review to the packet of its run; return where it stands, nothing if there is no such run."""
    base, path = _locate(root, message.run)
    return _add(base, path, message) if base else ""


def refuse_link(root: Root, run: str) -> None:
    """Refuse a run whose packet is behind a symbolic link, before anything is sent."""
    base, path = _locate(root, run)
    if base and (link := find_link(base, path)):
        raise _unwritable(base, path, f"{link} is a symbolic link")


def _locate(root: Root, run: str) -> tuple[str, str]:
    """Return a trusted folder and the path of a run's packet below it; nothing if there is no such run."""
    if not _RUN.fullmatch(run):
        return "", ""
    home = os.path.dirname(root.path)
    for base, runs in ((os.environ.get("RUNS_DIR", ""), ""), (home, "runs/")):
        if base and os.path.isdir(f"{base}/{runs}{run}"):
            if runs and trust.is_within(os.path.realpath(f"{home}/runs"), os.path.realpath(home)):
                return f"{home}/runs", f"{run}/{_PACKET}"
            return base, f"{runs}{run}/{_PACKET}"
    return "", ""


def _add(base: str, path: str, message: Message) -> str:
    """Append in one write, so that reviewers who write at the same moment do not mix."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        fd = open_file(base, path, flags, 0o644, create_folders=0o777)
    except OSError as fault:
        raise _unwritable(base, path, fault.strerror or str(fault)) from fault
    try:
        head = f"# Review packet: {message.run}\n\n" if not os.fstat(fd).st_size else ""
        about = f", {message.task}" if message.task else ""
        said = f"{head}## {message.sender}, {message.at}{about}\n\n{message.body}\n\n({message.id})\n\n"
        os.write(fd, said.encode())
        os.fsync(fd)
    finally:
        os.close(fd)
    return f"{base}/{path}"


def _unwritable(base: str, path: str, why: str) -> StorageFailed:
    return StorageFailed(
        f"cannot add the review to {base}/{path}", why, "replace it with a plain folder or file"
    )
