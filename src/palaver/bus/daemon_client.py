"""The client of the daemon's socket: hands over a message, and the answer means that it is safe.

Without an answer in time the caller does the work itself, with the same key: then it counts once, whatever
the daemon does with it later.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.bus.mail.message_check import SendResult
from palaver.bus.root import Root
from palaver.log.clock import letters
from palaver.model.event import number, text
from palaver.model.limits import SOCKET_WAIT_SECONDS
from palaver.model.message import Message
from palaver.model.plain import dumps, loads

# Fields of a message that a request does not have.
_OURS = ("message_id", "hops", "tag", "undeliverable", "redacted")


def new_key() -> str:
    """Return a key that belongs to one message."""
    return f"door-{letters()}"


def handed_over(
    root: Root, message: Message, *, key: str, allow_secret: bool, token: str = ""
) -> SendResult | None:
    """Hand a message over; None if that failed, or if the answer is more than a success."""
    fields = {name: value for name, value in message.fields().items() if name not in _OURS}
    request = {"v": 1, "send": fields, "key": key, "allow_secret": allow_secret}
    if message.auth == "token":
        request["token"] = token
    answer = _answer(root, (dumps(request) + "\n").encode())
    try:
        found = loads(answer.decode().rstrip("\n"))
    except ValueError:
        return None
    if type(found) is not dict or "error" in found or found.get("undeliverable"):
        return None
    names = ("id", "event_id", "at", "thread")
    message = message.replace(**{name: text(found, name) for name in names}, seq=number(found, "seq"))
    return SendResult(message, fresh=found.get("duplicate") is not True, unknown=[])


def _answer(root: Root, line: bytes) -> bytes:
    import _socket

    folder = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        client = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        client.settimeout(SOCKET_WAIT_SECONDS)
        # The path of a socket must be short, and the folder may be deep.
        client.connect(f"/proc/self/fd/{folder}/socket")
        client.sendall(line)
        pieces = [client.recv(65_536)]
        while pieces[-1] and not pieces[-1].endswith(b"\n"):
            pieces.append(client.recv(65_536))
        client.close()
    except OSError:
        # There is no daemon, or it is busy.
        return b""
    finally:
        os.close(folder)
    return b"".join(pieces)
