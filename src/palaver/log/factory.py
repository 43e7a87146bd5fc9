"""Which backend keeps the log of a bus: the only place that decides it.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.log.file_log import FileLog
from palaver.log.port import Log

# Logs that this process keeps in memory, by the folder that would hold them on the disk.
_in_memory: dict[str, Log] = {}


def open_log(directory: str, *, lock: str) -> Log:
    """Return the log of the bus whose log belongs into this folder."""
    return _in_memory.get(directory) or FileLog(directory, lock=lock)


def keep_in_memory(directory: str) -> Log:
    """Keep the log of a bus in this process alone, from now on: for tests and simulations."""
    from palaver.log.memory_log import MemoryLog

    log = _in_memory[directory] = MemoryLog()
    return log
