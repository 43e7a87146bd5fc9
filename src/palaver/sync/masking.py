"""Secrets in files: what a command would refuse to send, a file has said already. The log masks it."""

import re

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
            for name, _, pattern in secrets.FAMILIES:
                text = re.sub(pattern, f"[{name} masked]", text)
            setattr(message, field, text)
    return found
