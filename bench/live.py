"""Live files: from a line in a file to the log, and from the log to a line in a file.

The daemon runs as it does for people, with five mounts. Beside it runs the least that could do the same: a
loop that is woken by inotify, reads what is new and writes it, synced, where somebody waits for it.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.commands import AGAINST as START
from bench.commands import bare_start, spawned
from bench.dialects import fed
from bench.ground import BODY, Ground
from bench.measure import Row, in_rounds, milliseconds, per_second, ratios, spread, timed
from bench.scripts import SCRIPTS
from palaver.api import Bus
from palaver.bus.root import find
from palaver.bus.session import Session
from palaver.dialects import spec
from palaver.log.file_watch import Watch
from palaver.sync.passes import Sync
from palaver.sync.report import Report
from palaver.wiring import begin

PALAVER = str(Path(sys.executable).parent / "palaver")
LOOP = "bare inotify loop"
SECONDS = 30.0
FOLDERS = {"office": "messages", "vermas": ".work", "collab": "inbox", "swarm": "", "runbus": ""}

# Woken by inotify on a folder, copies what is new in one file behind another, synced, and says so.
COPY = """
import os, sys
sys.path[:0] = sys.argv[3].split(os.pathsep)
from palaver.log.file_watch import Watch
source, target = sys.argv[1:3]
watch = Watch()
watch.add(os.path.dirname(source))
fd = os.open(source, os.O_RDONLY)
out = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(1, b".")
while True:
    watch.sleep(60)
    piece = os.read(fd, 1 << 20)
    if piece:
        os.fdatasync(fd)
        os.write(out, piece)
        os.fdatasync(out)
        os.write(1, b".")
