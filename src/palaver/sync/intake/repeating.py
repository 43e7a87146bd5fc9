"""Whether a line says again what the log has under its id: then it is one message, seen twice.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.message import Message
from palaver.model.names import EVERYONE
from palaver.sync.intake.masking import is_masked


def says_again(message: Message, known: Message) -> bool:
    """Tell whether a line says again what the log has under its id, to somebody whom that was for too.

    The log has names in full, everyone of a mount by its name, and secrets masked.
    """
    to = {_last(each) for each in known.to}
    return (
        message.act == known.act
        and all(each == EVERYONE or _last(each) in to for each in message.to)
        and is_masked(known.subject, message.subject)
        and is_masked(known.body, message.body)
    )


def _last(address: str) -> str:
    return address.rpartition("/")[2].removeprefix("@")
