"""Warm commands, while `palaver up` runs: beside a Python that does nothing, and beside hcom.

The bus has five mounts and 10,000 messages; the database of hcom has as many. A command is the installed
`palaver`, from the start of the process to its end. The daemon is at rest when a command starts, except in
`shells-8`, in which eight shells keep it busy.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.commands import AGAINST as START
from bench.commands import bare_start, ended, spawned, started
from bench.ground import BODY, Ground, fill
from bench.hcom import Hcom
from bench.live import PALAVER, scene
from bench.measure import Row, in_rounds, milliseconds, ratios, spread
from palaver.api import Bus

# What the daemon takes at most to write to files what a command has recorded.
REST_SECONDS = 0.1
# What a command takes at most from its start until it waits for mail.
SETTLE_SECONDS = 0.3
AGENTS = ("ada", "bob", *(f"agent{number}" for number in range(8)))
# An agent without mail, for one to wait for.
WAITER = "eve"
OPEN_MAIL = 20
NAMES = ("send", "inbox", "board", "read", "ack", "claim")
LOOP = 'n=0; while [ "$n" -lt "$times" ]; do "$@" >/dev/null || echo failed; n=$((n + 1)); done'


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A command of ours, and the one of hcom that comes nearest."""

    name: str
    #: At most so much of a bare start of Python.
    target: float
    ours: Callable[[], list[str]]
    theirs: Callable[[], list[str]]
    #: What that is called.
    against: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmBus:
    """A bus whose daemon runs, with mail and tasks that nothing has been done about."""

    folder: Path
    bus: Bus
    mail: Iterator[str]
    tasks: Iterator[str]

    def count(self) -> int:
        """Return the number of messages."""
        [(found,)] = self.bus.session.view.current().execute("select count(*) from message")
        return int(found)


def warm_rows(ground: Ground, wanted: frozenset[str]) -> list[Row]:
    """Return the rows of warm commands that are wanted."""
    _require_current_launcher()
    hcom = Hcom(ground.folder / "hcom", ground.sizes.few)
    rows: list[Row] = []
    with _warm_bus(ground) as here:
        if wanted - {"warm-wait", "shells-8"}:
            rows += _commands(ground, here, hcom)
        if "warm-wait" in wanted:
            rows.append(_wait(ground, here, hcom))
        if "shells-8" in wanted:
            rows.append(_shells(ground, here, hcom))
    return rows


def _require_current_launcher() -> None:
    ours = Path(__file__).parents[1] / "scripts" / "palaver"
    if Path(PALAVER).read_bytes() != ours.read_bytes():
        raise RuntimeError("scripts/palaver has changed since it was installed; pip install -e .")


@contextmanager
def _warm_bus(ground: Ground) -> Iterator[WarmBus]:
    rounds = _rounds(ground)
    folder = scene(ground.folder / "warm").folder
    bus = Bus(str(folder), agent="ada")
    for agent in (*AGENTS[1:], WAITER):
        bus.add_agent(agent)
    sent = fill(bus, AGENTS, ground.sizes.few, seed=ground.seed, label="mail")
    for agent, ids in sent.items():
        is_open = 2 * (rounds + 1) if agent == "bob" else OPEN_MAIL
        for start in range(0, len(ids) - is_open, 1_000):
            bus.ack(ids[start : min(start + 1_000, len(ids) - is_open)], agent=agent)
    tasks = [bus.open_task(f"Task {number}").task.id for number in range(rounds + 1)]
    subprocess.run([PALAVER, "up", "-d", "--no-web"], cwd=folder, check=True, capture_output=True)
    try:
        mail = iter(sent["bob"][-2 * (rounds + 1) :])
        yield WarmBus(folder=folder, bus=bus, mail=mail, tasks=iter(tasks))
    finally:
        subprocess.run([PALAVER, "down"], cwd=folder, check=True, capture_output=True)


