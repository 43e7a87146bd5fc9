"""Bells: how a sender wakes exactly those who wait for this mail.

One empty file for each address that somebody has waited under, named by its hash. The sender touches
the bells of the addresses as it wrote them; a waiter watches the bells of every address that means
it. Nobody who is not meant wakes up.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _blake2 import blake2b


def path_of(folder: str, address: str) -> str:
    """Return the bell of an address; `@bob` and `bob` have the same."""
    return f"{folder}/{blake2b(address.lstrip('@').encode(), digest_size=8).hexdigest()}"


def ring(folder: str, addresses: list[str]) -> None:
    """Wake whoever waits under one of the addresses; where nobody ever has, there is no bell."""
    for address in addresses:
        try:
            os.utime(path_of(folder, address))
        except OSError:
            continue


def hang(folder: str, addresses: list[str]) -> list[str]:
    """Make sure that the bells of these addresses are there; return their paths."""
    paths = [path_of(folder, address) for address in addresses]
    for path in paths:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return paths
