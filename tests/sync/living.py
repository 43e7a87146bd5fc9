"""A bus that `palaver up` keeps alive: a real process, and waiting for what it does."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from palaver import Bus
from palaver.bus.root import Root
from palaver.daemon.background import is_answering
from palaver.model.event import Event, text
from palaver.wiring import begin
from tests.cli.daemons import DAEMONS
from tests.cli.spoken import PALAVER, Answer, Shell, polite, surroundings
from tests.patience import PATIENCE

# Far longer than anything takes on a machine that has other things to do.


def eventually(happened: Callable[[], object], what: object = "") -> None:
    """Wait for something that another process does; how long that takes decides nothing."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, what or "it never happened"
        time.sleep(0.005)


class Up:
    """One `palaver up`, from its start to its end; what it says goes into files."""

    def __init__(self, folder: Path, *words: str, under: tuple[str, ...] = ()) -> None:
        DAEMONS.leave(folder)
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is ours
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [*under, PALAVER, "up", "--no-web", *words],
            cwd=folder,
            env=surroundings(),
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            preexec_fn=_hear_interrupts,
            start_new_session=True,
        )

    @property
    def out(self) -> str:
        return _content(self._out.fileno())

    @property
    def err(self) -> str:
        return _content(self._err.fileno())

    def ready(self, folder: Path) -> "Up":
        """Return once it lets others in."""
        eventually(lambda: self.process.poll() is not None or daemon_answers(folder), self.err)
        assert self.process.poll() is None, self.err
        return self

    def until(self, happened: Callable[[], object], what: object = "") -> None:
        """Wait for something that it does; fail if it ends before it has done it."""
        eventually(lambda: self.process.poll() is not None or happened(), what)
        assert self.process.poll() is None or happened(), self.err

    def end(self, number: int = signal.SIGTERM) -> Answer:
        """End it as somebody would; return what it said."""
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        return polite(Answer(code=code, out=self.out, err=self.err), codes=frozenset({0, 1, 5}))

    def kill(self) -> None:
        """Let it die at once."""
        # With what it runs under: they are one group of ours.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self._out.close()
        self._err.close()


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _content(fd: int) -> str:
    return os.pread(fd, os.fstat(fd).st_size, 0).decode()


def daemon_answers(folder: Path) -> bool:
    """Return True if a daemon accepts commands; one that was killed leaves its file."""
    return is_answering(Root(str(folder / ".palaver")))


@contextmanager
def up(folder: Path, *words: str, under: tuple[str, ...] = ()) -> Iterator[Up]:
    """Keep a bus up while something is done."""
    running = Up(folder, *words, under=under)
    try:
        yield running.ready(folder)
    finally:
        running.close()


class Place:
    """A folder with a bus of ada's, and commands that are run there."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        begin(str(folder), "ada")
        self.folder = folder
        self.shell = Shell(folder=folder, env=surroundings(HOME=str(folder)))

    def mount(self, spoken: str, called: str = "", *words: str) -> Path:
        """Mount a folder, which is made if need be; return it."""
        folder = self.folder / (called or spoken)
        for inner in {"office": "messages", "vermas": ".work", "collab": "inbox"}.get(spoken, "."), ".":
            (folder / inner).mkdir(parents=True, exist_ok=True)
        self.do("mount", "add", spoken, str(folder), "--name", called or spoken, *words)
        return folder

    def do(self, *words: str) -> Answer:
        """Run a command that must succeed."""
        answer = self.shell.run(*words)
        assert answer.code == 0, answer
        return answer

    def send(self, to: str, body: str, sender: str = "ada") -> Answer:
        return self.do("send", to, "-m", body, "--as", sender)

    def bus(self) -> Bus:
        """Return the bus as another process sees it, which takes nothing in."""
        return Bus(str(self.folder), agent="ada")

    def events(self, *types: str) -> list[Event]:
        found = self.bus().session.log.read(0, 1_000_000)
        return [event for event in found if not types or event.event_type in types]

    def bodies(self) -> list[str]:
        """Return the texts of all messages, in the order of the log."""
        return [text(event.data, "body") for event in self.events("mail.sent")]


def swarm_line(body: str, sender: str = "programmer", to: str = "@qa") -> bytes:
    """Return a line as a swarm agent echoes it."""
    return (
        f'{{"ts":"2026-01-01T10:00:00.000Z","from":"{sender}","to":["{to}"],"type":"message",'
        f'"reasoning":"r","content":"{body}"}}\n'
    ).encode()


def read(path: Path) -> str:
    """Return the text of a file, nothing if it is not there."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""
