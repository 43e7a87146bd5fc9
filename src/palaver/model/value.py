"""A value: equal to another that says the same, and shown with all that it says.

A subclass names its fields in `__slots__`, and takes them in `__init__`.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""


class Value:
    """Something that is no more than what its fields say."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare by what is said."""
        return type(other) is type(self) and _said(other) == _said(self)

    def __hash__(self) -> int:
        """Equal values have equal hashes."""
        return hash((type(self), *_said(self)))

    def __repr__(self) -> str:
        """Show every field."""
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({', '.join(shown)})"


def _said(value: Value) -> list[object]:
    return [getattr(value, name) for name in value.__slots__]
