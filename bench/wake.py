"""Wake-up time: from the moment before another process sends to the moment the waiter has the mail.

`wait` promises more than to be woken: whoever is given mail was notified of it, and that is an event, synced
before `wait` returns. So there are two moments, and two rows: the mail is found, and the call returns.
"""

import os
import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from bench.bare import Appender, Watch
from bench.ground import BODY, Ground, last_record
from bench.measure import Row, Spread, in_rounds, ratios, spread
from palaver.api import Bus
from palaver.log.file_log import FileLog
from palaver.model.event import Draft, Event

AGAINST = "append, sync, bare inotify"
# The waiter needs less than this from its word until it sleeps in the kernel.
SETTLE_SECONDS = 0.01


class NotingLog(FileLog):
    """A log that notes when it was asked to append: `wait` does so as soon as it has found mail."""

    __slots__ = ("asked",)

    def append(
        self, drafts: list[Draft], *, since: int = 0, check_new: Callable[[], None] | None = None
    ) -> list[Event]:
        self.asked = time.monotonic_ns()
        return super().append(drafts, since=since, check_new=check_new)


def measure(ground: Ground) -> list[Row]:
    bus = ground.bus("waking")
    bus.send("bob", BODY)
    record = last_record(bus)
    bus.ack([mail.message.id for mail in bus.inbox("bob").mail], agent="bob")
    folder = ground.folder / "waking"
    bell = folder / "bare.bell"
    bell.touch()
    raw = Appender(folder, record)
    returned: list[float] = []

    context = get_context("fork")
    line, theirs = context.Pipe()
    waiter = context.Process(target=_wait, args=(theirs, folder, bell), daemon=True)
    waiter.start()
    theirs.close()

    def ours() -> float:
        _settled(line, "ours")
        start = time.monotonic_ns()
        bus.send("bob", BODY)
        found, back = line.recv()
        returned.append((back - start) / 1e9)
        return float(found - start) / 1e9

    def bare() -> float:
        _settled(line, "bare")
        start = time.monotonic_ns()
        raw.append()
        os.utime(bell)
        return float(line.recv() - start) / 1e9

    try:
        taken = in_rounds(
            {"ours": ours, "bare": bare}, rounds=ground.sizes.wakes, seed=ground.seed, label="waking"
        )
    finally:
        line.send(None)
        waiter.join(10)
    return _rows(taken["ours"], returned[1:], taken["bare"])


def _settled(line: Connection, variant: str) -> None:
    line.send(variant)
    line.recv()
    time.sleep(SETTLE_SECONDS)


def _rows(found: Sequence[float], returned: Sequence[float], bare: Sequence[float]) -> list[Row]:
    limit = spread(bare)

    def row(name: str, what: str, seconds: Sequence[float], target: float) -> Row:
        took = spread([second * 1e3 for second in seconds])
        times = ratios(seconds, bare)
        return Row(
            name=name,
            what=what,
            against=AGAINST,
            unit="ms",
            found=took,
            target=target,
            at_least=False,
            rounds=len(bare),
            ours=f"{took.median:.2f} ms ({times.median:.1f} x)",
            limit=_shown(limit),
        )

    return [
        row("wake", "wait woken: mail found", found, 2.0),
        row("wake-return", "wait woken: returned", returned, 2.0),
    ]


def _shown(seconds: Spread) -> str:
    return f"{seconds.median * 1e3:.2f} ms"


def _wait(line: Connection, folder: Path, bell: Path) -> None:
    bus = Bus(str(folder), agent="bob")
    bus.session.log = log = NotingLog(bus.root.log, lock=bus.root.log_lock)
    watch = Watch(bell)
    while variant := line.recv():
        line.send("ready")
        if variant == "bare":
            line.send(watch.woken())
        else:
            mail = bus.wait(timeout=10).mail
            back = time.monotonic_ns()
            line.send((log.asked, back))
            bus.ack([each.message.id for each in mail])
