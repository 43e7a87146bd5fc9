"""What a runner does with mail that starts no program: it records that, and says so once for a chain."""

from collections.abc import Callable

from palaver.bus.mail.loop_limit import CODE, Hold, claim, find_hold, tell_hold
from palaver.bus.session import Session
from palaver.model.message import Message


class HeldMail:
    """The mail of one agent that is not given to its programs, as far as one runner has seen it."""

    def __init__(self, core: Session, agent: str, note: Callable[[str], None]) -> None:
        """Take the bus, the agent, and where to report."""
        self._core = core
        self._agent = agent
        self._note = note
        # Each with whether it is for good: what is delayed may be held later.
        self._messages: set[tuple[str, bool]] = set()
        self._chains: set[tuple[int, bool]] = set()

    def __len__(self) -> int:
        """Return how many messages were held back, or a few more."""
        return len(self._messages)

    def find(self, message: Message) -> Hold | None:
        """Return why a message is not given to a program; None if it may be."""
        return self._report(message, find_hold(self._core, self._agent, message))

    def claim(self, message: Message, *, run: str) -> Hold | None:
        """Record that a message is given to a program; return why, if it may not be."""
        return self._report(message, claim(self._core, self._agent, message, run=run))

    def _report(self, message: Message, hold: Hold | None) -> Hold | None:
        if hold is None or (message.id, hold.is_for_good) in self._messages:
            return hold
        self._messages.add((message.id, hold.is_for_good))
        chain = (hold.origin, hold.is_for_good)
        if hold.why and chain not in self._chains:
            self._chains.add(chain)
            later = "it stays unread in the inbox" if hold.is_for_good else "it follows later"
            self._note(f"{message.id} starts no program: {hold.why}; {later} [{CODE}]")
        if hold.is_told:
            tell_hold(self._core, self._agent, message, hold)
        return hold
