"""Settings enter the log: the first command that sees a new config appends `config.applied`."""

from palaver.bus.session import Session
from palaver.model.event import number, text
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS


def apply(session: Session, *, patient: bool = False) -> None:
    """Let the log know the config, if it does not yet; the view is up to date then."""
    fresh = session.config_digest()
    in_force = session.view.current(LOCK_SECONDS if patient else CATCH_UP_SECONDS).settings()
    if text(in_force, "digest") != fresh:
        from palaver.bus.config.config_store import announce

        announce(session, number(in_force, "after"))
