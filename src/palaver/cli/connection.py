"""The session of a command: the bus that its arguments name, and notes on its state."""

from palaver.bus import trust
from palaver.bus.admin import acceptance
from palaver.bus.agents import tokens
from palaver.bus.session import Session
from palaver.cli.context import Context
from palaver.model.errors import BadToken
from palaver.sync.mount_sync import follow


def connect(context: Context, *, speaking: bool = False) -> Session:
    """Open the bus; with `speaking`, refuse if no agent is named as the speaker."""
    agent = context.speaker() if speaking else context.named()
    if context.caller.open_session is not None:
        session = context.caller.open_session(context.root.path, agent)
        assert isinstance(session, Session)
    else:
        session = Session(context.root, agent=agent)
        follow(session)
    _sign(context, session)
    context.notes = lambda: _notes(session)
    return session


def connect_untrusted(context: Context) -> Session:
    """Open the bus, even one that the user has not accepted; its mounted files are left alone then."""
    root = context.untrusted_root()
    if trust.is_trusted(root.path):
        return connect(context)
    acceptance.refuse_irregular(root)
    return Session(root, agent=context.named())


def _sign(context: Context, session: Session) -> None:
    """Let the token of a run prove the identity of its agent, and name the run; reading needs no proof."""
    try:
        bearer = context.bearer()
    except BadToken:
        # The command only looks, or `run_command` would have refused it.
        bearer = tokens.stranger(context.environment)
    if bearer is not None:
        whose, inside = bearer
        session.sign(whose if whose == context.named() else "", inside)


def _notes(session: Session) -> list[str]:
    """Return notes on the state of the view and of the files."""
    view = session.view
    behind = ["the view is behind; the newest events may be missing here"] if view.behind else []
    if session.sync.unfinished:
        behind.append("the mounted files hold more than one command reads; palaver sync reads all of it")
    elif session.sync.late:
        behind.append("another process is syncing the mounted files; the newest lines may be missing")
    return [*dict.fromkeys(view.notes), *behind]


def connect_synced(context: Context) -> Session:
    """Open the bus in step with its mounted files, for a command that does more than one operation."""
    session = connect(context)
    session.sync.catch_up()
    end = session.log.end()

    def flush_if_written() -> None:
        if session.log.end() != end:
            session.sync.flush()

    context.after = flush_if_written
    return session
