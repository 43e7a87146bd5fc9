"""Unexpected exceptions as refusals: the disk, the memory, or a bug of ours."""

import traceback

from palaver.cli.context import Caller
from palaver.files.regular import way_out
from palaver.model.errors import BadArguments, Refusal, StorageFailed, ToolMissing


class Bug(Refusal, code="bug"):
    """Palaver has a bug.

    Nothing that was acknowledged is lost. Report it with what PALAVER_DEBUG=1 shows.
    """


def explained(fault: Exception, caller: Caller) -> Refusal:
    """Return the refusal for an exception that no command expected; PALAVER_DEBUG=1 shows its traceback."""
    if caller.environment.get("PALAVER_DEBUG"):
        caller.errors.write("".join(traceback.format_exception(fault)))
    if isinstance(fault, OSError):
        what = f"cannot use {fault.filename}" if fault.filename else "cannot continue"
        return StorageFailed(what, fault.strerror or str(fault), way_out(fault))
    if isinstance(fault, MemoryError):
        return StorageFailed("cannot continue", "there is no memory left", "ask for less")
    if isinstance(fault, RecursionError):
        return BadArguments("cannot use the input", "it is nested too deeply", "flatten it")
    if isinstance(fault, UnicodeEncodeError):
        return BadArguments(
            f"cannot use {fault.object[:80]!a}", "this locale cannot encode it", "set LC_ALL=C.UTF-8"
        )
    if isinstance(fault, ImportError):
        return ToolMissing("cannot load a part of Python", str(fault), "install it, or allow more memory")
    if type(fault).__module__ == "sqlite3":
        return StorageFailed("cannot use the view", str(fault), "run palaver doctor")
    what = f"a bug in palaver ({type(fault).__name__}: {str(fault)[:200]})"
    return Bug(what, "nothing that was acknowledged is lost", "report it with what PALAVER_DEBUG=1 shows")
