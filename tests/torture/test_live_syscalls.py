"""Killed at every system call that changes something: intake and rendering go on where they were."""

import re
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from palaver.api import Bus
from palaver.bus.root import find
from palaver.bus.session import Session
from tests.processes.command import palaver
from tests.processes.faults import strace
from tests.processes.figures import tell
from tests.processes.syscalls import Point
from tests.sync.kills import EVERYWHERE, SUBJECT
from tests.sync.scene import Scene, append, dropped, left_alone
from tests.sync.spoken import SPEECHES

pytestmark = pytest.mark.torture

_CALL: Final = re.compile(r"^\d+ +(\w+)\((.*)")
#: What leaves something behind, if only a place in a file or a lock.
CHANGES: Final = frozenset(
    [
        "write",
        "pwrite64",
        "pwritev",
        "fdatasync",
        "fsync",
        "rename",
        "link",
        "unlink",
        "mkdir",
        "flock",
        "ftruncate",
    ]
)
TOKEN: Final = re.compile(rb"<[a-z]+-[0-9]+>")


class Work:
    """A bus with five mounts, for which there is something to do before each command."""

    def __init__(self, folder: Path) -> None:
        self.scene = Scene(folder / "bus")
        for speech in SPEECHES:
            mount = self.scene.mount(speech.dialect, **speech.settings)
            append(mount / speech.file, speech.says("I live here"))
            left_alone(mount / speech.file)
        self.scene.settle()
        self.root = self.scene.folder
        self.quiet = Bus(session=Session(find(str(self.root)), agent="ada"))
        self.said: Counter[str] = Counter()
        self._count = 0

    def more(self) -> str:
        """Let an agent of each dialect say something, and drop a file; return what a command may say."""
        self._count += 1
        for speech in SPEECHES:
            body = f"<{speech.dialect}-{self._count}>"
            append(self.root / speech.dialect / speech.file, speech.says(body))
            left_alone(self.root / speech.dialect / speech.file)
            self.said[body] += 1
        body = f"<drop-{self._count}>"
        # And let there be something to write, too: this bus sends without a look at files.
        self.quiet.send("@all", f"<sent-{self._count + 1_000_000}>")
        dropped(self.root / "collab/inbox", f"msg_{1771730144_000000000 + self._count}.txt", body.encode())
        self.said[body] += 1
        return f"<sent-{self._count}>"

    def run(self, *words: str, under: list[str]) -> int:
        done = palaver(*words, root=self.root, agent="ada", under=under)
        assert done.returncode in (0, -signal.SIGKILL), done
        return done.returncode

    def points(self, folder: Path, *words: str) -> list[Point]:
        """Return the calls of a command that change something, one by one."""
        body = self.more()
        trace = folder / "trace"
        given = [body if word == "BODY" else word for word in words]
        assert self.run(*given, under=[*strace(output=trace), "-s", "200"]) == 0
        counts: Counter[str] = Counter()
        found: list[Point] = []
        for line in trace.read_text(encoding="utf-8", errors="replace").split("\n"):
            call = _CALL.match(line)
            if call:
                counts[call[1]] += 1
                if call[1] in CHANGES:
                    found.append(Point(call[1], counts[call[1]], call[2]))
        return found

    def check(self) -> Counter[str]:
        """Come to rest; check that all is there once, in the log and in the files; return what was sent."""
        self.scene.restart()
        self.scene.settle()
        bodies = Counter(body for body in self.scene.bodies() if body.startswith("<"))
        sent = Counter({body: count for body, count in bodies.items() if body.startswith("<sent")})
        assert bodies - sent == self.said
        assert set(sent.values()) <= {1}
        for file in (*EVERYWHERE, "office/messages/employee-ada.log"):
            assert self._standing(file) == sent, file
        assert self.scene.bus.verify().faults == []
        return sent

    def _standing(self, file: str) -> Counter[str]:
        path = self.root / file
        if path.is_dir():
            content = b"".join(each.read_bytes() for each in path.iterdir() if not each.name.startswith("."))
        else:
            content = path.read_bytes()
            mount, _, inner = file.partition("/")
            for offset, length, _, kind in reversed(self.scene.spans(mount, inner)):
                if kind == "file.quarantined":
                    content = content[:offset] + content[offset + length :]
        # In vermas the subject of a message may be its first words.
        tokens = Counter(token.decode() for token in TOKEN.findall(SUBJECT.sub(b"", content)))
        return Counter({token: count for token, count in tokens.items() if token.startswith("<sent")})


@pytest.mark.parametrize(
    "words",
    [("sync",), ("send", "@all", "-m", "BODY"), ("read", "--as", "ceo")],
    ids=lambda words: words[0],
)
def test_a_command_may_be_killed_at_every_change_that_it_makes(
    tmp_path: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    work = Work(tmp_path)
    found = work.points(tmp_path, *words)
    began = time.monotonic()
    deaths = 0

    for point in found:
        body = work.more()
        given = [body if word == "BODY" else word for word in words]
        rule = f"{point.name}:signal=SIGKILL:when={point.nth}"
        deaths += work.run(*given, under=strace(rule)) != 0

    sent = work.check()
    assert deaths > len(found) // 2, f"{deaths} deaths at {len(found)} points"
    tell(
        capsys,
        f"live files: {words[0]} killed at {deaths} of {len(found)} changes "
        f"in {time.monotonic() - began:.0f} s: "
        f"{sum(work.said.values())} lines of others, {len(sent)} sent to five mounts: 0 missing, 0 twice",
    )