def _rounds(ground: Ground) -> int:
    return max(2, ground.sizes.starts // 2)


# --- one command ---


def _commands(ground: Ground, here: WarmBus, hcom: Hcom) -> list[Row]:
    pairs = _pairs(here, hcom)
    samples = {"bare": partial(_at_rest, bare_start, here.folder)}
    for pair in pairs:
        samples[f"warm-{pair.name}"] = partial(_at_rest, pair.ours, here.folder)
        samples[f"hcom-{pair.name}"] = partial(_at_rest, pair.theirs, here.folder)
    taken = in_rounds(samples, rounds=_rounds(ground), seed=ground.seed, label="warm commands")
    return [row for pair in pairs for row in _rows(pair, taken)]


def _pairs(here: WarmBus, hcom: Hcom) -> tuple[Pair, ...]:
    return (
        Pair(
            name="send",
            target=0.35,
            ours=lambda: [PALAVER, "send", "agent1", "-m", BODY],
            theirs=hcom.send,
            against="hcom send",
        ),
        Pair(
            name="inbox",
            target=0.45,
            ours=lambda: [PALAVER, "inbox"],
            theirs=hcom.list_messages,
            against="hcom events",
        ),
        Pair(
            name="board",
            target=0.55,
            ours=lambda: [PALAVER, "board"],
            theirs=hcom.list_agents,
            against="hcom list",
        ),
        Pair(
            name="read",
            target=0.55,
            ours=lambda: [PALAVER, "read", next(here.mail), "--as", "bob"],
            theirs=hcom.read,
            against="hcom listen, mail there",
        ),
        Pair(
            name="ack",
            target=0.55,
            ours=lambda: [PALAVER, "ack", next(here.mail), "--as", "bob"],
            theirs=hcom.acknowledge,
            against="hcom send --intent ack",
        ),
        Pair(
            name="claim",
            target=0.55,
            ours=lambda: [PALAVER, "task", "claim", next(here.tasks), "--as", "bob"],
            theirs=hcom.claim,
            against="hcom send",
        ),
    )


def _at_rest(prepare: Callable[[], list[str]], folder: Path) -> float:
    words = prepare()
    time.sleep(REST_SECONDS)
    return spawned(words, folder)


def _rows(pair: Pair, taken: dict[str, list[float]]) -> list[Row]:
    ours, theirs, bare = taken[f"warm-{pair.name}"], taken[f"hcom-{pair.name}"], taken["bare"]
    command = "task claim" if pair.name == "claim" else pair.name

    def row(name: str, against: str, limit: list[float], target: float) -> Row:
        return Row(
            name=name,
            what=f"palaver {command}, palaver up",
            against=against,
            unit="x",
            found=ratios(ours, limit),
            target=target,
            at_least=False,
            rounds=len(bare),
            ours=milliseconds(ours),
            limit=milliseconds(limit),
        )

    return [
        row(f"warm-{pair.name}", START, bare, pair.target),
        row(f"hcom-{pair.name}", pair.against, theirs, 1.0),
    ]


# --- a command that waits ---


def _wait(ground: Ground, here: WarmBus, hcom: Hcom) -> Row:
    def woken(waiter: list[str], sender: list[str]) -> float:
        waiting = started(waiter, here.folder)
        time.sleep(SETTLE_SECONDS)
        start = time.perf_counter()
        sending = started(sender, here.folder)
        ended(waiting, waiter)
        took = time.perf_counter() - start
        ended(sending, sender)
        return took

    def ours() -> float:
        took = woken([PALAVER, "wait", "--as", WAITER], [PALAVER, "send", WAITER, "-m", BODY])
        here.bus.ack([each.message.id for each in here.bus.inbox(WAITER).mail], agent=WAITER)
        return took

    def theirs() -> float:
        hcom.read_all()
        return woken(hcom.listen(), hcom.send())

    taken = in_rounds(
        {"ours": ours, "hcom": theirs}, rounds=_rounds(ground), seed=ground.seed, label="warm wait"
    )
    took = spread([seconds * 1e3 for seconds in taken["ours"]])
    return Row(
        name="warm-wait",
        what="palaver send until palaver wait ends",
        against="hcom send, listen",
        unit="ms",
        found=took,
        target=8.0,
        at_least=False,
        rounds=len(taken["ours"]),
        ours=f"{took.median:.2f} ms ({ratios(taken['ours'], taken['hcom']).median:.2f} x)",
        limit=milliseconds(taken["hcom"]),
    )


# --- many commands ---


def _shells(ground: Ground, here: WarmBus, hcom: Hcom) -> Row:
    shells, times = ground.sizes.writers, max(2, ground.sizes.sends // 3)

    def rate(words: list[str], count: Callable[[], int]) -> float:
        """Return how many sends a second the shells get done; all of them must count."""
        before = count()
        environment = {**os.environ, "PALAVER_AGENT": "ada", "times": str(times)}
        start = time.perf_counter()
        processes = [
            subprocess.Popen(
                ["/bin/sh", "-c", LOOP, "sh", *words],
                cwd=here.folder,
                env=environment,
                stdout=subprocess.PIPE,
            )
            for _ in range(shells)
        ]
        failures = b"".join(process.communicate()[0] for process in processes)
        seconds = time.perf_counter() - start
        if failures or count() != before + shells * times:
            raise RuntimeError(f"{words[0]}: {len(failures.split())} refused, {count() - before} stored")
        return shells * times / seconds

    def ours() -> float:
        time.sleep(REST_SECONDS)
        return rate([PALAVER, "send", "agent1", "-m", BODY], here.count)

    def theirs() -> float:
        hcom.read_all()
        return rate(hcom.send(), hcom.count)

    taken = in_rounds(
        {"ours": ours, "hcom": theirs},
        rounds=max(2, ground.sizes.starts // 8),
        seed=ground.seed,
        label=f"{shells} shells",
    )
    return Row(
        name="shells-8",
        what=f"palaver send in {shells} shells, palaver up",
        against="hcom send in as many",
        unit="x",
        found=ratios(taken["ours"], taken["hcom"]),
        target=2.0,
        at_least=True,
        rounds=len(taken["ours"]),
        ours=f"{spread(taken['ours']).median:,.0f}/s",
        limit=f"{spread(taken['hcom']).median:,.0f}/s",
    )
