"""Send from a program: one writer, eight writers, and a thousand messages in one call."""

import gc
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from bench.bare import Appender, Batcher
from bench.ground import BATCH, BODY, Ground, last_record
from bench.measure import Row, in_rounds, per_second, ratios, spread, timed
from palaver.api import Bus
from palaver.bus.mail.plain_send import mail_sent
from palaver.model.message import Message

RAW = "flock, write, fdatasync"


def one_writer(ground: Ground) -> list[Row]:
    bus = ground.bus("one-writer")
    log, message = bus.session.log, bus.send("bob", BODY).message
    raw = Appender(ground.folder / "one-writer", last_record(bus))
    count = ground.sizes.sends

    def send() -> None:
        for _ in range(count):
            bus.send("bob", BODY)

    def append() -> None:
        for _ in range(count):
            log.append([mail_sent(message)])

    taken = in_rounds(
        {
            "send": lambda: timed(send),
            "send-log": lambda: timed(append),
            "bare": lambda: timed(lambda: raw.append_times(count)),
        },
        rounds=ground.sizes.rounds,
        seed=ground.seed,
        label="one writer",
    )
    whats = {"send": "durable send, 1 writer", "send-log": "the log's share of it"}
    return [
        Row(
            name=name,
            what=what,
            against=RAW,
            unit="x",
            found=ratios(taken["bare"], taken[name]),
            target=0.8,
            at_least=True,
            rounds=ground.sizes.rounds,
            ours=per_second(taken[name], count),
            limit=per_second(taken["bare"], count),
        )
        for name, what in whats.items()
    ]


def many_writers(ground: Ground) -> Row:
    sizes = ground.sizes
    names = tuple(f"writer{number}" for number in range(sizes.writers))
    bus = ground.bus("many-writers", ("bob", *names))
    bus.send("bob", BODY)
    team = Team(ground.folder / "many-writers", names, last_record(bus))
    try:
        taken = in_rounds(
            {
                "ours": lambda: team.rate("ours", sizes.window),
                "bare": lambda: team.rate("bare", sizes.window),
            },
            rounds=max(2, sizes.rounds // 4),
            seed=ground.seed,
            label=f"{sizes.writers} writers",
        )
    finally:
        team.dismiss()
    found = ratios(taken["ours"], taken["bare"])
    return Row(
        name="send-8",
        what=f"durable send, {sizes.writers} writers",
        against="the same in as many",
        unit="x",
        found=found,
        target=0.7,
        at_least=True,
        rounds=len(taken["ours"]),
        ours=f"{spread(taken['ours']).median:,.0f}/s",
        limit=f"{spread(taken['bare']).median:,.0f}/s",
    )


class Team:
    """Writers in processes of their own, each ready to write either way for the same window of time."""

    def __init__(self, folder: Path, names: tuple[str, ...], record: bytes) -> None:
        context = get_context("fork")
        self._lines: list[Connection] = []
        self._processes = []
        for name in names:
            ours, theirs = context.Pipe()
            process = context.Process(target=_write, args=(theirs, folder, name, record), daemon=True)
            process.start()
            theirs.close()
            self._lines.append(ours)
            self._processes.append(process)

    def rate(self, variant: str, window: float) -> float:
        """Return how many appends a second all of them got done within one window."""
        # Far enough ahead that all are awake and waiting for it.
        start = time.monotonic() + 0.05
        for line in self._lines:
            line.send((variant, start, start + window))
        return sum(int(line.recv()) for line in self._lines) / window

    def dismiss(self) -> None:
        for line in self._lines:
            line.send(None)
        for process in self._processes:
            process.join(10)


def _write(line: Connection, folder: Path, name: str, record: bytes) -> None:
    bus = Bus(str(folder), agent=name)
    raw = Appender(folder, record)
    variants: dict[str, Callable[[], object]] = {"ours": lambda: bus.send("bob", BODY), "bare": raw.append}
    while word := line.recv():
        variant, start, end = word
        line.send(_count(variants[variant], start, end))


def _count(append: Callable[[], object], start: float, end: float) -> int:
    """Count what was done, from call to return, between two moments."""
    gc.collect()
    clock = time.monotonic
    time.sleep(max(0.0, start - clock()))
    done = 0
    while True:
        append()
        if clock() >= end:
            return done
        done += 1


def one_call(ground: Ground) -> Row:
    bus = ground.bus("one-call")
    bus.send_many(_letters())
    lines = max(Path(bus.root.log).iterdir()).read_bytes().splitlines()[-BATCH:]
    bare = Batcher(ground.folder / "one-call", lines)

    taken = in_rounds(
        {"ours": lambda: _sent_at_once(bus), "bare": lambda: timed(bare.append)},
        rounds=ground.sizes.batches,
        seed=ground.seed,
        label="1,000 in one call",
    )
    found = ratios(taken["bare"], taken["ours"])
    return Row(
        name="send-many",
        what="durable send, 1,000 in one call",
        against="encode, hash, crc, 1 write, 1 sync",
        unit="x",
        found=found,
        target=0.5,
        at_least=True,
        rounds=ground.sizes.batches,
        ours=per_second(taken["ours"], BATCH),
        limit=per_second(taken["bare"], BATCH),
    )


def _sent_at_once(bus: Bus) -> float:
    # What the caller wants to say is there before the clock starts, as the dicts of the limit are.
    letters = _letters()
    return timed(lambda: bus.send_many(letters))


def _letters() -> list[Message]:
    return [Message(sender="ada", to=["bob"], body=BODY) for _ in range(BATCH)]
