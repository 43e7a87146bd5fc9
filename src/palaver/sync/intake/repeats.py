"""Lines that say again what the log has under their id; the log has secrets masked, which counts as equal."""

from palaver.model import secrets
from palaver.model.message import Message
from palaver.model.names import EVERYONE


def mask_secrets(message: Message) -> tuple[Message, str]:
    """Return a message without the secrets in its texts, and the family of one that was found, or nothing.

    What a command would refuse to send, a file has said already.
    """
    found = ""
    masked: dict[str, object] = {}
    texts = {"subject": message.subject, "body": message.body, "reasoning": message.reasoning}
    for field, text in texts.items():
        family = secrets.find(text) if text else ""
        if family:
            found = family
            masked[field] = secrets.masked(text)
    return (message.replace(**masked) if masked else message), found


def says_again(message: Message, known: Message) -> bool:
    """Return True if a line says what the log has under its id, to somebody whom that was for too.

    The log has names in full, and everyone of a mount by its name.
    """
    to = {_last(each) for each in known.to}
    return (
        message.act == known.act
        and all(each == EVERYONE or _last(each) in to for each in message.to)
        and _is_same(known.subject, message.subject)
        and _is_same(known.body, message.body)
    )


def _is_same(known: str, text: str) -> bool:
    return known == text or known == secrets.masked(text)


def _last(address: str) -> str:
    return address.rpartition("/")[2].removeprefix("@")
