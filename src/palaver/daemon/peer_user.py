"""The user on the other end of a TCP connection on this machine.

A port on loopback is open to every user of the machine; a file is not. The kernel knows which user owns the
other end of a connection: `sock_diag(7)` tells it for one connection at once.
"""

import os
import socket
import struct

_NETLINK_SOCK_DIAG = 4
_BY_FAMILY, _REQUEST = 20, 1
# The state filter, and the cookie that means "any".
_ALL_STATES, _ANY = 0xFFFFFFFF, 0xFFFFFFFF
_HEADER = struct.Struct("=IHHII")
_QUERY = struct.Struct("=BBBBI")
_PORTS = struct.Struct("!HH")
_REST = struct.Struct("=III")
# Where the user stands in the answer: behind the header, family and timers (4), the connection (48),
# and three counters (12).
_USER = struct.Struct("=I")
_USER_OFFSET = _HEADER.size + 4 + 48 + 12


def is_same_user(connection: socket.socket) -> bool:
    """Return True if the other end of a connection belongs to the user of this process."""
    return peer_user(connection) == os.geteuid()


def peer_user(connection: socket.socket) -> int | None:
    """Return the user of the other end of a connection over IPv4, None if the kernel does not say."""
    try:
        ours, theirs = connection.getsockname(), connection.getpeername()
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as kernel:
            kernel.settimeout(1.0)
            kernel.send(_query(theirs, ours))
            answer = kernel.recv(8192)
    except OSError:
        return None
    _, kind, *_ = _HEADER.unpack_from(answer)
    if kind != _BY_FAMILY or len(answer) < _USER_OFFSET + _USER.size:
        return None
    return int(_USER.unpack_from(answer, _USER_OFFSET)[0])


def _query(source: tuple[str, int], target: tuple[str, int]) -> bytes:
    """Return the question for the one connection between two ends."""
    ends = _PORTS.pack(source[1], target[1]) + _padded(source[0]) + _padded(target[0])
    query = (
        _QUERY.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ALL_STATES) + ends + _REST.pack(0, _ANY, _ANY)
    )
    return _HEADER.pack(_HEADER.size + len(query), _BY_FAMILY, _REQUEST, 1, 0) + query


def _padded(address: str) -> bytes:
    return socket.inet_aton(address).ljust(16, b"\0")
