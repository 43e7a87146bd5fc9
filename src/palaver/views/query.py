"""What the queries of a view need: something that executes SQL, whatever is behind it."""

from collections.abc import Sequence
from typing import Protocol

from palaver.model.names import BUS


class Query(Protocol):
    """Executes queries; the answer is all rows."""

    # The rows hold what SQLite stores; the caller knows which columns it has selected.
    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows of a query."""
        ...


def has_own_key(db: Query, key: str) -> bool:
    """Return True if an event of the bus itself has this idempotency key."""
    return bool(db.execute("select 1 from key where actor = ? and key = ?", (BUS, key)))


def whole(value: object) -> int:
    """Return a number of a row; 0 if a damaged view holds something else."""
    return value if type(value) is int else 0


def marks(count: int) -> str:
    """Return the placeholders for some values of a query."""
    return ", ".join("?" * count)


def typed(row: Sequence[object], kinds: Sequence[type]) -> list:  # type: ignore[type-arg]  # of these kinds
    """Return the values of a row; an empty one where a damaged view holds something else."""
    return [value if type(value) is kind else kind() for value, kind in zip(row, kinds, strict=True)]
