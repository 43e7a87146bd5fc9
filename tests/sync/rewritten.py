"""The files that the bus rewrites as a whole while other programs write to them, one class each.

A case is prepared, so that the next pass rewrites its file. Another program writes to the file at some moment
of that pass. What it wrote must be in the file after one more pass, and in the log, both once.
"""

import json
from collections import Counter
from pathlib import Path

from palaver.model.event import text, texts
from tests.sync.interleaving import quiet_bus
from tests.sync.scene import Scene, append


class Case:
    """One file that is rewritten; `says` holds all that other programs wrote to it."""

    mount = "vermas"

    def __init__(self, folder: Path) -> None:
        self.scene = Scene(folder / "project")
        self.folder = self.begin()
        self.scene.settle()
        self.quiet = quiet_bus(self.scene)

    def begin(self) -> Path:
        """Mount a folder, with what must be there; return it."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        raise NotImplementedError

    def prepare(self, number: int) -> None:
        """Let there be something that the next pass writes into the file."""
        raise NotImplementedError

    def variants(self, number: int) -> list[bytes]:
        """Return what another program may write."""
        raise NotImplementedError

    def wrote(self, number: int, content: bytes) -> None:
        """Remember what another program wrote."""
        raise NotImplementedError

    def check_file(self) -> None:
        """Check that the file has all that was written to it, once."""
        raise NotImplementedError

    def check_log(self) -> None:
        """Check that the log has all that was written to the file, once."""
        raise NotImplementedError


# --- files of lines ---


def words_of(content: bytes) -> list[str]:
    """Return the words in angle brackets, of which each line has one of its own."""
    return [part.partition(b">")[0].decode() for part in content.split(b"<")[1:]]


class Lines(Case):
    """A file of lines: every line is known by a word in angle brackets."""

    def begin(self) -> Path:
        self.words: Counter[str] = Counter()
        self.junk: Counter[str] = Counter()
        return self.scene.mount("vermas")

    def wrote(self, number: int, content: bytes) -> None:
        for line in content.split(b"\n"):
            (self.junk if line.startswith(b"junk") else self.words).update(words_of(line))

    def check_file(self) -> None:
        # What the bus tells the author of a line quotes the line.
        lines = [line for line in self.path.read_bytes().split(b"\n") if b'"from":"palaver"' not in line]
        found = Counter(words_of(b"\n".join(lines)))
        wanted = self.words + self.junk
        assert found == wanted, f"missing {wanted - found}, too many {found - wanted}"

    def check_log(self) -> None:
        found = self.logged()
        assert found == self.words, f"missing {self.words - found}, too many {found - self.words}"
        # Consecutive lines that nobody can read are one entry, which names the hash of each.
        entries = self.scene.events("file.quarantined")
        assert sum(max(1, len(texts(entry.data, "shas"))) for entry in entries) == self.junk.total()

    def logged(self) -> Counter[str]:
        """Return the words that the log knows."""
        raise NotImplementedError


class Mail(Lines):
    """`messages.jsonl`, which gets a mark for each message that was read."""

    def begin(self) -> Path:
        folder = super().begin()
        append(folder / ".work/messages.jsonl", self.line("msg-0", "boss", to="w1", sender="boss"))
        self.words["boss"] += 1
        return folder

    @property
    def path(self) -> Path:
        return self.folder / ".work/messages.jsonl"

    def prepare(self, number: int) -> None:
        self.say(self.line(f"msg-r{number}", f"r{number}"))
        self.scene.sync()
        self.quiet.session.view.current()
        self.quiet.read([f"msg-r{number}"], agent="boss")

    def say(self, content: bytes) -> None:
        append(self.path, content)
        self.wrote(0, content)

    def variants(self, number: int) -> list[bytes]:
        one, other = self.line(f"msg-x{number}", f"x{number}"), self.line("", f"y{number}")
        junk = f"junk <z{number}>\n".encode()
        return [one, other, junk, b"\n\n" + one + b"  \n\n", one + other, other + junk + one]

    def check_file(self) -> None:
        super().check_file()
        marked = [line for line in self.path.read_bytes().split(b"\n") if b'"read_at":"' in line]
        assert len(marked) == sum(word.startswith("r") for word in self.words)

    def logged(self) -> Counter[str]:
        return Counter(word for body in self.scene.bodies() for word in words_of(body.encode()))

    @staticmethod
    def line(message_id: str, word: str, to: str = "boss", sender: str = "w1") -> bytes:
        """Return a line; without an id if that is empty."""
        named = {"id": message_id} if message_id else {}
        fields = {"from": sender, "to": to, "subject": "s", "body": f"<{word}>"}
        return (json.dumps({**named, **fields, "timestamp": "2026-01-01T10:00:00.000Z"}) + "\n").encode()


class Orders(Lines):
    """`work_orders.jsonl`, which gets a line for each task that was opened elsewhere."""

    def begin(self) -> Path:
        folder = super().begin()
        self.scene.bus.open_task("<first>", task="wo-0")
        self.words["first"] += 1
        return folder

    @property
    def path(self) -> Path:
        return self.folder / ".work/work_orders.jsonl"

    def prepare(self, number: int) -> None:
        self.quiet.open_task(f"<r{number}>", task=f"wo-r{number}")
        self.words[f"r{number}"] += 1

    def variants(self, number: int) -> list[bytes]:
        one, other = self.line(f"wo-x{number}", f"x{number}"), self.line(f"wo-y{number}", f"y{number}")
        junk = f"junk <z{number}>\n".encode()
        return [one, junk, b"\n\n" + one + b"  \n\n", one + other, junk + one]

    def check_file(self) -> None:
        super().check_file()
        lines = self.path.read_bytes().split(b"\n")
        theirs = [line for line in lines if b"<x" in line or b"<y" in line]
        assert all(b'"theirs"' in line for line in theirs), "a field that the bus does not know was lost"

    def logged(self) -> Counter[str]:
        return Counter(
            word
            for event in self.scene.events("task.opened")
            for word in words_of(text(event.data, "title").encode())
        )

    @staticmethod
    def line(task: str, word: str) -> bytes:
        return (json.dumps({"id": task, "title": f"<{word}>", "theirs": 1}) + "\n").encode()


# --- small files, which other programs save as a whole ---


class Assignment(Case):
    """`.assignment-ceo`, which says what the bus assigned last."""

    def begin(self) -> Path:
        self.wanted = ""
        folder = self.scene.mount("vermas")
        self.scene.bus.add_agent("ceo")
        self.scene.bus.assign("ceo", "process:p-0")
        return folder

    @property
    def path(self) -> Path:
        return self.folder / ".work/.assignment-ceo"

    def prepare(self, number: int) -> None:
        self.wanted = f"process:p-r{number}"
        self.quiet.assign("ceo", self.wanted, replace=True)

    def variants(self, number: int) -> list[bytes]:
        return [f"process:p-x{number}\n".encode()]

    def wrote(self, number: int, content: bytes) -> None:
        self.wanted = content.decode().strip()

    def check_file(self) -> None:
        assert self.path.read_text().strip() == self.wanted

    def check_log(self) -> None:
        held = self.scene.bus.assignment(agent="ceo")
        assert held is not None
        assert held.line == self.wanted


class Office(Case):
    """An office with one task, whose title the bus changes."""

    mount = "office"

    def begin(self) -> Path:
        self.wanted = ""
        folder = self.scene.folder / "office"
        (folder / "messages").mkdir(parents=True)
        (folder / "tasks").mkdir()
        (folder / "tasks/task-1.json").write_text('{"id": "task-1", "title": "first", "status": "Ready"}')
        return self.scene.mount("office", manager="boss")

    def prepare(self, number: int) -> None:
        self.quiet.change_task("1", about=f"r{number}", by="boss")

    def wrote(self, number: int, content: bytes) -> None:
        self.wanted = f"x{number}"


class TaskCard(Office):
    """`tasks/task-1.json`."""

    @property
    def path(self) -> Path:
        return self.folder / "tasks/task-1.json"

    def variants(self, number: int) -> list[bytes]:
        fields = json.loads(self.path.read_text())
        return [json.dumps({**fields, "title": f"x{number}", "theirs": number}).encode()]

    def check_file(self) -> None:
        fields = json.loads(self.path.read_text())
        assert (fields["title"], f"x{fields['theirs']}") == (self.wanted, self.wanted)

    def check_log(self) -> None:
        assert self.scene.bus.task("1").task.title == self.wanted


class Board(Office):
    """`board.json`, of which fields that the bus does not know are kept."""

    @property
    def path(self) -> Path:
        return self.folder / "board.json"

    def prepare(self, number: int) -> None:
        self.quiet.change_task("1", title=f"r{number}", by="boss")

    def variants(self, number: int) -> list[bytes]:
        fields = json.loads(self.path.read_text())
        return [json.dumps({**fields, "theirs": f"x{number}"}).encode()]

    def check_file(self) -> None:
        fields = json.loads(self.path.read_text())
        assert fields["theirs"] == self.wanted
        assert [card["taskId"] for card in fields["cards"]] == ["task-1"]

    def check_log(self) -> None:
        assert json.loads(self.path.read_text())["cards"][0]["title"] == self.scene.bus.task("1").task.title


CASES: dict[str, type[Case]] = {
    "mail": Mail,
    "orders": Orders,
    "assignment": Assignment,
    "card": TaskCard,
    "board": Board,
}
