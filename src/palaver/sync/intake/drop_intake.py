"""Intake of dropped files: one file in a folder is one complete message."""

import os
from itertools import count

from palaver.files.regular import open_folder
from palaver.model.errors import Refusal
from palaver.model.limits import LINE_BYTES
from palaver.model.mounted_files import Finding, Kind, Parsed, Piece, Provenance, Source
from palaver.sync import foreign_file
from palaver.sync.intake.file_events import FilePlace, LineNote, draft, hashed, words_of
from palaver.sync.intake.mount_intake import MountIntake
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.files import file_history

# How sure a dialect is of a file whose name is as its protocol wants it.
_BY_NAME = 3
# The folder that messages are moved to once they are in the log, where the bus empties the inbox.
TAKEN = ".taken"
# How much of a name is kept when a number is added to it; a name has 255 bytes at most.
_NAME_CHARS = 60
# Stands for the content of a file that holds no message.
_NO_MESSAGE = "no-message"


def take_drop(intake: MountIntake, file: str, path: str) -> bool:
    """Take in a dropped file, unless it is in the log already; move it away where the bus does that.

    Return False if it is not finished yet.
    """
    fd, found = foreign_file.open_to_read(path)
    try:
        mark = f"{found.st_ino}:{found.st_mtime_ns}"
        source = intake.sources.get(file)
        if source is None or source.mark != mark:
            content = os.pread(fd, LINE_BYTES + 1, 0)
            if not _is_finished(intake, fd, file, content, found):
                intake.report.unsettled = True
                return False
            gen = source.gen + 1 if source else 1
            mount = intake.mounted.name
            place = FilePlace(mount=mount, file=file, gen=gen, mark=mark, history=intake.history)
            os.fdatasync(fd)
            if _was_taken(intake, place):
                sha = hashed(content)
                kept = draft("file.kept", {"shas": [sha]}, place.src(0, found.st_size, sha))
                intake.batch.drafts.append(kept)
            else:
                _take(intake, place, content, found.st_size)
    finally:
        os.close(fd)
    if _is_emptied(intake.mounted):
        intake.flush()
        _move_away(intake, path)
    return True


def _was_taken(intake: MountIntake, place: FilePlace) -> bool:
    """Return True if the same file was taken in when its folder had another name as a mount."""
    mounted = intake.mounted
    former = file_history.former(intake.db, mounted.name, mounted.path, place.file, place.mark)
    return any(each.file == place.file and each.mark == place.mark for each in former)


def _is_emptied(mounted: MountPoint) -> bool:
    return mounted.dialect.drops.are_emptied(mounted.mount)


def _is_finished(intake: MountIntake, fd: int, file: str, content: bytes, found: os.stat_result) -> bool:
    """Return True if a dropped file is complete: moved here, left alone, or by its name and its end.

    By its name and its end alone it may still be growing: then a program has it open, or has just changed it.
    """
    if foreign_file.is_whole(found):
        return True
    is_named = intake.mounted.dialect.recognises(file, b"") == _BY_NAME
    if not is_named or not content.endswith(b"\n") or foreign_file.has_writer(fd):
        return False
    now = os.fstat(fd)
    return (now.st_size, now.st_mtime_ns) == (found.st_size, found.st_mtime_ns)


def _take(intake: MountIntake, place: FilePlace, content: bytes, size: int) -> None:
    """Add the events of a dropped file."""
    mounted, resolver, drafts = intake.mounted, intake.resolver, intake.batch.drafts
    source = Source(path=place.file, content=content, mount=mounted.mount, provenance=Provenance.NONE)
    parsed = Parsed((Piece(Kind.QUARANTINED, 0, size, 1, reason=_NO_MESSAGE),), ())
    if 0 < size <= LINE_BYTES:
        parsed = mounted.dialect.parse(source)
    drafts += resolver.begin_block([(message,) for message in parsed.messages])
    for piece in parsed.pieces:
        reason = _resolve(intake, place, piece, content) if piece.kind is Kind.EVENT else piece.reason
        if reason:
            why = parsed.findings[0].message if parsed.findings else "it is empty, or too long"
            drafts += intake.quarantine(place, (0, piece.length), content, (reason, why))
        elif piece.kind is Kind.BLANK:
            drafts.append(draft("file.recorded", {"kind": "blank"}, place.src(0, size, hashed(content))))
        elif odd := _first_finding(mounted, source, parsed):
            author, _ = resolver.find_author(place, content)
            note = LineNote(code=odd.code, said=odd.message, fix=odd.fix, line=odd.place.line, author=author)
            resolver.findings.attach(drafts[-1], [note], content)


def _resolve(intake: MountIntake, place: FilePlace, piece: Piece, content: bytes) -> str:
    """Add the events of a piece; return why that cannot be done, or nothing."""
    raw = content[piece.start : piece.start + piece.length]
    try:
        drafts, messages = intake.resolver.resolve(place, piece.values, piece.start, raw)
    except Refusal as refused:
        return refused.code
    for each in drafts:
        # A line of a log may repeat it, unless the bus writes that line.
        if each.event_type == "mail.sent" and each.src and not _is_emptied(intake.mounted):
            each.src["words"] = words_of(content)
    intake.batch.add(drafts, messages)
    return ""


def _first_finding(mounted: MountPoint, source: Source, parsed: Parsed) -> Finding | None:
    """Return the one finding that is reported about a message: about its file's name before its text."""
    codes = mounted.dialect.drops.name_codes
    by_name = (rule.check(source, parsed, {}) for rule in mounted.dialect.rules if rule.code in codes)
    return next((finding for each in (*by_name, parsed.findings) for finding in each), None)


def _move_away(intake: MountIntake, path: str) -> None:
    """Move a message that is in the log out of its inbox."""
    folder, name = os.path.split(path)
    try:
        base, inbox = os.path.split(folder)
        taken = open_folder(base, f"{inbox}/{TAKEN}", create=0o700)
        try:
            os.rename(path, _free_name(taken, name), dst_dir_fd=taken)
        finally:
            os.close(taken)
    except OSError as fault:
        intake.report.trouble(intake.mounted.name, name, fault)


def _free_name(folder: int, name: str) -> str:
    """Return a name that no file of an open folder has: no file is overwritten."""
    free, numbers = name, count(2)
    while True:
        try:
            os.stat(free, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return free
        free = f"{name[:_NAME_CHARS]}~{next(numbers)}"
