"""Vouching: what one agent does through this bus is known to be his, because he has shown a key.

Every event of that agent gets `auth: token`; the word of anybody else stays what it was.
"""

import os

from palaver.bus.agents import tokens
from palaver.bus.session import Session


def unvouched(session: Session) -> Session:
    """Return a session without proof of identity, because lines of files only claim a sender."""
    return Session(session.root) if session.vouched else session


def vouch(session: Session, agent: str = "") -> None:
    """Let the bus vouch for an agent, usually its own; for what it takes from files, nobody does."""
    session.vouched = agent or session.agent
    assert session.vouched, "nobody to vouch for"
    session.log = session.log.vouch_for(session.vouched)


def vouch_by_token(session: Session) -> None:
    """Vouch for the session's agent if the token of the run that this process belongs to proves it."""
    token = tokens.given(session.root, os.environ)
    if token and session.agent and tokens.proof(session.root, session.agent, token) == "token":
        vouch(session)
