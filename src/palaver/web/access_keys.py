"""Keys: the secret of a bus, and the two kinds of tokens that it signs.

    web.key         32 random bytes, 0600, created once; who can read it owns the bus anyway
    sign-in token   one use, ten minutes, one start of one server; it follows the `#` of the address, which
                    browsers send to no server, log or referrer
    session         what a sign-in token is exchanged for; a week, across restarts; kept by one tab

A token is compared in constant time, and never stored by us.
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
# How every token begins, so that one is recognised wherever it is written (see model/secrets.py).
_PREFIX: Final = "palaver_web_"


class Keys:
    """The secret of one bus, and what it signs."""

    def __init__(self, root: Root, *, boot: str, clock: Callable[[], float] = time.time) -> None:
        """Read the secret, or create it; `boot` names one start of the server."""
        self._secret = _secret(root.path + "/web.key")
        self._boot = boot
        self._clock = clock
        self._used: dict[str, float] = {}

    def sign_in_token(self) -> str:
        """Return a token that opens a session once."""
        return self._signed(f"in:{self._boot}", WEB_WAY_IN_SECONDS)

    def sign_in(self, token: str) -> str | None:
        """Exchange a sign-in token for a session; None if it is invalid, expired or used."""
        until = self._expiry(f"in:{self._boot}", token)
        now = self._clock()
        self._used = {used: at for used, at in self._used.items() if at > now}
        if until is None or token in self._used:
            return None
        self._used[token] = until
        return self._signed("session", WEB_SESSION_SECONDS)

    def is_session(self, token: str) -> bool:
        """Return True if a token is a session."""
        return self._expiry("session", token) is not None

    def proof(self, challenge: str) -> str:
        """Return the answer to a challenge that only a server of this bus can give."""
        return self._mac(f"proof:{self._boot}", challenge.encode()).hex()

    def _signed(self, use: str, seconds: int) -> str:
        content = secrets.token_bytes(_NONCE) + int(self._clock() + seconds).to_bytes(8, "big")
        return _PREFIX + urlsafe_b64encode(content + self._mac(use, content)).decode().rstrip("=")

    def _expiry(self, use: str, token: str) -> float | None:
        """Return when a token expires, None if it is not ours or has expired."""
        encoded = token.removeprefix(_PREFIX)
        if encoded == token:
            return None
        try:
            raw = urlsafe_b64decode(encoded.encode("ascii") + b"=" * (-len(encoded) % 4))
        except ValueError:
            raw = b""
        content, mac = raw[: _NONCE + 8], raw[_NONCE + 8 :]
        if not hmac.compare_digest(mac, self._mac(use, content)):
            return None
        until = int.from_bytes(content[_NONCE:], "big")
        return until if until > self._clock() else None

    def _mac(self, use: str, content: bytes) -> bytes:
        return hmac.new(self._secret, use.encode() + b"\0" + content, sha256).digest()


def _secret(path: str) -> bytes:
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            _create(path)
        return _read(path)
    except OSError as fault:
        raise StorageFailed(f"cannot use {path}", fault.strerror or str(fault), "fix it") from fault


def _create(path: str) -> None:
    """Create the key: it gets its name when it is complete, and of two created at once one counts."""
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
    with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise UnsafeRoot(f"will not use {path}", "others may read it", f"remove it, or: chmod 600 {path}")
        found = file.read(_BYTES + 1)
    if len(found) != _BYTES:
        raise StorageFailed(f"cannot use {path}", "it is not one of our keys", "remove it; a new one is made")
    return found
