"""The whole bus, for commands that are not hot."""

from palaver.api import Bus
from palaver.bus import trust
from palaver.bus.session import Session
from palaver.cli.context import Context
from palaver.cli.looking import heed, vouched
from palaver.wiring import open_session


def inspected(context: Context) -> Bus:
    """Return the bus, also one that the user has not accepted: its files are left alone then."""
    root = context.untrusted_root()
    if trust.is_trusted(root.path):
        return opened(context)
    return Bus(session=Session(root, agent=context.named()))


def opened(context: Context, *, speaking: bool = False) -> Bus:
    """Return the bus; with `speaking`, refuse if nobody is named as the speaker."""
    agent = context.speaker() if speaking else context.named()
    session = open_session(context.args.text("--root"), agent=agent, force=context.args.has("--force"))
    vouched(context, session)
    heed(context, session)
    return Bus(session=session)
