"""Vouching: what one agent does through this bus is known to be his, because he has shown a key.

Every event of that agent gets `auth: token`; the word of anybody else stays what it was.

A bare module: `palaver inbox` imports it inside a run (see docs/adr/0006).
"""

from palaver.bus.session import Session


def unvouched(core: Session) -> Session:
    """Return a bus that takes the word of a file for what it is, whoever is known to sit at this one."""
    return Session(core.root) if core.vouched else core


def vouch(core: Session, agent: str = "") -> None:
    """Let the bus vouch for an agent, usually its own; for what it takes from files, nobody does."""
    core.vouched = agent or core.agent
    assert core.vouched, "nobody to vouch for"
    core.log = core.log.vouch_for(core.vouched)
