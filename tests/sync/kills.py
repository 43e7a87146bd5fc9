"""Processes that take in and write out are killed at random, while others append to the same files.

As a program it has everything loaded and forks a worker for each line of its input: one in milliseconds.
"""

import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from palaver import Bus
from palaver.cli import hot
from palaver.dialects import specs
from palaver.model.event import Event, text, texts
from palaver.sync.intake.file_events import hashed
from palaver.sync.passes import Sync
from tests.patience import PATIENCE
from tests.processes import child
from tests.processes.command import environment
from tests.sync import mutants
from tests.sync.scene import PASSES_MAX, Scene, append, left_alone
from tests.sync.spoken import SPEECH, SPEECHES

TOKEN: Final = re.compile(rb"<[fs][0-9]+-[0-9]+>")
SUBJECT: Final = re.compile(rb'"subject":"[^"]*",')
QUOTED = re.compile(rb"\n~~~\n.*?\n~~~", re.DOTALL)
#: Recipients of commands, and the files in which each of them looks.
READS: Final = {
    "architect": ["swarm/channel.jsonl"],
    "codex-impl-1": ["runbus/MESSAGE-BUS.md"],
    "ceo": ["vermas/.work/messages.jsonl"],
    "jim": ["collab/chat.log"],
    "clawdy": ["collab/chat.log", "collab/inbox"],
    "emp-a": ["office/messages/manager-inbox.log"],
    "emp-manager-001": ["office/messages/employee-ada.log"],
}
EVERYWHERE: Final = sorted({file for files in READS.values() for file in files})


# --- what runs in the workers ---


def talk(root: str, number: int) -> None:
    """Send and do passes until killed; say what was acknowledged."""
    dice = random.Random(number)
    bus = Bus(root, agent="ada")
    sync = Sync(bus.session)
    count = 0
    while True:
        if dice.random() < 0.5:
            count += 1
            body = f"<s{number}-{count}>"
            # What is long is torn when its writer is killed.
            bus.send(dice.choice([*READS, "@all"]), body + dice.choice(["", "", "", " " + "x" * 300_000]))
            append(Path(root).parent / "acks", body.encode() + b"\n")
        sync.once(PATIENCE)


def command(root: str, number: int) -> None:
    """Send by the command, over and over, through the daemon's door if it is open."""
    os.environ.update(PALAVER_ROOT=root, PALAVER_AGENT="ada")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    dice = random.Random(number)
    for count in range(1, 1_000_000):
        body = f"<s{number}-{count}>"
        if hot.execute(["send", dice.choice([*READS, "@all"]), "-m", body], hot.this_process()) == 0:
            append(Path(root).parent / "acks", body.encode() + b"\n")


def up(root: str, number: int) -> None:
    """Keep the bus up."""
    del number
    os.environ.update(PALAVER_ROOT=root, PALAVER_AGENT="ada")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    hot.execute(["up", "--no-web", "--quiet"], hot.this_process())


def write(root: str, number: int) -> None:
    """Append to the files of all dialects, without any lock, until a file says that it is enough."""
    dice = random.Random(number)
    folder = Path(root)
    for count in range(1, 1_000_000):
        if (folder.parent / "enough").exists():
            return
        speech = dice.choice(SPEECHES)
        append(folder / speech.dialect / speech.file, speech.says(f"<f{number}-{count}>"))
        time.sleep(dice.uniform(0, 0.02))


def rest(root: str, number: int) -> None:
    """Do passes until there is nothing left to do."""
    del number
    bus = Bus(root, agent="ada")
    sync = Sync(bus.session)
    for _ in range(PASSES_MAX * 4):
        report = sync.once(PATIENCE)
        assert report is not None
        if not report.busy and not report.unsettled:
            return


JOBS: Final = {"talk": talk, "command": command, "up": up, "write": write, "rest": rest}
#: Who is killed: one who talks and looks, one who only sends, and the daemon.
KILLED: Final = ("talk", "command", "up")


def main() -> None:
    """Fork a worker for each line of standard input."""
    root, mutant = sys.argv[1:3]
    mutants.MUTANTS[mutant]()
    # Loaded once, here.
    assert specs()
    Bus(root, agent="ada").agents()
    for line in sys.stdin:
        job, number = line.split()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        pid = os.fork()
        if not pid:
            JOBS[job](root, int(number))
            os._exit(0)
        os.write(1, b"%d\n" % pid)


# --- what starts and kills them ---


class Worker:
    """A worker, from its birth to its end."""

    def __init__(self, pid: int) -> None:
        self._handle = os.pidfd_open(pid)
        self._ended = False

    def kill(self) -> None:
        """Kill it, if it lives, and return only when it is dead."""
        if not self._ended:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            self.join()

    def join(self) -> None:
        """Wait for its end."""
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        assert poll.poll(PATIENCE * 1_000), "a worker does not end"
        self._ended = True
        os.close(self._handle)


class Nursery:
    """Makes workers; at the end of the `with` no more."""

    def __init__(self, root: Path, mutant: str) -> None:
        self._words = [sys.executable, "-m", "tests.sync.kills", str(root), mutant]
        self._born = 0
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._words,
            cwd=child.REPOSITORY,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.kill()
        self._process.communicate(timeout=PATIENCE)

    def start(self, job: str) -> Worker:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._born += 1
        self._process.stdin.write(f"{job} {self._born}\n".encode())
        self._process.stdin.flush()
        worker = Worker(int(self._process.stdout.readline()))
        self._workers.append(worker)
        return worker


