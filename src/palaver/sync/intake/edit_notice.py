"""The notice to a team that somebody has changed a file to which messages may only be appended."""

from palaver.log.clock import new_id
from palaver.model.event import Draft
from palaver.model.limits import PATROL_NAMED
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.sync.intake.file_events import draft
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.mount_intake import MountIntake


def edit_notice(intake: MountIntake, file: GrowingFile) -> list[Draft]:
    """Return the notice that names the messages that were edited or removed; nothing if there are none."""
    mounted, place = intake.mounted, file.place
    lost = file.lost_messages() if mounted.dialect.is_append_only else []
    if not lost:
        return []
    more = f" and {len(lost) - PATROL_NAMED} more" if len(lost) > PATROL_NAMED else ""
    body = (
        f"{place.file} is append-only, but messages in it were edited or removed: "
        f"{', '.join(lost[:PATROL_NAMED])}{more}. The bus keeps the originals: palaver read {lost[0]}. "
        "To correct a message, append another one that relates to it."
    )
    notice = Message(sender=BUS, to=[mounted.name], body=body, id=new_id("msg"))
    key = f"edited:{mounted.name}:{place.file}:{place.gen}"
    return [draft("mail.sent", notice.fields(), key=key)]
