"""`.palaver/roster`: every address that means somebody, as a plain text beside the log.

A send looks here, so that it need not open the view. The file is written anew, under the view's lock,
before any change of the roster is acknowledged; its first line holds the digest of the config that it
was made with, and how many mounts there are. Whoever finds the file missing, or the config changed, asks
the view instead.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _blake2 import blake2b

from palaver.files.regular import open_regular

_TITLE = b"palaver roster 1 "


def digest(config: bytes) -> str:
    """Return what stands for the config."""
    return blake2b(config, digest_size=8).hexdigest()


def write(path: str, addresses: list[str], speakers: list[str], *, config: str, mounts: int) -> None:
    """Write the file; readers see the old one or the new one, whole."""
    bare = sorted({address.lstrip("@") for address in addresses})
    lines = [f"{_TITLE.decode()}{config} {mounts}", *bare, "", *sorted(speakers), ""]
    # A send only reads the file.
    from palaver.files.atomic_replace import write_whole

    write_whole(path, "\n".join(lines).encode(), is_durable=False)


class RosterCache:
    """The addresses and speakers of the file, as bytes that can be searched."""

    __slots__ = ("_addresses", "_heard", "_meant", "_speakers", "config", "mounts")

    def __init__(self, path: str) -> None:
        """Read the file; one that is missing or strange knows nobody."""
        content = b""
        try:
            fd = open_regular(path, os.O_RDONLY)
            try:
                content = os.read(fd, 1 << 26)
            finally:
                os.close(fd)
        except OSError:
            content = b""
        title, _, rest = content.partition(b"\n")
        addresses, gap, speakers = rest.partition(b"\n\n")
        whole = title.startswith(_TITLE) and gap and content.endswith(b"\n")
        config, _, mounts = title[len(_TITLE) :].partition(b" ")
        self.config = config.decode("ascii", "replace") if whole else ""
        # Whoever knows nothing must suppose that there are some.
        self.mounts = int(mounts) if whole and mounts.isdigit() else 1
        self._addresses = b"\n" + addresses + b"\n" if whole else b""
        self._speakers = b"\n" + speakers if whole else b""
        self._heard: set[str] = set()
        self._meant: set[str] = set()

    def speaks(self, agent_id: str) -> bool:
        """Tell whether an agent is known and not retired."""
        return agent_id in self._heard or self._look(agent_id, self._speakers, self._heard)

    def means(self, address: str) -> bool:
        """Tell whether an address means somebody."""
        return address in self._meant or self._look(address, self._addresses, self._meant)

    def _look(self, name: str, names: bytes, found: set[str]) -> bool:
        """Look a name up, and remember it if it is there: most mail goes to the same few."""
        if b"\n%b\n" % name.lstrip("@").encode() not in names:
            return False
        found.add(name)
        return True

    def forget(self) -> None:
        """Know nobody, and suppose that there are mounts: what the file says may be out of date."""
        self._addresses = self._speakers = b""
        self.mounts = 1
        self._heard.clear()
        self._meant.clear()
