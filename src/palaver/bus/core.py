"""The core of a bus: the desk, and the view. Every use case that looks at anything takes one.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from palaver.bus.desk import Desk, draft
from palaver.bus.root import Root
from palaver.bus.view import View

__all__ = ["Core", "draft"]


class Core(Desk):
    """One bus, seen by one process."""

    __slots__ = ("view",)

    def __init__(self, root: Root, agent: str = "") -> None:
        """Take the place of the bus and the agent that speaks if none is named; nothing is opened yet."""
        super().__init__(root, agent)
        self.view = View(root, self.log, self.view_lock)
