"""Finding the running dashboard of a bus, and checking that it is one before a sign-in link is made for it.

Another program may use the port by now. So the server must first answer a challenge that only a server with
the key of this bus can answer.
"""

import hmac
import http.client
import os
import secrets
from dataclasses import dataclass
from json import loads
from typing import Final

from palaver.bus.root import Root
from palaver.web.access_keys import Keys

_SECONDS: Final = 5.0
_BYTES: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server, as it describes itself."""

    port: int
    pid: int
    boot: str

    def address(self, keys: Keys) -> str:
        """Return a new sign-in link; its token follows the `#`, so that browsers send it to no server."""
        return f"http://127.0.0.1:{self.port}/#in={keys.sign_in_token()}"


def announced(root: Root) -> Running | None:
    """Return the server that `web.json` describes; it may be gone, or another program."""
    try:
        fd = os.open(root.path + "/web.json", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = loads(os.read(fd, _BYTES))
        finally:
            os.close(fd)
        return Running(port=int(found["port"]), pid=int(found["pid"]), boot=str(found["boot"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def running(root: Root) -> Running | None:
    """Return the running server of this bus, if there is one that proves it."""
    found = announced(root)
    if found is None or not 0 < found.port < 65_536:
        return None
    challenge = secrets.token_hex(16)
    connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=_SECONDS)
    try:
        connection.request("GET", f"/api/hello?challenge={challenge}")
        proof = loads(connection.getresponse().read(_BYTES))["proof"]
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
        return None
    finally:
        connection.close()
    proved = hmac.compare_digest(str(proof), Keys(root, boot=found.boot).proof(challenge))
    return found if proved else None


def listening(port: int) -> int:
    """Return the process that listens on a port of this machine, 0 if it is another user's."""
    sockets = {row[9] for row in _rows("/proc/net/tcp") if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
    wanted = {f"socket:[{inode}]" for inode in sockets}
    for pid in filter(str.isdecimal, os.listdir("/proc") if wanted else ()):
        try:
            opened = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        if not wanted.isdisjoint(opened):
            return int(pid)
    return 0


def _rows(path: str) -> list[list[str]]:
    try:
        with open(path, encoding="ascii") as listing:
            return [line.split() for line in listing.read().splitlines()[1:]]
    except OSError:
        return []
