"""Palaver: one bus, five dialects, nothing lost.

The names below are loaded when they are first asked for, so that a command which needs none of
them pays for none of them.
"""

__version__ = "0.1.0"

_WHERE = {
    "Bus": "palaver.api",
    "Refusal": "palaver.model.errors",
    "Message": "palaver.model.message",
    "Event": "palaver.model.event",
}

__all__ = ["Bus", "Event", "Message", "Refusal", "__version__"]


def __getattr__(name: str) -> object:
    """Load an exported name from where it lives."""
    if name not in _WHERE:
        raise AttributeError(f"module 'palaver' has no attribute {name!r}")
    module = __import__(_WHERE[name], fromlist=[name])
    value: object = getattr(module, name)
    return value
