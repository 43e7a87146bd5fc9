"""A view as its questions see it: something that can be asked, whatever lies behind."""

import sqlite3
from collections.abc import Callable
from sqlite3 import Connection


def whole(value: object) -> int:
    """Return a number of a row; 0 where a damaged view holds something else."""
    return value if type(value) is int else 0


class Query:
    """Where a question is put; the answer is all of its rows."""

    __slots__ = ("_put",)

    def __init__(self, put: Callable[[str, tuple[object, ...]], list]) -> None:  # type: ignore[type-arg]  # rows of any shape
        """Take whoever answers."""
        self._put = put

    # The rows are of what SQLite holds; who asks knows which columns it asked for.
    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows that answer a question."""
        return self._put(question, values)


class Held:
    """One state of a view, for as long as its questions take."""

    __slots__ = ("_db",)

    def __init__(self, db: Connection) -> None:
        """Take the view."""
        self._db = db

    def __enter__(self) -> None:
        """Hold it."""
        self._db.execute("begin")

    def __exit__(self, *_: object) -> None:
        """Let go of it; one that was found to be damaged meanwhile is closed by now."""
        try:
            self._db.execute("commit")
        except sqlite3.ProgrammingError:
            return
