# What `palaver/__init__.py` loads when it is asked for, for those who check types.
from palaver.model.errors import Refusal as Refusal
from palaver.model.event import Event as Event
from palaver.model.message import Message as Message
from palaver.wiring import Bus as Bus
from palaver.wiring import open_bus as open_bus

__all__ = ["Bus", "Event", "Message", "Refusal", "__version__", "open_bus"]

__version__: str
