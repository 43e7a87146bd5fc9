"""Small files that say what holds now, and that the bus and others both write: put into place as a whole.

The log hears first what will stand there (`file.projected`); who reads it then knows it for ours. Nothing is
replaced that is not in the log yet.
"""

import os

from palaver.bus.session import Session
from palaver.model.limits import LINE_BYTES
from palaver.sync.foreign_file import Unfit, open_to_read, read_span
from palaver.sync.intake.file_events import FilePlace, draft, hashed
from palaver.sync.intake.mount_intake import MountIntake
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import replacement
from palaver.sync.report import Report
from palaver.views.files import sources

#: What a file is known by that is not there any more.
GONE = "gone"


def news(intake: MountIntake, file: str, path: str) -> tuple[bytes, FilePlace] | None:
    """Return what a file says anew; nothing if it says what it said, or what we put there."""
    fd, found = open_to_read(path)
    try:
        mark = f"{found.st_ino}:{found.st_mtime_ns}"
        source = intake.sources.get(file)
        if source is not None and source.mark == mark:
            return None
        content = os.pread(fd, LINE_BYTES + 1, 0)
        sha = hashed(content)
        if source is not None and source.gen and source.sha == sha and source.mark != GONE:
            return None
        gen = source.gen + 1 if source else 1
        place = FilePlace(mount=intake.mounted.name, file=file, gen=gen, mark=mark, history=intake.history)
        if source is None or source.intent != sha:
            # The bytes are made safe before the log speaks of them.
            os.fdatasync(fd)
            return content, place
        os.fdatasync(fd)
        intake.batch.drafts.append(draft("file.kept", {}, place.src(0, found.st_size, sha)))
        intake.report.confirmed += 1
        return None
    finally:
        os.close(fd)


class Placing:
    """Puts small files of one mount into place."""

    def __init__(self, core: Session, mounted: MountPoint, report: Report) -> None:
        """Take the bus, the mount, and where to say what was done."""
        self._core = core
        self._mounted = mounted
        self._report = report

    def standing(self, file: str, source: sources.KnownFile | None) -> tuple[bytes, bool] | None:
        """Return what stands in a file, and whether it is there; None while it must be left alone."""
        try:
            content, found = read_span(self._mounted.full(file), 0, LINE_BYTES)
        except FileNotFoundError:
            return b"", False
        except Unfit:
            # The pass has said so.
            return None
        if source is None or not source.gen or source.sha != hashed(content) or len(content) != found.st_size:
            # It says something that is not in the log yet.
            self._report.unsettled = True
            return None
        return content, True

    def put(self, file: str, content: bytes, standing: tuple[bytes, bool]) -> None:
        """Let a file say this, unless another program has saved it since it was looked at."""
        said: dict[str, object] = {"mount": self._mounted.name, "file": file, "sha": hashed(content)}
        self._core.log.append([draft("file.projected", said)])
        self._report.events += 1
        # Nothing may have an effect that the next power cut would take back.
        self._core.log.sync()
        before, is_there = standing
        root = self._core.root
        if is_there:
            done = replacement.replace(root, self._mounted, file, before, content, grows=False)
        else:
            done = replacement.create(root, self._mounted, file, content)
        self._report.written += done
