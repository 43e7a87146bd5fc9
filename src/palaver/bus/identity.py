"""Proof of identity: what an agent does through a session is known to be its own, because it has shown a key.

Every event of that agent gets `auth: token`; the events of other agents stay claims.
"""

from collections.abc import Mapping

from palaver.bus.agents import tokens
from palaver.bus.session import Session


def unvouched(session: Session) -> Session:
    """Return a session without proof of identity, because lines of files only claim a sender."""
    return Session(session.root) if session.vouched else session


def vouch(session: Session, agent: str = "") -> None:
    """Vouch for an agent, by default the one of the session; lines of files are never vouched for."""
    session.vouched = agent or session.agent
    assert session.vouched, "an agent is vouched for"
    session.log = session.log.vouch_for(session.vouched)


def vouch_by_token(session: Session, environment: Mapping[str, str]) -> None:
    """Vouch for the session's agent if the environment has the token of its run."""
    token = tokens.given(session.root, environment)
    if token and session.agent and tokens.proof(session.root, session.agent, token) == "token":
        vouch(session)
