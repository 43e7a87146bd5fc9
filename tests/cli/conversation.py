"""The conversation with the daemon, as a program that knows the secret could have it."""

import os
import socket
from pathlib import Path

from palaver.daemon.command_socket import daemon_file
from tests.patience import PATIENCE

HEAD_BYTES = 32
GREETING = b"palaver 1\n"


class Conversation:
    """One connection to the daemon of a bus."""

    def __init__(self, folder: Path) -> None:
        said = Path(daemon_file(str(folder / ".palaver"))).read_text().split()
        self.port, self.theirs, self.ours = int(said[1]), said[2], said[3]
        self._folder = folder
        self.socket = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        self._answers = self.socket.makefile("rb")

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self.socket.close()

    def send(self, content: bytes) -> None:
        self.socket.sendall(content)

    def greet(self) -> bytes:
        """Return what the daemon answers a greeting with."""
        self.send(GREETING)
        return self._answers.readline()

    def rest(self) -> bytes:
        """Return all that the daemon says until it hangs up."""
        try:
            return self._answers.read()
        except ConnectionResetError:
            return b""

    def command(self, *words: str, agent: str = "ada") -> bytes:
        """Return the message that hands a command over."""
        names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
        variables = [f"PALAVER_AGENT={agent}", *(f"{each}={os.environ[each]}" for each in names)]
        fields = [str(self._folder), "---", str(os.getpid()), str(len(variables)), *variables, *words]
        return "".join(f"{each}\0" for each in [self.ours, str(len(fields)), *fields]).encode()

    def run(self, *words: str, agent: str = "ada") -> tuple[int, bytes]:
        """Run a command to its end; return its exit code and output."""
        assert self.greet().startswith(self.theirs.encode())
        self.send(self.command(*words, agent=agent))
        out = b""
        while True:
            kind, *numbers = self._answers.read(HEAD_BYTES).decode().split()
            if kind == "part":
                out += self._answers.read(int(numbers[0]))
                self.send(b"shown\n")
            elif kind == "done":
                return int(numbers[0]), out + self._answers.read(int(numbers[1]))
            else:
                assert kind == "busy", kind


def run(folder: Path, *words: str, agent: str = "ada") -> tuple[int, bytes]:
    """Run one command in the daemon; return its exit code and output."""
    with Conversation(folder) as conversation:
        return conversation.run(*words, agent=agent)
