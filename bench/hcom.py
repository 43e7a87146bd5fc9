"""hcom, the fastest other bus for agents that we know: written in Rust over SQLite, without a daemon.

It is installed from PyPI into an environment of its own, once. Its database gets as many messages as our log.
"""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from bench.ground import BODY

VERSION = "0.7.31"
_HOME = Path(__file__).parent / ".hcom" / VERSION


class Hcom:
    """A database of hcom with two agents, ada and bob by other names, and messages between them."""

    ada = "nova"
    bob = "luna"

    def __init__(self, folder: Path, messages: int) -> None:
        self.folder = folder
        folder.mkdir()
        self.program = _installed()
        os.environ["HCOM_DIR"] = str(folder)
        for agent in (self.ada, self.bob):
            self._run("start", "--as", agent)
        self._run(*self.send())
        with sqlite3.connect(folder / "hcom.db") as database:
            database.execute(
                "WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < ?)"
                " INSERT INTO events (timestamp, type, instance, data)"
                " SELECT timestamp, type, instance, data FROM events, number WHERE type = 'message'",
                (messages,),
            )
        database.close()
        self._run("listen", "1", "--name", self.bob)

    def send(self) -> list[str]:
        """Return the command that sends what we send."""
        return ["send", f"@{self.bob}", "--name", self.ada, "--", BODY]

    def words(self, *words: str) -> list[str]:
        return [self.program, *words]

    def count(self) -> int:
        """Return the number of messages."""
        with sqlite3.connect(self.folder / "hcom.db") as database:
            [found] = database.execute("SELECT count(*) FROM events WHERE type = 'message'").fetchone()
        database.close()
        return int(found)

    def _run(self, *words: str) -> None:
        subprocess.run(self.words(*words), cwd=self.folder, check=True, capture_output=True)


def _installed() -> str:
    """Return the path of the program, which is installed if need be."""
    program = _HOME / "bin" / "hcom"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(_HOME)], check=True)
        pip = [str(_HOME / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, f"hcom=={VERSION}"], check=True, stdout=sys.stderr)
    return str(program)