"""


@dataclass(frozen=True, slots=True)
class Scene:
    """A bus with a mount of each dialect."""

    folder: Path

    @property
    def channel(self) -> Path:
        return self.folder / "swarm" / "channel.jsonl"

    @property
    def inbox(self) -> Path:
        return self.folder / "office" / "messages" / "employee-ada.log"


def scene(folder: Path, names: tuple[str, ...] = tuple(FOLDERS)) -> Scene:
    """Make a bus with these mounts."""
    folder.mkdir()
    begin(str(folder), "ada")
    with (folder / ".palaver" / "config.toml").open("a", encoding="utf-8") as config:
        for name in names:
            (folder / name / FOLDERS[name]).mkdir(parents=True)
            config.write(f'\n[mounts.{name}]\ndialect = "{name}"\npath = "{name}"\n')
    subprocess.run([PALAVER, "sync"], cwd=folder, check=True, capture_output=True)
    return Scene(folder)


def live(ground: Ground, wanted: frozenset[str]) -> list[Row]:
    """Return the rows of live files that are wanted."""
    rows: list[Row] = []
    if wanted & {"live-in", "live-out"}:
        rows += _with_daemon(ground)
    if "cli-send-mounts" in wanted:
        rows.append(_send_with_mounts(ground))
    rows += [_backlog(ground, name) for name in SCRIPTS if f"backlog-{name}" in wanted]
    if "backlog-inbox" in wanted:
        rows.append(_inbox(ground))
    return rows


# --- one line ---


def _with_daemon(ground: Ground) -> list[Row]:
    here = scene(ground.folder / "live")
    here.channel.touch()
    up = subprocess.Popen([PALAVER, "up", "--no-web", "--json"], cwd=here.folder, stdout=subprocess.PIPE)
    assert up.stdout is not None
    source, target = ground.folder / "bare-live" / "in.log", ground.folder / "bare.out"
    source.parent.mkdir()
    source.touch()
    words = [sys.executable, "-c", COPY, str(source), str(target), os.pathsep.join(sys.path)]
    bare = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert bare.stdout is not None
    os.read(bare.stdout.fileno(), 1)
    bell = Watch()
    # Without the mounts: it is the daemon that writes.
    sender = Bus(session=Session(find(str(here.folder)), agent="ada"))
    [hung] = sender.session.wakeups.hang(["qa"])
    bell.add(hung)
    number = [0]

    def said() -> bytes:
        number[0] += 1
        return SCRIPTS["swarm"].said(number[0])

    def taken_in() -> float:
        line = said()
        with here.channel.open("ab", buffering=0) as channel:
            channel.write(line)
        start = time.monotonic()
        # The bell of whom it is for rings when the event is synced.
        bell.sleep(SECONDS)
        took = time.monotonic() - start
        _told(up.stdout, "mail.sent")
        return took

    def copied() -> float:
        line = said()
        with source.open("ab", buffering=0) as file:
            file.write(line)
        start = time.monotonic()
        assert bare.stdout is not None
        os.read(bare.stdout.fileno(), 1)
        return time.monotonic() - start

    watch = Watch()
    watch.add(str(here.inbox.parent))

    def written() -> float:
        number[0] += 1
        took = _written(here, watch, sender, f"{number[0]} {BODY}")
        _told(up.stdout, "mail.sent")
        return took

    try:
        _told(up.stdout, "mail.sent")
        taken = in_rounds(
            {"in": taken_in, "out": written, "bare": copied},
            rounds=ground.sizes.wakes,
            seed=ground.seed,
            label="live files",
        )
    finally:
        watch.close()
        bell.close()
        for process in (up, bare):
            process.terminate()
            process.wait(SECONDS)
            assert process.stdout is not None
            process.stdout.close()
    return [
        _moment("live-in", "echo >> until the event is durable", taken["in"], taken["bare"]),
        _moment("live-out", "send until the line is in the file", taken["out"], taken["bare"]),
    ]


def _written(here: Scene, watch: Watch, bus: Bus, body: str) -> float:
    """Send something; return the seconds from then until the daemon has written it to the file."""
    before = here.inbox.stat().st_size if here.inbox.exists() else 0
    bus.send("emp-manager-001", body)
    start = time.monotonic()
    while not here.inbox.exists() or here.inbox.stat().st_size == before:
        assert time.monotonic() - start < SECONDS, "nothing was written"
        watch.sleep(1)
    return time.monotonic() - start


def _told(stream: object, event_type: str) -> None:
    """Wait until the daemon shows an event of a type."""
    deadline = time.monotonic() + SECONDS
    line = b""
    fd = stream.fileno()  # type: ignore[attr-defined]  # a pipe
    while time.monotonic() < deadline:
        if not select.select([fd], [], [], SECONDS)[0]:
            break
        while (piece := os.read(fd, 1)) not in (b"\n", b""):
            line += piece
        if json.loads(line)["event_type"] == event_type:
            return
        line = b""
    raise RuntimeError(f"no {event_type} was shown")


def _moment(name: str, what: str, seconds: list[float], bare: list[float]) -> Row:
    took = spread([second * 1e3 for second in seconds])
    return Row(
        name=name,
        what=what,
        against=LOOP,
        unit="ms",
        found=took,
        target=5.0,
        at_least=False,
        rounds=len(seconds),
        ours=f"{took.median:.2f} ms ({ratios(seconds, bare).median:.1f} x)",
        limit=milliseconds(bare),
    )


# --- one command ---


def _send_with_mounts(ground: Ground) -> Row:
    here = scene(ground.folder / "send-mounts")
    send = [PALAVER, "send", "qa", "-m", BODY]
    taken = in_rounds(
        {
            "ours": lambda: spawned(send, here.folder),
            "bare": lambda: spawned(bare_start(), ground.folder),
        },
        rounds=ground.sizes.starts,
        seed=ground.seed,
        label="send with mounts",
    )
    return Row(
        name="cli-send-mounts",
        what="palaver send, five mounts",
        against=START,
        unit="x",
        found=ratios(taken["ours"], taken["bare"]),
        target=3.0,
        at_least=False,
        rounds=len(taken["bare"]),
        ours=milliseconds(taken["ours"]),
        limit=milliseconds(taken["bare"]),
    )


# --- many lines ---


def _backlog(ground: Ground, name: str) -> Row:
    script = SCRIPTS[name]
    lines = ground.sizes.lines
    content = b"".join(script.said(place) for place in range(lines))
    rounds = max(2, ground.sizes.rounds // 12)
    turn = [0]

    def ours() -> float:
        folder = ground.folder / f"backlog-{name}-{turn[0]}"
        turn[0] += 1
        here = scene(folder, (name,))
        path = here.folder / name / script.path
        path.write_bytes(content)
        sync = Sync(Bus(str(folder), agent="ada").session)
        report = Report()
        took = timed(lambda: sync.take_in(SECONDS, report))
        assert report.messages == {name: lines}, report.plain()
        shutil.rmtree(folder)
        return took

    spoken = spec(name)
    taken = in_rounds(
        {"ours": ours, "bare": lambda: timed(lambda: fed(spoken, script.path, content))},
        rounds=rounds,
        seed=ground.seed,
        label=f"backlog {name}",
    )
    return _speed(
        f"backlog-{name}",
        f"{lines:,} lines of {name} into the log",
        "parsing them",
        lines,
        taken,
        target=0.15,
    )


def _inbox(ground: Ground) -> Row:
    count = ground.sizes.lines // 10
    turn = [0]

    def dropped(folder: Path) -> Path:
        inbox = folder / "collab" / "inbox"
        for place in range(count):
            beside = inbox / f".msg.{place}"
            beside.write_text(f"[STATUS:parser] {place} {BODY}\n", encoding="utf-8")
            beside.rename(inbox / f"msg_{1_771_730_144_000_000_000 + place}.txt")
        return inbox

    def fresh() -> Scene:
        turn[0] += 1
        return scene(ground.folder / f"inbox-{turn[0]}", ("collab",))

    def ours() -> float:
        here = fresh()
        dropped(here.folder)
        sync = Sync(Bus(str(here.folder), agent="ada").session)
        report = Report()
        took = timed(lambda: sync.take_in(SECONDS, report))
        assert report.messages == {"collab": count}, report.plain()
        shutil.rmtree(here.folder)
        return took

    def bare() -> float:
        here = fresh()
        inbox = dropped(here.folder)
        took = timed(lambda: _read_all(inbox))
        shutil.rmtree(here.folder)
        return took

    rounds = max(2, ground.sizes.rounds // 20)
    taken = in_rounds({"ours": ours, "bare": bare}, rounds=rounds, seed=ground.seed, label="inbox")
    return _speed(
        "backlog-inbox",
        f"{count:,} inbox files into the log",
        "open, read, sync each",
        count,
        taken,
        target=0.3,
    )


def _read_all(inbox: Path) -> None:
    """Do with each file what nobody can do without who promises that it is safe."""
    for entry in sorted(inbox.iterdir()):
        fd = os.open(entry, os.O_RDONLY)
        os.fstat(fd)
        os.read(fd, 1 << 20)
        os.fdatasync(fd)
        os.close(fd)


def _speed(
    name: str, what: str, against: str, count: int, taken: dict[str, list[float]], *, target: float
) -> Row:
    return Row(
        name=name,
        what=what,
        against=against,
        unit="x",
        found=ratios(taken["bare"], taken["ours"]),
        target=target,
        at_least=True,
        rounds=len(taken["bare"]),
        ours=per_second(taken["ours"], count),
        limit=per_second(taken["bare"], count),
    )
