"""Wiring: the only module that says which parts a bus is made of."""

from palaver.bus import api
from palaver.bus.admin.init import InitResult, begin
from palaver.bus.agents import tokens
from palaver.bus.identity import vouch
from palaver.bus.root import find
from palaver.following import follow


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
        token = tokens.given(self.root)
        if token and self.agent and tokens.proof(self.root, self.agent, token) == "token":
            vouch(self)
        follow(self)


def open_bus(root: str = "", *, agent: str = "", force: bool = False) -> api.Bus:
    """Return the bus that is meant, for a face."""
    bus = api.Bus(find(root, force=force), agent=agent)
    follow(bus)
    return bus


__all__ = ["Bus", "InitResult", "begin", "follow", "open_bus"]
