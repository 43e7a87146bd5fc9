"""Wiring: the only module that says which parts a bus is made of."""

import os

from palaver.bus.admin.init import InitResult, begin
from palaver.bus.identity import vouch_by_token
from palaver.bus.root import find
from palaver.bus.session import Session
from palaver.sync.mount_sync import follow


def open_session(root: str = "", *, agent: str = "", force: bool = False) -> Session:
    """Open the bus at `root`, else at PALAVER_ROOT, else here or above."""
    session = Session(find(root or os.environ.get("PALAVER_ROOT", ""), force=force), agent=agent)
    follow(session)
    vouch_by_token(session, os.environ)
    return session


__all__ = ["InitResult", "begin", "follow", "open_session"]
