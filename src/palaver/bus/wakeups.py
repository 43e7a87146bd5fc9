"""Wakeups: how a sender wakes the processes that wait for its mail, and how processes notice changes.

There is one empty file, a bell, for each address that a process has waited under, named by its hash. The
sender touches the bells of the addresses as it wrote them; a waiter watches the bells of every address that
means it. No other process wakes up.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _blake2 import blake2b
from stat import S_ISREG

from palaver.files.regular import open_regular, way_out
from palaver.model.errors import StorageFailed


def path_of(folder: str, address: str) -> str:
    """Return the bell of an address; `@bob` and `bob` have the same."""
    return f"{folder}/{blake2b(address.lstrip('@').encode(), digest_size=8).hexdigest()}"


class ChangeCounter:
    """A file that grows by a byte when long-lived processes must refresh what they remember.

    That is, when the roster changes, or there is a new bell. Its length costs one system call.
    """

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str) -> None:
        """Take the path; the file is opened when it is first read."""
        self._path = path
        self._fd = -1

    def __del__(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)

    def value(self) -> int:
        """Return a number that changes with every increment."""
        try:
            if self._fd < 0:
                self._fd = open_regular(self._path, os.O_RDONLY | os.O_CREAT)
            return os.lseek(self._fd, 0, os.SEEK_END)
        except OSError as fault:
            raise StorageFailed(
                f"cannot use {self._path}", fault.strerror or str(fault), "nothing was written; mend it"
            ) from fault

    def increment(self) -> None:
        """Let all processes refresh what they remember."""
        fd = open_regular(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            os.write(fd, b".")
        finally:
            os.close(fd)


class Wakeups:
    """The bells of one bus, as one process remembers them."""

    __slots__ = ("_changes", "_folder", "_remembered")

    def __init__(self, folder: str, changes: ChangeCounter) -> None:
        """Take the folder, and the counter that grows when there is a new bell."""
        self._folder = folder
        self._changes = changes
        # The counter, the bells that there were then, and the paths of addresses ("" where there is no bell).
        # One value, because threads share it: what one finds must not become part of what another found.
        self._remembered: tuple[int, frozenset[str], dict[str, str]] = (-1, frozenset(), {})

    def ring(self, addresses: list[str]) -> None:
        """Wake the processes that wait under one of the addresses; where none ever has, there is no bell."""
        changes = self._changes.value()
        seen, bells, paths = self._remembered
        if changes != seen:
            try:
                bells = frozenset(os.listdir(self._folder))
            except OSError:
                bells = frozenset()
            paths = {}
            self._remembered = (changes, bells, paths)
        for address in addresses:
            path = paths.get(address)
            if path is None:
                path = path_of(self._folder, address)
                path = paths[address] = path if os.path.basename(path) in bells else ""
            try:
                if path:
                    os.utime(path, follow_symlinks=False)
            except OSError:
                # It was removed; the waiter looks for itself before long.
                self._remembered = (-1, frozenset(), {})

    def hang(self, addresses: list[str]) -> list[str]:
        """Create the bells of these addresses where they are missing; return their paths."""
        paths = [path_of(self._folder, address) for address in addresses]
        fresh = [path for path in paths if not _is_regular(path)]
        try:
            if fresh:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
            for path in fresh:
                os.close(open_regular(path, os.O_WRONLY | os.O_CREAT))
            if fresh:
                self._changes.increment()
        except OSError as fault:
            raise StorageFailed(
                f"cannot wait: no bell {fault.filename or f'in {self._folder}'}",
                fault.strerror or str(fault),
                way_out(fault),
            ) from fault
        return paths


def _is_regular(path: str) -> bool:
    """Return True for a regular file; a symbolic link is no bell, whatever it leads to."""
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
