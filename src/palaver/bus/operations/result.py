"""Results of operations that programs get field by field."""

from palaver.model.plain import to_plain


class PlainFields:
    """A slotted value whose plain form has its fields, each in its own plain form."""

    __slots__: tuple[str, ...] = ()

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {name: to_plain(getattr(self, name)) for name in self.__slots__}
