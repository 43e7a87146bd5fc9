"""Intake of a file that shows the board: the edits that others made in it, as events."""

import os

from palaver.model.board_files import AssignmentEdit, IllegibleError, TaskEdit
from palaver.model.limits import LINE_BYTES
from palaver.sync import foreign_file
from palaver.sync.board_files.assignment_edits import assignment_drafts
from palaver.sync.intake.file_events import FilePlace, IntakeBatch, draft, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.mount_intake import MountIntake
from palaver.sync.intake.resolver import Resolver
from palaver.sync.render.small_files import GONE, news


def take_board_file(intake: MountIntake, file: str, path: str) -> bool:
    """Take in the edits of a file; content that the log has, or that the bus wrote, is no edit.

    Return False if the file seems to be incomplete.
    """
    found = news(intake, file, path)
    if found is None:
        return True
    content, place = found
    batch = IntakeBatch()
    try:
        _take(intake, place, content, batch)
    except IllegibleError as fault:
        if fault.may_grow and not foreign_file.is_quiet(os.stat(path)):
            return False
        reason = (fault.code, fault.why)
        batch.drafts.append(intake.quarantine(place, (0, len(content)), content, reason))
    intake.batch.add(batch.drafts, batch.messages)
    return True


def take_removals(intake: MountIntake) -> None:
    """Take in that files were removed, where that has the same effect as emptying them."""
    mounted = intake.mounted
    for file, source in intake.sources.items():
        codec = mounted.dialect.board_files.codec(file)
        if codec is None or not codec.is_cleared_by_removal or not source.length or source.mark == GONE:
            continue
        path = mounted.full(file)
        if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
            place = FilePlace(mount=mounted.name, file=file, gen=source.gen + 1, mark=GONE)
            _take(intake, place, b"", intake.batch)


def _take(intake: MountIntake, place: FilePlace, content: bytes, batch: IntakeBatch) -> None:
    mounted = intake.mounted
    codec = mounted.dialect.board_files.codec(place.file)
    assert codec is not None, "only files of a codec are read as a whole"
    edits = codec.read(place.file, content[:LINE_BYTES], mounted.mount)
    _edit_tasks(intake, place, [each for each in edits if isinstance(each, TaskEdit)], content, batch)
    for each in edits:
        if isinstance(each, AssignmentEdit):
            batch.drafts += assignment_drafts(intake, place, each)
    kind = codec.kind if content.strip() else "blank"
    batch.drafts.append(draft("file.recorded", {"kind": kind}, place.src(0, len(content), hashed(content))))


def _edit_tasks(
    intake: MountIntake, place: FilePlace, edits: list[TaskEdit], content: bytes, batch: IntakeBatch
) -> None:
    if not edits:
        return
    intake.flush()
    # Messages of the same pass count already: an approval in a log, and the card that shows it.
    known = Known(intake.core, intake.core.view.current())
    known.cards = intake.known.cards if intake.history else {}
    resolver = Resolver(intake.mounted, intake.roster, known)
    for count, each in enumerate(edits):
        batch.drafts += resolver.edit(place, each, place.src(count, 0, ""), content)
