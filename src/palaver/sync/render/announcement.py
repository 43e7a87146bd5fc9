"""What the log is told of a file before the bus writes it: the lines are recognised when they are read."""

from collections.abc import Iterable

from palaver.bus.session import Session
from palaver.model.limits import RUN_PIECES
from palaver.sync.intake.file_events import draft
from palaver.sync.report import Report
from palaver.views.files import known_files

# Hashes in one event, so that its line stays short.
_SHAS = 16 * RUN_PIECES


def announce_lines(session: Session, report: Report, mount: str, file: str, lines: Iterable[str]) -> None:
    """Append to the log the hashes of the lines of a file that is about to be replaced, if it lacks them.

    Lines that stay as they are may be among those: of a rendering of several lines it has one hash.
    """
    source = known_files.sources(session.view, mount).get(file)
    known = known_files.remembered(session.view, source.number) if source else {}
    shas = [sha for sha in dict.fromkeys(lines) if not any(known.get(sha, ()))]
    starts = range(0, len(shas), _SHAS)
    parts: list[dict[str, object]] = [{"shas": shas[start : start + _SHAS]} for start in starts]
    announce(session, report, mount, file, *parts)


def announce(session: Session, report: Report, mount: str, file: str, *facts: dict[str, object]) -> None:
    """Append to the log what is about to be in a file, or how much of the log it shows by now."""
    session.log.append([draft("file.projected", {"mount": mount, "file": file, **fact}) for fact in facts])
    report.events += len(facts)
    # The file must not be ahead of the log after a power failure.
    session.log.sync()
