"""A log of a million messages: appending to it, rebuilding its views, asking for an inbox."""

import json
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.ground import BATCH, BODY, Ground, fill
from bench.measure import Row, in_rounds, per_second, ratios, spread, timed
from bench.progress import Progress
from palaver.api import Bus
from palaver.bus.session import draft

AGENTS = tuple(f"team/agent{number}" for number in range(50))
OPEN_SHARE = 0.02
TOP = 20


def large(ground: Ground, wanted: frozenset[str]) -> list[Row]:
    """Make the log once, and measure all that wants it."""
    bus = ground.bus("large", AGENTS)
    label = f"making {_count(ground)} messages"
    sent = fill(bus, AGENTS, ground.sizes.messages, seed=ground.seed, label=label)
    rows: list[Row] = []
    if "append-large" in wanted:
        rows.append(append(ground, bus))
    if wanted & {"rebuild", "rebuild-memory"}:
        rows += rebuild(ground, bus)
    if "inbox-large" in wanted:
        rows.append(inbox(ground, bus, sent))
    return rows


def _count(ground: Ground) -> str:
    return f"{ground.sizes.messages:,}"


def append(ground: Ground, bus: Bus) -> Row:
    empty = ground.bus("empty", AGENTS)
    count = ground.sizes.sends

    def sends(to: Bus) -> float:
        def work() -> None:
            for _ in range(count):
                to.send(AGENTS[0], BODY)

        return timed(work)

    taken = in_rounds(
        {"ours": lambda: sends(bus), "empty": lambda: sends(empty)},
        rounds=ground.sizes.rounds,
        seed=ground.seed,
        label="appending",
    )
    found = ratios(taken["ours"], taken["empty"])
    return Row(
        name="append-large",
        what=f"durable send to {_count(ground)}",
        against="to an empty log",
        unit="x",
        found=found,
        target=1.1,
        at_least=False,
        rounds=ground.sizes.rounds,
        ours=per_second(taken["ours"], count),
        limit=per_second(taken["empty"], count),
    )


@dataclass(frozen=True, slots=True)
class Load:
    """What one load told."""

    seconds: float
    events: int
    peak_mb: float


def rebuild(ground: Ground, bus: Bus) -> list[Row]:
    root = Path(bus.root.path).parent
    loads: dict[str, list[Load]] = {"ours": [], "bare": []}

    def load(variant: str) -> float:
        directory = ground.folder / "bare-load"
        directory.mkdir()
        program = Path(__file__).parent / "load_views.py"
        words = [sys.executable, str(program), variant, str(root), str(directory)]
        done = subprocess.run(words, check=True, capture_output=True)
        shutil.rmtree(directory)
        told = Load(**json.loads(done.stdout))
        loads[variant].append(told)
        return told.seconds

    # Bare copies the tables of our view, so there must be one; that is the warm-up as well.
    load("ours")
    loads["ours"].clear()
    chance = random.Random(ground.seed)
    progress = Progress(
        f"rebuilding {_count(ground)} events, ours and bare in turn", 2 * ground.sizes.rebuilds
    )
    for _ in range(ground.sizes.rebuilds):
        for variant in chance.sample(["ours", "bare"], 2):
            load(variant)
            progress.step()
    progress.close()
    return _rebuild_rows(ground, loads["ours"], loads["bare"])


def _rebuild_rows(ground: Ground, ours: list[Load], bare: list[Load]) -> list[Row]:
    found = ratios([load.seconds for load in bare], [load.seconds for load in ours])
    peak = spread([load.peak_mb for load in ours])
    limit = spread([load.peak_mb for load in bare])
    return [
        Row(
            name="rebuild",
            what=f"rebuild of {_count(ground)}",
            against="bare decode and load",
            unit="x",
            found=found,
            target=0.6,
            at_least=True,
            rounds=len(ours),
            ours=per_second([load.seconds for load in ours], ours[0].events),
            limit=per_second([load.seconds for load in bare], ours[0].events),
        ),
        Row(
            name="rebuild-memory",
            what="peak memory of it",
            against="bare decode and load",
            unit="MB",
            found=peak,
            target=200.0,
            at_least=False,
            rounds=len(ours),
            ours=f"{peak.median:.0f} MB",
            limit=f"{limit.median:.0f} MB",
        ),
    ]


def inbox(ground: Ground, bus: Bus, sent: dict[str, list[str]]) -> Row:
    """Ask for twenty rows where two in a hundred are open, in a large log and in a small one."""
    small = ground.bus("small", AGENTS)
    few = fill(small, AGENTS, ground.sizes.few, seed=ground.seed)
    # In the small log a fifth of the agents has all that is open, so that there are twenty rows to return.
    share = ground.sizes.few // len(AGENTS)
    busy = AGENTS[: max(1, round(share * len(AGENTS) * OPEN_SHARE) // TOP)]
    acknowledge(small, few, {agent: TOP if agent in busy else 0 for agent in AGENTS})
    each = max(TOP, round(ground.sizes.messages * OPEN_SHARE) // len(AGENTS))
    acknowledge(bus, sent, dict.fromkeys(AGENTS, each), label="acknowledging all but two in a hundred")
    chance = random.Random(ground.seed)

    def query(asked: Bus) -> float:
        agent = chance.choice(busy)
        start = time.perf_counter()
        listing = asked.inbox(agent, limit=TOP)
        seconds = time.perf_counter() - start
        assert len(listing.mail) == TOP, f"{agent} has only {len(listing.mail)} open messages"
        return seconds

    taken = in_rounds(
        {"large": lambda: query(bus), "small": lambda: query(small)},
        rounds=ground.sizes.queries,
        seed=ground.seed,
    )
    found = ratios(taken["large"], taken["small"])
    large_us, small_us = (spread(taken[name]).median * 1e6 for name in ("large", "small"))
    return Row(
        name="inbox-large",
        what=f"top-{TOP} inbox at {_count(ground)}",
        against=f"at {ground.sizes.few:,}",
        unit="x",
        found=found,
        target=3.0,
        at_least=False,
        rounds=ground.sizes.queries,
        ours=f"{large_us:,.0f} µs",
        limit=f"{small_us:,.0f} µs",
    )


def acknowledge(bus: Bus, sent: dict[str, list[str]], left_open: dict[str, int], label: str = "") -> None:
    """Acknowledge all mail of every agent but the newest so many, a thousand messages with one event."""
    progress = Progress(label, len(sent))
    for agent, ids in sent.items():
        done = ids[: max(0, len(ids) - left_open[agent])]
        bus.session.log.append(
            [
                draft("mail.acknowledged", agent, {"message_ids": done[start : start + BATCH], "by": agent})
                for start in range(0, len(done), BATCH)
            ]
        )
        # Off the clock: the view takes it in.
        bus.inbox(agent, limit=1)
        progress.step()
    progress.close()
