"""Settings enter the log: the first command that sees a new config appends `config.applied`."""

from palaver.bus.session import Session
from palaver.model.event import number, text
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS
from palaver.views.agents.roster import Roster


def apply(session: Session, *, patient: bool = False) -> Roster:
    """Let the log know the config, if it does not yet; return the roster as it is then."""
    fresh = session.config_digest()
    session.view.current(LOCK_SECONDS if patient else CATCH_UP_SECONDS)
    roster = session.view.roster()
    if text(roster.config, "digest") != fresh:
        from palaver.bus.config.config_store import announce

        announce(session, number(roster.config, "after"))
        roster = session.view.roster()
    return roster
