"""Sockets that listen to a dashboard like browsers do, in their own process: port, session, count."""

import selectors
import socket
import sys


def listen(port: int, session: str, count: int) -> None:
    """Open the sockets, report it, and read until told to end."""
    waiting = selectors.DefaultSelector()
    for _ in range(count):
        wire = socket.create_connection(("127.0.0.1", port))
        head = (
            f"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {session}\r\n\r\n"
        )
        wire.sendall(head.encode())
        assert wire.recv(65_536).startswith(b"HTTP/1.1 200")
        waiting.register(wire, selectors.EVENT_READ, wire)
    waiting.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    while True:
        for key, _ in waiting.select():
            if key.data is None:
                return
            key.data.recv(1 << 20)


if __name__ == "__main__":
    listen(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
