"""What is left at the end of a simulation: the log, the files and the view, each read once."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from palaver.model.event import Event, source_of, text, texts
from palaver.model.names import BUS
from palaver.model.task import is_repeat
from palaver.sync.accounts import Account
from palaver.sync.intake.file_events import hashed
from palaver.views.tasks.board import MoveAttempt
from tests.simulation.company import HOME
from tests.simulation.ledger import TOKEN
from tests.simulation.simulation import Process, Simulation
from tests.sync.scene import stands_for


class Evidence(Process):
    """A process that only looks; it reads the log once."""

    def __init__(self, sim: Simulation) -> None:
        super().__init__(sim.folder)
        self.sim = sim

    @cached_property
    def log_events(self) -> list[Event]:
        return list(self.bus.session.log.read(0, 1_000_000))

    def settle_quietly(self) -> None:
        """Do passes until nothing is left to do; what must hold then is checked once, later."""
        check, self.check = self.check, lambda: None  # type: ignore[method-assign]
        try:
            self.settle()
        finally:
            self.check = check  # type: ignore[method-assign]

    def _sourced(self) -> Iterator[Event]:
        return (event for event in self.log_events if event.src)

    @cached_property
    def letters(self) -> list[Event]:
        """Return the messages that are not the bus's own."""
        return [event for event in self.log_events if event.event_type == "mail.sent" and event.actor != BUS]

    @cached_property
    def bus_notices(self) -> list[Event]:
        return [event for event in self.log_events if event.event_type == "mail.sent" and event.actor == BUS]

    @cached_property
    def by_token(self) -> dict[str, list[Event]]:
        """Return the messages that hold a token."""
        found: dict[str, list[Event]] = {}
        for event in self.letters:
            for token in set(TOKEN.findall(json.dumps(event.data, ensure_ascii=False))):
                found.setdefault(token, []).append(event)
        return found

    @cached_property
    def moves(self) -> list[MoveAttempt]:
        view = self.bus.session.view.current()
        return [MoveAttempt(*row) for row in view.execute("select * from task_move order by seq")]

    @cached_property
    def repeated_moves(self) -> set[int]:
        """Return the moves that changed nothing because what they say is so already."""
        return {each.seq for each in self.moves if is_repeat(each.act, each.before, each.why)}

    @cached_property
    def quarantine_bytes(self) -> bytes:
        folder = self.folder / ".palaver" / "quarantine"
        return b"".join(path.read_bytes() for path in sorted(folder.glob("*.bin")))

    def pending(self, file: str) -> str:
        """Return the end of a file that somebody seems to be writing still."""
        mount, _, inner = file.partition("/")
        account = self.file_accounts.get((mount, inner))
        content = (self.folder / file).read_bytes() if account and account.pending else b""
        return content[len(content) - account.pending :].decode("utf-8", "replace") if account else ""

    @cached_property
    def file_accounts(self) -> dict[tuple[str, str], Account]:
        return self.accounts()

    def objections(self, file: str) -> list[Event]:
        """Return what was quarantined or found in a file."""
        mount, _, inner = file.partition("/")
        wanted = ("file.quarantined", "file.found")
        return [
            event
            for event in self.log_events
            if (event.event_type in wanted or "found" in event.data)
            and (src := source_of(event))
            and (text(src, "mount"), text(src, "file")) == (mount, inner)
        ]

    def tokens_in(self, file: str, agent: str) -> Counter[str]:
        """Return how often each token occurs where an agent looks; what was quarantined does not count."""
        path = self.folder / file
        if path.is_dir():
            content = b"\n".join(each.read_bytes() for each in _plain_files(path))
        else:
            content = path.read_bytes() if path.exists() else b""
            content = self._without_quarantined(file, content)
        lines = content.decode("utf-8", "replace").split("\n")
        if HOME[agent] == "vermas":
            lines = [text(each, "body") for each in map(_fields, lines) if text(each, "to") == agent]
        return Counter(token for line in lines for token in TOKEN.findall(line))

    def _without_quarantined(self, file: str, content: bytes) -> bytes:
        mount, _, inner = file.partition("/")
        for offset, length, _, kind in reversed(self.spans(mount, inner)):
            if kind == "file.quarantined":
                content = content[:offset] + content[offset + length :]
        # A line that was quarantined before the file was rewritten counts as known.
        quarantined = [each for each in self.objections(file) if each.event_type == "file.quarantined"]
        torn = {sha for event in quarantined for sha in stands_for(event)}
        return b"\n".join(line for line in content.split(b"\n") if hashed(line) not in torn)


def recipients(event: Event) -> list[str]:
    return [each.removeprefix("@") for each in texts(event.data, "to")]


def _plain_files(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.iterdir()) if each.is_file() and not each.name.startswith(".")]


def _fields(line: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
