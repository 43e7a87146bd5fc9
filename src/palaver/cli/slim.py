"""SQLite without its baggage, for commands that live for milliseconds.

`_sqlite3` asks `functools` for one thing, `lru_cache`, in which it keeps prepared statements; and `functools`
brings `collections`, `types`, `operator` and more with it: a quarter of a bare start of Python. The heart of
`lru_cache` is in C, and that is all that is needed here.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

import sys
from _collections_abc import Callable


def load_sqlite() -> None:
    """Import `_sqlite3`, with a stand-in for `functools` as long as that takes."""
    if "functools" in sys.modules or "_sqlite3" in sys.modules:
        return
    stand_in = type(sys)("functools")
    stand_in.__dict__["lru_cache"] = _lru_cache
    sys.modules["functools"] = stand_in
    try:
        import _sqlite3  # noqa: F401 - it stays in sys.modules, where the views find it
    except (ImportError, AttributeError, TypeError):
        # Another Python may ask for more: then the views import it as everybody does.
        return
    finally:
        del sys.modules["functools"]


def _lru_cache(maxsize: int) -> Callable[[object], object]:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # typeshed leaves it out

    typed = False
    return lambda function: _lru_cache_wrapper(function, maxsize, typed, tuple)
