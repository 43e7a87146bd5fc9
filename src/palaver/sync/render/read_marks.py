"""Read marks: what was read according to the view, written into the file whose lines say so.

The file is replaced as a whole, while others append to it: see `replacement.py`.
"""

from palaver.bus.session import Session
from palaver.model.message import Message
from palaver.model.mounted_files import Source
from palaver.sync import foreign_file
from palaver.sync.foreign_file import Unfit, end_line, read_span
from palaver.sync.intake.known_messages import Known, says_again
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import replacement
from palaver.views.files import known_files
from palaver.views.mail import intake_queries


def mark_read(session: Session, mounted: MountPoint) -> bool:
    """Write the marks that are missing; return True if the file has all that the view knows."""
    marks = mounted.dialect.read_marks
    if marks is None:
        return True
    file = marks.file
    path = mounted.full(file)
    try:
        content, found = read_span(path)
    except (FileNotFoundError, Unfit):
        return True
    source = known_files.sources(session.view, mounted.name).get(file)
    is_same = source is not None and source.mark == f"{found.st_dev}:{found.st_ino}"
    if source is None or not is_same or not source.ending <= len(content) == found.st_size:
        # It is not the file that was read in this pass: next time.
        return False
    if content and not content.endswith(b"\n"):
        # A program is in the middle of a line. But an abandoned line must not block the marks for ever.
        if foreign_file.is_quiet(found):
            end_line(path)
        return False
    # Lines behind that were appended since, or are our own and not confirmed yet: they stay as they are.
    taken = content.rfind(b"\n", 0, source.ending) + 1
    fresh = b"\n".join(mark_lines(session, mounted, file, content[:taken].split(b"\n"))) + content[taken:]
    return fresh == content or replacement.replace(session.root, mounted, file, content, fresh, grows=True)


def mark_lines(session: Session, mounted: MountPoint, file: str, lines: list[bytes]) -> list[bytes]:
    """Return the lines of a file with the marks that are missing in them."""
    marks = mounted.dialect.read_marks
    if marks is None or marks.file != file:
        return lines
    unread = {place: found for place, line in enumerate(lines) if (found := marks.unread(line))}
    times = intake_queries.read_marks(session.view, [message_id for message_id, _ in unread.values()])
    known = Known(session)
    fresh = list(lines)
    for place, found in unread.items():
        at = times.get(found)
        if at and _is_known(mounted, file, known, lines[place]):
            fresh[place] = marks.mark(lines[place], at)
    return fresh


def _is_known(mounted: MountPoint, file: str, known: Known, line: bytes) -> bool:
    """Return True if a line is the message that has its id; another one may have the same."""
    source = Source(path=file, content=line + b"\n", mount=mounted.mount)
    values = [value for piece in mounted.dialect.parse(source).pieces for value in piece.values]
    messages = [value for value in values if type(value) is Message]
    found = [known.message(message.id) for message in messages]
    pairs = zip(messages, found, strict=True)
    return bool(messages) and all(each is not None and says_again(said, each) for said, each in pairs)
