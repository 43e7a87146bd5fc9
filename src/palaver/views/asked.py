"""A view as its questions see it: something that can be asked, whatever lies behind.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable


def whole(value: object) -> int:
    """Return a number of a row; 0 where a damaged view holds something else."""
    return value if type(value) is int else 0


class Asked:
    """Where a question is put; the answer is all of its rows."""

    __slots__ = ("_put",)

    def __init__(self, put: Callable[[str, tuple[object, ...]], list]) -> None:  # type: ignore[type-arg]  # rows of any shape
        """Take whoever answers."""
        self._put = put

    # The rows are of what SQLite holds; who asks knows which columns it asked for.
    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows that answer a question."""
        return self._put(question, values)
