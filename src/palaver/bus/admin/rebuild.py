"""Rebuild: the view and the search index anew, in one pass over the log."""

import gc
from sqlite3 import Connection

from palaver.bus.session import Session
from palaver.log.batch import EventBatch
from palaver.views import store
from palaver.views.mail import search


def rebuild(core: Session) -> int:
    """Rebuild the views, whatever state they are in; return the number of the last event."""
    folder = core.root.view
    told = core.view.told
    index: list[Connection] = []

    def both(batch: EventBatch) -> None:
        if not index:
            index.append(search.fresh(folder))
        search.put(index[0], store.file_of(index[0]), batch, store.BUILDING_WAL_BYTES)
        if told:
            told(batch)

    collects = gc.isenabled()
    # Millions of short-lived values, none of them in a circle: looking for circles takes an eighth of it.
    gc.disable()
    core.view.told = both
    try:
        db = core.view.rebuild(then=lambda: _install(folder, index))
    finally:
        core.view.told = told
        if collects:
            gc.enable()
    [(seq,)] = db.execute("select seq from place")
    return int(seq)


def _install(folder: str, index: list[Connection]) -> None:
    if index:
        search.install(folder, index[0])
    else:
        search.remove(folder)
