"""`.palaver/roster`: every address that means an agent, as a plain text beside the log.

A send reads it, so that it need not open the view. The file is written under the lock of the view before any
change of the roster is acknowledged. Its first line has the digest of the config that it was made with, and
the number of mounts. A process that finds the file missing, or the config changed, queries the view.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.files.regular import open_regular

_TITLE = b"palaver roster 1 "


def write(path: str, addresses: list[str], speakers: list[str], *, config: str, mounts: int) -> None:
    """Write the file; readers see the old one or the new one, complete."""
    bare = sorted({address.lstrip("@") for address in addresses})
    lines = [f"{_TITLE.decode()}{config} {mounts}", *bare, "", *sorted(speakers), ""]
    # A send only reads the file.
    from palaver.files.atomic_replace import write_whole

    write_whole(path, "\n".join(lines).encode(), is_durable=False)


class RosterCache:
    """The addresses and speakers of the file, as bytes that can be searched."""

    def __init__(self, path: str) -> None:
        """Read the file; one that is missing or invalid has no names."""
        try:
            with open(path, "rb", buffering=0, opener=open_regular) as file:
                content = file.read(1 << 26)
        except OSError:
            content = b""
        title, _, rest = content.partition(b"\n")
        addresses, gap, speakers = rest.partition(b"\n\n")
        whole = title.startswith(_TITLE) and gap and content.endswith(b"\n")
        config, _, mounts = title[len(_TITLE) :].partition(b" ")
        self.config = config.decode("ascii", "replace") if whole else ""
        # Without a valid file there may be some.
        self.mounts = int(mounts) if whole and mounts.isdigit() else 1
        self._addresses = b"\n" + addresses + b"\n" if whole else b""
        self._speakers = b"\n" + speakers if whole else b""
        self._heard: set[str] = set()
        self._meant: set[str] = set()

    def speaks(self, agent_id: str) -> bool:
        """Return True if an agent is registered and not retired."""
        return agent_id in self._heard or self._find(agent_id, self._speakers, self._heard)

    def means(self, address: str) -> bool:
        """Return True if an address means an agent."""
        return address in self._meant or self._find(address, self._addresses, self._meant)

    def _find(self, name: str, names: bytes, found: set[str]) -> bool:
        """Look a name up, and remember it if it is there: most mail goes to the same few agents."""
        if b"\n%b\n" % name.lstrip("@").encode() not in names:
            return False
        found.add(name)
        return True

    def forget(self) -> None:
        """Forget the config and all names, and assume that there are mounts: the file may be out of date."""
        self._addresses = self._speakers = b""
        self.config = ""
        self.mounts = 1
        self._heard.clear()
        self._meant.clear()
