"""Kill a command at a chosen system call, just before the kernel would have done it."""

import re
import signal
from pathlib import Path
from typing import Final

from tests.processes.command import palaver
from tests.processes.faults import strace

_CALL: Final = re.compile(r"^\d+ +(\w+)\((.*)")
_ID: Final = re.compile("msg-[a-z2-7]{12}")


class Point:
    """One moment of a command: the nth call of that name."""

    def __init__(self, name: str, nth: int, words: str) -> None:
        self.name = name
        self.nth = nth
        self.words = words

    def __str__(self) -> str:
        return f"{self.name} number {self.nth}: {self.words[:60]}"


def points(*words: str, root: Path, agent: str, trace: Path) -> list[Point]:
    """Run a command to its end and return every call that it makes; not the first time, which makes more."""
    palaver(*words, root=root, agent=agent)
    done = palaver(*words, root=root, agent=agent, under=[*strace(output=trace), "-s", "200"])
    assert done.returncode == 0, done.stderr
    counts: dict[str, int] = {}
    found: list[Point] = []
    for line in trace.read_text(encoding="utf-8", errors="replace").split("\n"):
        call = _CALL.match(line)
        if call:
            counts[call[1]] = counts.get(call[1], 0) + 1
            found.append(Point(call[1], counts[call[1]], call[2]))
    assert len(found) > 100, "strace saw nothing"
    return found


class Killed:
    """What came of killing a command at many points."""

    def __init__(self) -> None:
        #: Points at which it died. Memory is asked for a little differently each time, so not every
        #: call of one run is there in the next; such a point is passed alive.
        self.deaths = 0
        self.passed: list[Point] = []
        #: Ids that it had told somebody before it died.
        self.acknowledged: list[str] = []


def killed(found: list[Point], *words: str, root: Path, agent: str) -> Killed:
    """Run a command once for each point and kill it there."""
    outcome = Killed()
    for point in found:
        rule = f"{point.name}:signal=SIGKILL:when={point.nth}"
        done = palaver(*words, root=root, agent=agent, under=strace(rule))
        assert done.returncode in (0, -signal.SIGKILL), f"{point}: {done.returncode} {done.stderr}"
        if done.returncode:
            outcome.deaths += 1
        else:
            outcome.passed.append(point)
        outcome.acknowledged += _ID.findall(done.stdout)
    return outcome
