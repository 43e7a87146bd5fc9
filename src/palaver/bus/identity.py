"""Vouching: what one agent does through this bus is known to be his, because he has shown a key.

Every event of that agent gets `auth: token`; the word of anybody else stays what it was.

A bare module: `palaver inbox` imports it inside a run (see docs/adr/0006).
"""

from palaver.bus.session import Session
from palaver.log.files import FileLog
from palaver.model.event import Draft, Event
from palaver.model.plain import quote


class VouchedLog(FileLog):
    """The log, as somebody uses it whose name is proved."""

    __slots__ = ("_agent", "_claimed", "_proved")

    def __init__(self, directory: str, *, lock: str, agent: str) -> None:
        """Name the folder, the lock, and whose word is vouched for."""
        super().__init__(directory, lock=lock)
        self._agent = agent
        self._claimed = f'"actor":{quote(agent)},"auth":"claimed"'.encode()
        self._proved = f'"actor":{quote(agent)},"auth":"token"'.encode()

    def append(self, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        """Store the drafts, as the log does."""
        return super().append(self._vouched(drafts), since=since)

    def append_encoded(self, bodies: list[bytes]) -> list[int]:
        """Store records that are written out already, as the log does."""
        return super().append_encoded([self._proven(each) for each in bodies])

    def _proven(self, encoded: bytes) -> bytes:
        head, mark, said = encoded.partition(b',"data":')
        return head.replace(self._claimed, self._proved) + mark + said

    def _vouched(self, drafts: list[Draft]) -> list[Draft]:
        for draft in drafts:
            if draft.actor == self._agent:
                draft.auth = "token"
        return drafts


def unvouched(core: Session) -> Session:
    """Return a bus that takes the word of a file for what it is, whoever is known to sit at this one."""
    return Session(core.root) if core.vouched else core


def vouch(core: Session, agent: str = "") -> None:
    """Let the bus vouch for an agent, usually its own; for what it takes from files, nobody does."""
    core.vouched = agent or core.agent
    assert core.vouched, "nobody to vouch for"
    core.log = VouchedLog(core.root.log, lock=core.root.log_lock, agent=core.vouched)
