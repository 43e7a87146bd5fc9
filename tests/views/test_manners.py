"""What an agent holds is found without looking at the tasks of others."""

import sqlite3

from palaver.views import store
from palaver.views.fold import Folds
from palaver.views.tasks.board import leased_by
from palaver.views.tasks.etiquette import find_hindrance


def view(others: int) -> sqlite3.Connection:
    """Return a view in which ada holds one task, and bob so many."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    store.create(db)
    rows = [("mine", "working", "ada", 0), *((f"t{each}", "working", "bob", each) for each in range(others))]
    db.executemany("insert into task (id, state, holder, opened) values (?, ?, ?, ?)", rows)
    return db


def steps(db: sqlite3.Connection) -> int:
    """Return how many steps SQLite takes to tell what ada holds."""
    count = [0]

    def step() -> int:
        count[0] += 1
        return 0

    asked = Folds(db, ())
    db.set_progress_handler(step, 1)
    assert find_hindrance(asked, "new", "ada", "bob")[1] == "mine"
    assert leased_by(asked, "ada") == ["mine"]
    db.set_progress_handler(None, 0)
    return count[0]


def test_the_tasks_of_others_cost_nothing() -> None:
    assert steps(view(others=2_000)) == steps(view(others=20))
