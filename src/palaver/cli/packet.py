"""`runs/RUN/artifacts/review-packet.md`: every review of a run, one after the other, for people."""

import os
import re
from typing import Final, NamedTuple

from palaver.bus import trust
from palaver.bus.root import Root
from palaver.files.regular import find_link, open_file
from palaver.model.errors import StorageFailed
from palaver.model.message import Message

_RUN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PACKET: Final = "artifacts/review-packet.md"


class ReviewPacket(NamedTuple):
    """The packet of one run: a trusted folder, and the path below it."""

    base: str
    path: str

    @classmethod
    def find(cls, root: Root, run: str, runs: str) -> "ReviewPacket | None":
        """Return the packet of a run that has a folder in `runs`, or in `runs/` of the project."""
        if not _RUN.fullmatch(run):
            return None
        home = os.path.dirname(root.path)
        if runs and os.path.isdir(f"{runs}/{run}"):
            return cls(runs, f"{run}/{_PACKET}")
        if not os.path.isdir(f"{home}/runs/{run}"):
            return None
        if trust.is_within(os.path.realpath(f"{home}/runs"), os.path.realpath(home)):
            return cls(f"{home}/runs", f"{run}/{_PACKET}")
        return cls(home, f"runs/{run}/{_PACKET}")

    def __str__(self) -> str:
        """Return the whole path."""
        return f"{self.base}/{self.path}"

    def refuse_link(self) -> None:
        """Refuse a packet behind a symbolic link, before anything is sent."""
        if link := find_link(self.base, self.path):
            raise self._unwritable(f"{link} is a symbolic link")

    def add(self, message: Message) -> None:
        """Append a review, in one write: reviewers that write at the same moment do not mix."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        try:
            fd = open_file(self.base, self.path, flags, 0o644, create_folders=0o777)
        except OSError as fault:
            raise self._unwritable(fault.strerror or str(fault)) from fault
        try:
            head = f"# Review packet: {message.run}\n\n" if not os.fstat(fd).st_size else ""
            about = f", {message.task}" if message.task else ""
            text = f"{head}## {message.sender}, {message.at}{about}\n\n{message.body}\n\n({message.id})\n\n"
            os.write(fd, text.encode())
            os.fsync(fd)
        finally:
            os.close(fd)

    def _unwritable(self, why: str) -> StorageFailed:
        return StorageFailed(
            f"cannot add the review to {self}", why, "replace it with a plain folder or file"
        )
