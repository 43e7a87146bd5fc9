"""Which backend keeps the log of a bus: the only place that decides it.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.log.file_log import FileLog
from palaver.log.port import Log

# Folders whose buses keep their logs in this process, with those logs by their own folders.
_in_memory: dict[str, dict[str, Log]] = {}


def open_log(directory: str, *, lock: str) -> Log:
    """Return the log of the bus whose log belongs in this folder."""
    for folder, logs in _in_memory.items():
        if directory.startswith(folder):
            from palaver.log.memory_log import MemoryLog

            return logs.setdefault(directory, MemoryLog())
    return FileLog(directory, lock=lock)


def keep_in_memory(folder: str) -> None:
    """Keep the logs of all buses below a folder in this process alone: for tests and simulations."""
    _in_memory[folder] = {}


def forget(folder: str) -> None:
    """Drop the logs that were kept in memory for the buses below a folder."""
    _in_memory.pop(folder, None)
