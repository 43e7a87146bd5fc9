"""Maintenance of the log and the views: verify, measure, rebuild."""

import gc
from sqlite3 import Connection

from palaver.bus.operations.fields import Progress
from palaver.bus.operations.operation import inspects, operation
from palaver.bus.session import Session
from palaver.log import verification
from palaver.log.port import EventBatch
from palaver.log.verification import Verification
from palaver.views import store
from palaver.views.mail import search


@operation(inspects)
def verify(session: Session, told: Progress = None) -> Verification:
    """Check every line and every link of the log."""
    return verification.verify(session.log, told)


@operation(inspects)
def size(session: Session) -> int:
    """Return the size of the log in bytes."""
    return session.log.size()


@operation(inspects)
def rebuild(core: Session) -> int:
    """Rebuild the views from the log; return the number of events."""
    folder = core.root.view
    told = core.view.told
    index: list[Connection] = []

    def both(batch: EventBatch) -> None:
        if not index:
            index.append(search.fresh(folder))
        search.put(index[0], batch, store.BUILDING_WAL_BYTES)
        if told:
            told(batch)

    collects = gc.isenabled()
    # Millions of short-lived values without cycles: the collector would take an eighth of the time.
    gc.disable()
    core.view.told = both
    try:
        db = core.view.rebuild(then=lambda: _install(folder, index))
    finally:
        core.view.told = told
        if collects:
            gc.enable()
    return db.seq


def _install(folder: str, index: list[Connection]) -> None:
    if index:
        search.install(folder, index[0])
    else:
        search.remove(folder)
