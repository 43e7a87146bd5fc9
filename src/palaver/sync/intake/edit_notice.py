"""The notice to a team that somebody has changed a file to which messages may only be appended."""

from palaver.log.clock import new_id
from palaver.model.event import Draft
from palaver.model.limits import LINE_BYTES, PATROL_NAMED
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.sync.intake.file_events import draft
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.mount_intake import MountIntake
from palaver.views.files import file_history
from palaver.views.query import has_own_key


def edit_notice(intake: MountIntake, file: GrowingFile) -> list[Draft]:
    """Return the notice that names the messages that were edited or removed; nothing if there are none."""
    mounted, place = intake.mounted, file.place
    key = f"edited:{mounted.name}:{place.file}:{place.gen}"
    if (
        not (mounted.dialect.is_append_only and file.is_rewritten)
        or file.is_cut
        or has_own_key(intake.db, key)
    ):
        return []
    if file.start < place.rewritten and not file.is_quiet:
        # Its writer may not be done.
        file.is_unsettled = True
        return []
    lost = _lost_messages(intake, file)
    if not lost:
        return []
    more = f" and {len(lost) - PATROL_NAMED} more" if len(lost) > PATROL_NAMED else ""
    body = (
        f"{place.file} is append-only, but messages in it were edited or removed: "
        f"{', '.join(lost[:PATROL_NAMED])}{more}. The bus keeps the originals: palaver read {lost[0]}. "
        "To correct a message, append another one that relates to it."
    )
    notice = Message(sender=BUS, to=[mounted.name], body=body, id=new_id("msg"))
    return [draft("mail.sent", notice.fields(), key=key)]


def _lost_messages(intake: MountIntake, file: GrowingFile) -> list[str]:
    """Return the messages that a file held before it was rewritten, and no longer holds.

    If it holds none of them, nor the id of one, then it is another file, and the old one was put away.
    """
    source = file.source
    if source is None:
        return []
    is_new = file.place.gen > source.gen
    held = file_history.held(intake.db, source.number, is_new=is_new)
    lost = {sha for sha, (before, now) in held.items() if file.count_of(sha, now) < before}
    ids = file_history.message_ids(intake.db, source.number, lost)
    if len(lost) < len(held):
        return ids
    beginning = file.content(0, LINE_BYTES)
    return ids if any(each.encode() in beginning for each in ids) else []
