"""hcom, the fastest other bus for agents that we know: written in Rust over SQLite, without a daemon.

It is installed from PyPI into an environment of its own, once. Its database gets as many messages as our log.
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.ground import BODY

VERSION = "0.7.31"
_HOME = Path(__file__).parent / ".hcom" / VERSION
# Agents have names of four letters there.
_ADA, _BOB = "nova", "luna"


class Hcom:
    """A database of hcom with two agents who have read their mail, and its commands nearest to ours."""

    def __init__(self, folder: Path, messages: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._program = _installed()
        os.environ["HCOM_DIR"] = str(folder)
        for agent in (_ADA, _BOB):
            self._run(self._words("start", "--as", agent))
        self._run(self.send())
        with self._database() as database:
            # One message of its own, as often as needed.
            database.execute(
                "WITH RECURSIVE number (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ?)"
                " INSERT INTO events (timestamp, type, instance, data)"
                " SELECT timestamp, type, instance, data FROM events, number WHERE type = 'message'",
                (messages,),
            )
            [(self._message,)] = database.execute("SELECT max(id) FROM events WHERE type = 'message'")
        self.read_all()

    def read_all(self) -> None:
        """Mark all mail as read, as agents do: many unread messages slow every command down."""
        with self._database() as database:
            database.execute("UPDATE instances SET last_event_id = (SELECT max(id) FROM events)")

    def count(self) -> int:
        """Return the number of messages."""
        with self._database() as database:
            [(found,)] = database.execute("SELECT count(*) FROM events WHERE type = 'message'")
        return int(found)

    def send(self) -> list[str]:
        """Return the command that sends a message."""
        return self._words("send", f"@{_BOB}", "--name", _ADA, "--", BODY)

    def list_messages(self) -> list[str]:
        """Return the command that lists messages and marks none as read."""
        self.read_all()
        return self._words("events", "--last", "20", "--type", "message")

    def list_agents(self) -> list[str]:
        """Return the command that shows what everybody does; there are no tasks."""
        self.read_all()
        return self._words("list")

    def read(self) -> list[str]:
        """Return the command that shows the unread mail, one message, and marks it as read."""
        self.read_all()
        self._run(self.send())
        return self._words("listen", "1", "--name", _BOB)

    def listen(self) -> list[str]:
        """Return the command that waits for a message."""
        return self._words("listen", "--timeout", "30", "--name", _BOB)

    def acknowledge(self) -> list[str]:
        """Return the command that acknowledges a message, which is a message too."""
        self.read_all()
        to = ("--intent", "ack", "--reply-to", str(self._message))
        return self._words("send", f"@{_ADA}", "--name", _BOB, *to, "--", "ok")

    def claim(self) -> list[str]:
        """Return the command that says who does a task."""
        self.read_all()
        return self._words("send", f"@{_ADA}", "--name", _BOB, "--intent", "inform", "--", "Task 7 is mine.")

    def _words(self, *words: str) -> list[str]:
        return [self._program, *words]

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._folder / "hcom.db", timeout=30)
        try:
            with database:
                yield database
        finally:
            database.close()

    def _run(self, words: list[str]) -> None:
        subprocess.run(words, cwd=self._folder, check=True, capture_output=True)


def _installed() -> str:
    """Return the path of the program, which is installed first if need be."""
    program = _HOME / "bin" / "hcom"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(_HOME)], check=True)
        pip = [str(_HOME / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, f"hcom=={VERSION}"], check=True, stdout=sys.stderr)
    return str(program)
