"""Byte conservation: every byte of a file is exactly one of event, quarantined, ours, blank, pending."""

import os
from dataclasses import asdict, dataclass

from palaver.bus.session import Session
from palaver.model.limits import RUN_BYTES
from palaver.model.mounted_files import Growth, Kind, Source
from palaver.sync.foreign_file import Unfit, open_to_read, read_span
from palaver.sync.intake.file_events import hashed
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.views.files import known_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the bytes of one file count as."""

    mount: str
    file: str
    size: int
    events: int
    quarantined: int
    #: Renderings of ours, and bytes that were in the log already.
    ours: int
    blank: int
    pending: int
    findings: int
    rewritten: int
    #: Why it is not read, if it is not.
    unfit: str = ""

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return asdict(self)


def accounts(session: Session) -> tuple[list[MountPoint], list[Account]]:
    """Return the mounts, and the account of each of their files."""
    db = session.view.current()
    mounts = mount_points(session.root.path, session.view.roster().mounts)
    found: list[Account] = []
    for each in mounts:
        known = known_files.sources(db, each.name)
        for file, growth in each.listing().files:
            shown = os.fsencode(file).decode("utf-8", "backslashreplace")
            found.append(_account(each, shown, each.full(file), growth, known.get(shown)))
    return mounts, found


def _account(
    each: MountPoint, file: str, path: str, growth: Growth, source: known_files.KnownFile | None
) -> Account:
    size, unfit = 0, ""
    try:
        size = os.lstat(path).st_size
        os.close(open_to_read(path)[0])
    except Unfit as fault:
        unfit = fault.why
    except OSError as fault:
        unfit = fault.strerror or str(fault)
    if source is None or unfit or (growth is not Growth.LOG and not _is_as_read(path, source, size)):
        # Then it is not the file that was read.
        source = known_files.KnownFile(0, each.name, file)
    taken = source.events + source.quarantined + source.ours
    ending = min(source.ending, size)
    if growth is not Growth.LOG:
        ending = taken = min(size, taken)
    elif not unfit:
        # Bytes without a message may follow all that was recorded: the head of a bus file, blank lines.
        ending += _blank(each, file, path, ending, size)
    return Account(
        mount=each.name,
        file=file,
        size=size,
        events=source.events,
        quarantined=source.quarantined,
        ours=source.ours,
        blank=max(0, ending - taken),
        pending=max(0, size - ending),
        findings=source.found,
        rewritten=max(0, source.gen - 1) if growth is Growth.LOG else 0,
        unfit=unfit,
    )


def _is_as_read(path: str, source: known_files.KnownFile, size: int) -> bool:
    """Return True if a file that is read as a whole still holds what was read."""
    taken = source.events + source.quarantined + source.ours
    if taken > size:
        return False
    try:
        return hashed(read_span(path, 0, taken)[0]) == source.sha
    except (OSError, Unfit):
        return False


def _blank(each: MountPoint, file: str, path: str, start: int, size: int) -> int:
    """Return how many bytes from there on are blank, and not the beginning of an entry."""
    if not 0 < size - start <= RUN_BYTES:
        return 0
    try:
        content, _ = read_span(path, start, size - start)
    except (OSError, Unfit):
        return 0
    source = Source(path=file, content=content, mount=each.mount, offset=start)
    is_blank = all(piece.kind is Kind.BLANK for piece in each.dialect.parse(source).pieces)
    return size - start if is_blank and content.endswith(b"\n") else 0
