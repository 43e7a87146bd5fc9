"""Somebody at the door of a daemon, who says lines and hears lines."""

import json
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.patience import PATIENCE


class Visitor:
    """One connection to the socket of a bus."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE)
        inside = os.open(folder / ".palaver", os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._socket.connect(f"/proc/self/fd/{inside}/socket")
        except OSError:
            self._socket.close()
            raise
        finally:
            os.close(inside)
        self._heard = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def say(self, content: bytes) -> None:
        self._socket.sendall(content)

    def hear(self) -> bytes:
        """Return the next line, nothing if the other side has closed."""
        while b"\n" not in self._heard:
            piece = self._socket.recv(65_536)
            if not piece:
                break
            self._heard += piece
        line, newline, self._heard = self._heard.partition(b"\n")
        return line + newline

    def ask(self, content: bytes) -> dict[str, object]:
        """Say one line, and return the answer."""
        self.say(content)
        answer = json.loads(self.hear())
        assert isinstance(answer, dict)
        return answer

    def done(self) -> list[bytes]:
        """Say that nothing more comes; return all that is still said."""
        self._socket.shutdown(socket.SHUT_WR)
        lines = []
        while line := self.hear():
            lines.append(line)
        return lines

    def close(self) -> None:
        self._socket.close()


def request(body: object = "Hello", **more: object) -> bytes:
    """Return a request to send, from ada to bob."""
    fields: dict[str, object] = {"from": "ada", "to": ["bob"], "body": body, **more}
    return json.dumps({"send": fields}).encode() + b"\n"


def code(answer: dict[str, object]) -> object:
    """Return the code of a refusal."""
    error = answer.get("error")
    assert isinstance(error, dict), answer
    return error["code"]
