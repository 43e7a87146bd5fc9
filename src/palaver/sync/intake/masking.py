"""Secrets in files: what a command would refuse to send, a file has said already. The log masks it.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model import secrets
from palaver.model.message import Message


def masked(message: Message) -> str:
    """Take secrets out of the texts of a message; return the family of what was found, or nothing."""
    found = ""
    for field in ("subject", "body", "reasoning"):
        text: str = getattr(message, field)
        family = secrets.find(text) if text else ""
        if family:
            found = family
            setattr(message, field, secrets.masked(text))
    return found


def is_masked(known: str, text: str) -> bool:
    """Tell whether the log has a text as it is, or with its secrets masked."""
    return known == text or known == secrets.masked(text)
