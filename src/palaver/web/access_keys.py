"""Keys: who may use the page. A secret of the bus, and two kinds of tokens that it signs.

    web.key     32 random bytes, 0600, made once; whoever can read it owns the bus anyway
    way in      one use, ten minutes, one start of one server; stands behind the `#` of the address, where no
                server, log or referrer sees it
    session     what a way in is exchanged for; a week, through restarts; a page keeps it for its tab alone

A token is checked in constant time, and never written down by us.
"""

import hmac
import os
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from threading import get_ident
from typing import Final

from palaver.bus.root import Root
from palaver.files.atomic_replace import put
from palaver.files.regular import open_regular
from palaver.model.errors import StorageFailed, UnsafeRoot
from palaver.model.limits import WEB_SESSION_SECONDS, WEB_WAY_IN_SECONDS

_BYTES: Final = 32
_NONCE: Final = 16


class Keys:
    """The secret of one bus, and what it signs."""

    def __init__(self, root: Root, *, boot: str, clock: Callable[[], float] = time.time) -> None:
        """Read the secret, or make it; `boot` names one start of the server."""
        self._secret = _secret(root.path + "/web.key")
        self._boot = boot
        self._clock = clock
        self._used: dict[str, float] = {}

    def way_in(self) -> str:
        """Return a token that opens a session once."""
        return self._signed(f"in:{self._boot}", WEB_WAY_IN_SECONDS)

    def opened(self, token: str) -> str | None:
        """Exchange a way in for a session; None if it is none, too old, or used."""
        until = self._until(f"in:{self._boot}", token)
        now = self._clock()
        self._used = {used: at for used, at in self._used.items() if at > now}
        if until is None or token in self._used:
            return None
        self._used[token] = until
        return self._signed("session", WEB_SESSION_SECONDS)

    def known(self, token: str) -> bool:
        """Tell whether a token is a session."""
        return self._until("session", token) is not None

    def proof(self, challenge: str) -> str:
        """Return what only a server of this bus can answer to a challenge."""
        return self._mac(f"proof:{self._boot}", challenge.encode()).hex()

    def _signed(self, use: str, seconds: int) -> str:
        said = secrets.token_bytes(_NONCE) + int(self._clock() + seconds).to_bytes(8, "big")
        return urlsafe_b64encode(said + self._mac(use, said)).decode().rstrip("=")

    def _until(self, use: str, token: str) -> float | None:
        """Return when a token ends, None if it is not ours or has ended."""
        try:
            raw = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except ValueError:
            raw = b""
        said, mac = raw[: _NONCE + 8], raw[_NONCE + 8 :]
        if not hmac.compare_digest(mac, self._mac(use, said)):
            return None
        until = int.from_bytes(said[_NONCE:], "big")
        return until if until > self._clock() else None

    def _mac(self, use: str, said: bytes) -> bytes:
        return hmac.new(self._secret, use.encode() + b"\0" + said, sha256).digest()


def _secret(path: str) -> bytes:
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            _make(path)
        return _read(path)
    except OSError as fault:
        raise StorageFailed(f"cannot use {path}", fault.strerror or str(fault), "mend it") from fault


def _make(path: str) -> None:
    """Make the key; it has its name only when it is whole, and of two that are made at once one counts."""
    fresh = f"{path}.{os.getpid()}.{get_ident()}"
    fd = open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        put(fd, secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        os.close(fd)
        os.unlink(fresh)


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if os.fstat(fd).st_mode & 0o077:
            raise UnsafeRoot(f"will not use {path}", "others may read it", f"remove it, or: chmod 600 {path}")
        found = os.read(fd, _BYTES + 1)
    finally:
        os.close(fd)
    if len(found) != _BYTES:
        raise StorageFailed(f"cannot use {path}", "it is not a key of ours", "remove it; a new one is made")
    return found
