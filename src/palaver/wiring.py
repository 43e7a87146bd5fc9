"""Wiring: the only module that says which parts a bus is made of."""

from collections.abc import Callable
from importlib import import_module

from palaver.bus import api
from palaver.bus.beginning import Begun, begin
from palaver.bus.core import Core
from palaver.bus.live import Live
from palaver.bus.root import find
from palaver.model.dialect import Dialect
from palaver.model.limits import CATCH_UP_SECONDS
from palaver.views.quarantine import Item

# Loaded when asked for: most commands speak none of them.
DIALECTS = ("office", "vermas", "swarm", "runbus", "collab")


class Bus(api.Bus):
    """A bus, found as the commands find it.

    from palaver import Bus

    bus = Bus(agent="ada")
    bus.send("bob", "The parser is ready.")
    """

    __slots__ = ()

    def __init__(self, root: str = "", *, agent: str = "") -> None:
        """Find the bus: at `root`, else where PALAVER_ROOT says, else here or above."""
        super().__init__(find(root), agent=agent)
        follow(self)


def open_bus(root: str = "", *, agent: str = "", force: bool = False) -> api.Bus:
    """Return the bus that is meant, for a face."""
    bus = api.Bus(find(root, force=force), agent=agent)
    follow(bus)
    return bus


class Following(Live):
    """Keeps a bus in step with the files of its mounts; what that takes is loaded when there are any."""

    def __init__(self, core: Core) -> None:
        """Take the bus."""
        self._core = core
        self._pass: Callable[[float], object] | None = None
        self.late = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Do one pass, if there are mounts and nobody else is at it for longer than this."""
        if not self._core.known().mounts:
            return
        if self._pass is None:
            from palaver.sync.passing import Sync

            self._pass = Sync(self._core, dialect).once
        self.late = self._pass(seconds) is None

    def retry(self, item: Item) -> bool:
        """Try quarantined bytes of a file again; tell whether they are understood now."""
        from palaver.sync.retrying import retry

        return retry(self._core, dialect, item)


def follow(core: Core) -> None:
    """Let a bus keep in step with its mounts by itself: before every answer, and after every word."""
    core.live = Following(core)


def dialect(name: str) -> Dialect:
    """Return one dialect."""
    found: Dialect = import_module(f"palaver.dialects.{name}").DIALECT
    return found


def dialects() -> dict[str, Dialect]:
    """Return the dialects, by name."""
    return {name: dialect(name) for name in DIALECTS}


__all__ = ["DIALECTS", "Begun", "Bus", "Following", "begin", "dialect", "dialects", "follow", "open_bus"]
