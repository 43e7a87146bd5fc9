"""What tests ask about the names of agents."""

from palaver.model.errors import BadName
from palaver.model.names import name


def is_name(text: str) -> bool:
    """Return True if a text can be an agent's name."""
    try:
        name(text)
    except BadName:
        return False
    return True
