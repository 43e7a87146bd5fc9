"""A view as its queries see it: something that executes SQL, whatever is behind it."""

import sqlite3
from collections.abc import Callable
from sqlite3 import Connection


def whole(value: object) -> int:
    """Return a number of a row; 0 if a damaged view holds something else."""
    return value if type(value) is int else 0


class Query:
    """Executes queries; the answer is all rows."""

    __slots__ = ("_put",)

    def __init__(self, put: Callable[[str, tuple[object, ...]], list]) -> None:  # type: ignore[type-arg]  # rows of any shape
        """Take the function that executes a query."""
        self._put = put

    # The rows hold what SQLite stores; the caller knows which columns it has selected.
    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows of a query."""
        return self._put(question, values)


class Held:
    """A read transaction: several queries see one state of a view."""

    __slots__ = ("_db",)

    def __init__(self, db: Connection) -> None:
        """Take the connection."""
        self._db = db

    def __enter__(self) -> None:
        """Begin."""
        self._db.execute("begin")

    def __exit__(self, *_: object) -> None:
        """End it; a view that was found to be damaged meanwhile is closed by now."""
        try:
            self._db.execute("commit")
        except sqlite3.ProgrammingError:
            return
