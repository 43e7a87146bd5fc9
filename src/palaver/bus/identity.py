"""Proof of identity: what an agent does through a session is known to be its own, because it has shown a key.

Every event of that agent gets `auth: token`; the events of other agents stay claims. Inside a run, every
event also names the run and its agent, whatever name was claimed (docs/adr/0045).
"""

from collections.abc import Mapping

from palaver.bus.agents import tokens
from palaver.bus.session import Session


def unvouched(session: Session) -> Session:
    """Return a session without an identity, because lines of files only claim a sender."""
    return Session(session.root) if session.is_signed else session


def vouch(session: Session, agent: str = "") -> None:
    """Vouch for an agent, by default the one of the session; lines of files are never vouched for."""
    vouched = agent or session.agent
    assert vouched, "an agent is vouched for"
    session.sign(vouched, session.inside)


def vouch_by_token(session: Session, environment: Mapping[str, str]) -> None:
    """Take the identity that the token of an environment gives to a session."""
    found = tokens.bearer(session.root, environment)
    if found is not None:
        proved = bool(session.agent) and tokens.proof(found, session.agent) == "token"
        session.sign(session.agent if proved else "", found[1])


def sign_new(session: Session, environment: Mapping[str, str]) -> None:
    """Let the events of a bus that is being created name the run in which that happens."""
    if environment.get(tokens.VARIABLE):
        session.sign("", tokens.stranger(environment)[1])
