"""What no command expected, told in one line: the disk, the memory, or a mistake of our own."""

import os

from palaver.model.errors import BadArguments, Refusal, StorageFailed, ToolMissing


class Bug(Refusal, code="bug"):
    """Palaver itself is wrong.

    Nothing that was acknowledged is lost. Report it with what PALAVER_DEBUG=1 shows.
    """


def explained(fault: Exception) -> Refusal:
    """Return as a refusal what should have been one, or is our own mistake; PALAVER_DEBUG shows the place."""
    if os.environ.get("PALAVER_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    if isinstance(fault, OSError):
        what = f"cannot use {fault.filename}" if fault.filename else "cannot go on"
        return StorageFailed(what, fault.strerror or str(fault), "mend it and try again")
    if isinstance(fault, MemoryError):
        return StorageFailed("cannot go on", "there is no memory left", "ask for less at once")
    if isinstance(fault, RecursionError):
        return BadArguments("cannot take that", "it is nested too deeply", "flatten it")
    if isinstance(fault, UnicodeEncodeError):
        return BadArguments(
            f"cannot use {fault.object[:80]!a}", "this locale cannot spell it", "set LC_ALL=C.UTF-8"
        )
    if isinstance(fault, ImportError):
        return ToolMissing("cannot load a part of Python", str(fault), "install it, or allow more memory")
    if type(fault).__module__ == "sqlite3":
        return StorageFailed("cannot use the view", str(fault), "palaver doctor looks closer")
    what = f"a mistake in palaver itself ({type(fault).__name__}: {str(fault)[:200]})"
    return Bug(what, "nothing that was acknowledged is lost", "report it with what PALAVER_DEBUG=1 shows")
