"""Texts of agents as others may see them: masked first, and then cut, so that no half of a secret stays."""

from palaver.model import secrets

# What follows decides, too, whether a secret begins in the part that is shown: a URL has its @ behind it.
_BEYOND = 4_000


def clip(text: str, most: int) -> str:
    """Return the beginning of a text, its secrets masked."""
    if len(text) > most + _BEYOND:
        text = text[: most + _BEYOND]
    return secrets.masked(text)[:most]
