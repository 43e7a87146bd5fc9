"""A view as one text: every table, every row, in order. Two views are the same if their texts are."""

import sqlite3
from pathlib import Path

from palaver import Bus
from palaver.views import store


def view_path(bus: Bus) -> Path:
    """Return the file of the newest view."""
    number = store.newest(bus.root.view)

    assert number, "there is no view"
    return Path(store.path_of(bus.root.view, number))


def dump(bus: Bus) -> str:
    """Return all that the newest view holds, schema and rows; where it lies in its file is no part of it."""
    db = sqlite3.connect(f"file:{view_path(bus)}?mode=ro", uri=True)
    try:
        text = "\n".join(sorted(db.iterdump()))
    finally:
        db.close()

    assert 'INSERT INTO "place"' in text
    return text


def rebuilt(bus: Bus) -> str:
    """Make the view anew in one go, and return what it holds then."""
    bus.rebuild()
    return dump(bus)
