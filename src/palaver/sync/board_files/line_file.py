"""A file of lines that shows the board: others append to it, and the bus replaces it.

Its lines are read as those of any growing file. Before it is replaced, the log gets the hashes of its new
lines, so that they are recognised as the bus's own.
"""

from typing import Final

from palaver.bus.session import Session
from palaver.model.board_files import Board, BoardFile
from palaver.model.limits import RUN_PIECES
from palaver.sync import foreign_file
from palaver.sync.foreign_file import Unfit, end_line, read_span
from palaver.sync.intake.file_events import draft, hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import replacement
from palaver.sync.report import Report
from palaver.views.files import sources
from palaver.views.query import Query

# Hashes in one event, so that its line stays short.
_SHAS: Final = 16 * RUN_PIECES


def project_lines(  # noqa: PLR0917 - what a projection needs
    core: Session, db: Query, mounted: MountPoint, codec: BoardFile, shown: Board, report: Report
) -> None:
    """Write the files that differ from the board, once all of their lines are in the log."""
    for file in codec.files(shown):
        found = _content(db, mounted, file, report)
        if found is None:
            continue
        content, is_there = found
        fresh = codec.write(file, content, shown)
        if fresh == content:
            continue
        _announce(core, mounted, file, [hashed(line) for line in fresh.splitlines()], report)
        if is_there:
            done = replacement.replace(core.root, mounted, file, content, fresh, grows=True)
        else:
            done = replacement.create(core.root, mounted, file, fresh)
        report.written += done


def _content(db: Query, mounted: MountPoint, file: str, report: Report) -> tuple[bytes, bool] | None:
    """Return the content of a file and whether it exists; None while it must be left alone."""
    path = mounted.full(file)
    try:
        content, found = read_span(path)
    except FileNotFoundError:
        return b"", False
    except Unfit:
        # The pass has reported it.
        return None
    if len(content) == found.st_size and _is_in_log(db, mounted, file, content):
        return content, True
    report.unsettled = True
    if foreign_file.is_quiet(found) and not content.endswith(b"\n"):
        end_line(path)
    return None


def _announce(core: Session, mounted: MountPoint, file: str, shas: list[str], report: Report) -> None:
    """Append the hashes of the lines that are about to be written to the log."""
    head: dict[str, object] = {"mount": mounted.name, "file": file}
    starts = range(0, len(shas), _SHAS)
    drafts = [draft("file.projected", {**head, "shas": shas[each : each + _SHAS]}) for each in starts]
    core.log.append(drafts)
    report.events += len(drafts)
    # The file must not be ahead of the log after a power failure.
    core.log.sync()


def _is_in_log(db: Query, mounted: MountPoint, file: str, content: bytes) -> bool:
    """Return True if the log has every line of a file."""
    source = sources.sources(db, mounted.name).get(file)
    if source is None:
        return not content.strip()
    held = sources.remembered(db, source.number)
    lines = [line for line in content.split(b"\n") if line.strip()]
    return content[-1:] in (b"", b"\n") and all(held.get(hashed(line), (0, 0))[0] for line in lines)