@dataclass(slots=True)
class Judgement:
    """What is left after a campaign: what was promised, what stands, and what is wrong with it."""

    sent: int = 0
    foreign: int = 0
    acknowledged: int = 0
    torn: int = 0
    complaints: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.acknowledged} acknowledged, {self.sent} sent, {self.foreign} lines of others, "
            f"{self.torn} torn writes, {len(self.complaints)} complaints"
        )


def campaign(folder: Path, *, seed: int, kills: int, mutant: str = "") -> Judgement:
    """Let workers talk, kill one after another, let writers write all the while; judge what is left."""
    dice = random.Random(seed)
    scene = Scene(folder / "bus")
    for speech in SPEECHES:
        mount = scene.mount(speech.dialect, **speech.settings)
        append(mount / speech.file, speech.says("I live here"))
        left_alone(mount / speech.file)
    scene.settle()
    with Nursery(scene.folder, mutant) as nursery:
        writers = [nursery.start("write") for _ in range(2)]
        talkers = [nursery.start(job) for job in KILLED]
        for _ in range(kills):
            time.sleep(dice.choice([0.02, 0.1, 0.4]) * dice.random())
            place = dice.randrange(len(talkers))
            talkers[place].kill()
            talkers[place] = nursery.start(KILLED[place])
        (folder / "enough").touch()
        for worker in writers:
            worker.join()
        for worker in talkers:
            worker.kill()
        left_alone(scene.folder / "runbus" / SPEECH["runbus"].file)
        nursery.start("rest").join()
    scene.restart()
    return judge(scene, folder)


def judge(scene: Scene, folder: Path) -> Judgement:
    """Compare the log with the files and with what was promised; nothing may be left to do."""
    found = Judgement()
    _check_rest(found, scene)
    mail = {_name(event): event for event in scene.mail()}
    bodies = Counter(_name(event) for event in scene.mail() if event.actor != "palaver")
    standing = {file: _tokens(scene, file, found) for file in EVERYWHERE}
    standing["office/messages/employee-emp-a.log"] = _tokens(
        scene, "office/messages/employee-emp-a.log", found
    )
    for body, count in bodies.items():
        if count != 1 and body.startswith("<"):
            found.complaints.append(f"{body} is in the log {count} times")
    for body in _acks(folder):
        found.acknowledged += 1
        if body not in bodies:
            found.complaints.append(f"{body} was acknowledged and is not in the log")
    for body, event in mail.items():
        if body.startswith("<s"):
            found.sent += 1
            _check_rendered(found, body, event, standing)
    _check_taken_in(found, bodies, standing)
    return found


def _name(event: Event) -> str:
    """Return what a message is known by: the first word of its text."""
    return (text(event.data, "body").split() or [""])[0]


def _check_rest(found: Judgement, scene: Scene) -> None:
    before = scene.head()
    try:
        scene.settle()
    except AssertionError as fault:
        found.complaints.append(f"at rest: {str(fault)[:300]}")
    if scene.head() != before:
        found.complaints.append(f"{scene.head() - before} events were left to say")
    found.complaints += [str(each) for each in scene.bus.verify().faults]


def _acks(folder: Path) -> list[str]:
    path = folder / "acks"
    return path.read_text().split() if path.exists() else []


def _check_rendered(found: Judgement, body: str, event: Event, standing: dict[str, Counter[str]]) -> None:
    to = texts(event.data, "to")
    wanted = set(EVERYWHERE if to == ["@all"] else READS.get(to[0].removeprefix("@"), []))
    for file, tokens in standing.items():
        count = tokens[body]
        if count != (file in wanted):
            found.complaints.append(f"{body} to {to} stands {count} times in {file}")


def _check_taken_in(found: Judgement, bodies: Counter[str], standing: dict[str, Counter[str]]) -> None:
    for file, tokens in standing.items():
        for body, count in tokens.items():
            if body.startswith("<f"):
                found.foreign += 1
                if count != 1 or bodies[body] != 1:
                    found.complaints.append(
                        f"{body} stands {count} times in {file}, {bodies[body]} in the log"
                    )


def _tokens(scene: Scene, file: str, found: Judgement) -> Counter[str]:
    """Return how often each message stands in a file, or in a folder of files; torn writes do not count."""
    path = scene.folder / file
    if path.is_dir():
        content = b"".join(each.read_bytes() for each in path.iterdir() if not each.name.startswith("."))
    else:
        content = path.read_bytes() if path.exists() else b""
        mount, _, inner = file.partition("/")
        for offset, length, _, kind in reversed(scene.spans(mount, inner)):
            if kind == "file.quarantined":
                found.torn += 1
                content = content[:offset] + content[offset + length :]
        if mount == "vermas":
            # The bus may have put the file right since, and then torn lines count as known.
            torn = _quarantined(scene, mount, inner)
            content = b"\n".join(each for each in content.split(b"\n") if hashed(each) not in torn)
    # In runbus a message names itself in its id too; in vermas its subject may be its first words. A notice
    # about a block repeats it.
    content = QUOTED.sub(b"", SUBJECT.sub(b"", content))
    return Counter(token.decode() for token in TOKEN.findall(content))


def _quarantined(scene: Scene, mount: str, file: str) -> set[str]:
    """Return the hashes of the lines of a file that were ever quarantined."""
    found: set[str] = set()
    for event in scene.events("file.quarantined"):
        src = event.src or {}
        if (text(src, "mount"), text(src, "file")) == (mount, file):
            found |= {text(src, "sha"), *texts(event.data, "shas")}
    return found


if __name__ == "__main__":
    main()
