"""Wakeups: how a sender wakes exactly those who wait for this mail.

One empty file for each address that somebody has waited under, named by its hash. The sender touches
the bells of the addresses as it wrote them; a waiter watches the bells of every address that means
it. Nobody who is not meant wakes up.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _blake2 import blake2b
from stat import S_ISREG

from palaver.bus.change_counter import ChangeCounter
from palaver.files.regular import open_regular
from palaver.model.errors import StorageFailed


def path_of(folder: str, address: str) -> str:
    """Return the bell of an address; `@bob` and `bob` have the same."""
    return f"{folder}/{blake2b(address.lstrip('@').encode(), digest_size=8).hexdigest()}"


class Wakeups:
    """The bells of one bus, as one process remembers them."""

    __slots__ = ("_felt", "_folder", "_hung", "_paths", "_pulse")

    def __init__(self, folder: str, pulse: ChangeCounter) -> None:
        """Take the folder, and the pulse that beats when a new bell is hung."""
        self._folder = folder
        self._pulse = pulse
        self._felt = -1
        self._hung: frozenset[str] = frozenset()
        self._paths: dict[str, str] = {}

    def ring(self, addresses: list[str]) -> None:
        """Wake whoever waits under one of the addresses; where nobody ever has, there is no bell."""
        if self._pulse.felt() != self._felt:
            self._look()
        for address in addresses:
            path = self._paths.get(address)
            if path is None:
                path = path_of(self._folder, address)
                path = self._paths[address] = path if path in self._hung else ""
            if path:
                self._touch(path)

    def hang(self, addresses: list[str]) -> list[str]:
        """Make sure that the bells of these addresses are there; return their paths."""
        paths = [path_of(self._folder, address) for address in addresses]
        # lstat: a symbolic link is no bell, whatever it leads to.
        fresh = [path for path in paths if not _is_regular(path)]
        try:
            if fresh:
                os.makedirs(self._folder, mode=0o700, exist_ok=True)
            for path in fresh:
                os.close(open_regular(path, os.O_WRONLY | os.O_CREAT))
            if fresh:
                self._pulse.beat()
        except OSError as fault:
            raise StorageFailed(
                f"cannot wait: no bell {fault.filename or f'in {self._folder}'}",
                fault.strerror or str(fault),
                "mend it and try again",
            ) from fault
        return paths

    def _look(self) -> None:
        self._felt = self._pulse.felt()
        self._paths = {}
        try:
            self._hung = frozenset(f"{self._folder}/{name}" for name in os.listdir(self._folder))
        except OSError:
            self._hung = frozenset()

    def _touch(self, path: str) -> None:
        try:
            os.utime(path, follow_symlinks=False)
        except OSError:
            # Somebody tidied up; the waiter looks for itself before long.
            self._felt = -1


def _is_regular(path: str) -> bool:
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
