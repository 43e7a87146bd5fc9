# What `palaver/__init__.py` loads when it is asked for, for those who check types.
from palaver.api import Bus as Bus
from palaver.model.errors import Refusal as Refusal
from palaver.model.event import Event as Event
from palaver.model.message import Message as Message

__all__ = ["Bus", "Event", "Message", "Refusal", "__version__"]

__version__: str
