"""make bench: one table of ratios against limits that were measured in the same run.

    python bench/run.py [--quick] [--only NAME]… [--seed N] [--json FILE] [--work DIR]

`--quick` takes sizes so small that the figures mean nothing; it shows that everything still runs. What the
rows mean and how they are measured is in docs/benchmarks.md.
"""

import argparse
import gc
import json
import os
import platform
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import claim, commands, dashboard, dialects, junk, large, live, patrol, send, wake, warm
from bench.ground import FULL, QUICK, Ground, apart
from bench.measure import Row
from bench.scripts import SCRIPTS

ROOT = Path(__file__).resolve().parents[1]
# Every row, by what makes it.
ROWS: dict[str, tuple[str, ...]] = {
    "send": ("send", "send-log"),
    "send-8": ("send-8",),
    "send-many": ("send-many",),
    "commands": ("cli-send",),
    "claim": ("claim",),
    "wake": ("wake", "wake-return"),
    "patrol": ("patrol", "patrol-second"),
    "large": ("append-large", "rebuild", "rebuild-memory", "inbox-large"),
    "dialects": (*(f"parse-{name}" for name in SCRIPTS), "parse-memory"),
    "live": (
        *("live-in", "live-out", "cli-send-mounts"),
        *(f"backlog-{name}" for name in SCRIPTS),
        "backlog-inbox",
    ),
    "warm": (
        *(f"{against}-{name}" for name in warm.NAMES for against in ("warm", "hcom")),
        *("warm-wait", "shells-8"),
    ),
    "junk": ("backlog-junk",),
    "dashboard": ("page-large", "browsers-50"),
}


def makers(wanted: frozenset[str]) -> dict[str, Callable[[Ground], list[Row]]]:
    """Return what to run for these rows."""
    table: dict[str, Callable[[Ground], list[Row]]] = {
        "send": send.one_writer,
        "send-8": lambda ground: [send.many_writers(ground)],
        "send-many": lambda ground: [send.one_call(ground)],
        "commands": commands.commands,
        "claim": claim.measure,
        "wake": wake.measure,
        "patrol": patrol.measure,
        "large": lambda ground: large.large(ground, wanted),
        "dialects": lambda ground: dialects.dialect_rows(ground, wanted),
        "live": lambda ground: live.live(ground, wanted),
        "warm": lambda ground: warm.warm_rows(ground, wanted),
        "junk": lambda ground: [junk.backlog_junk(ground)],
        "dashboard": lambda ground: dashboard.dashboard_rows(ground, wanted),
    }
    return {name: make for name, make in table.items() if wanted & set(ROWS[name])}


def main() -> None:
    known = [row for rows in ROWS.values() for row in rows]
    options = parsed(known)
    wanted = frozenset(options.only or known)
    options.work.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=options.work))
    os.environ["XDG_STATE_HOME"] = str(folder / ".state")
    apart(folder)
    # What is loaded by now is no garbage of anything that is measured.
    gc.freeze()
    started = time.monotonic()
    ground = Ground(folder=folder, sizes=QUICK if options.quick else FULL, seed=options.seed)
    try:
        rows = [row for make in makers(wanted).values() for row in make(ground) if row.name in wanted]
    finally:
        shutil.rmtree(folder)
    seconds = time.monotonic() - started
    save(options.json, rows, quick=options.quick, seed=options.seed, seconds=seconds)
    print(table(rows))
    print(f"\n{seconds:.0f} s, seed {options.seed}; saved to {shown(options.json)}")
    if options.quick:
        print("quick: sizes are too small to judge by")


def parsed(known: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/run.py", description="Measure, and compare with the budgets."
    )
    parser.add_argument("--only", action="append", choices=known, metavar="NAME", help=", ".join(known))
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does everything run?")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "latest.json")
    parser.add_argument("--work", type=Path, default=ROOT / "bench" / ".work", help="where the logs are made")
    return parser.parse_args()


def save(path: Path, rows: Sequence[Row], *, quick: bool, seed: int, seconds: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "quick": quick,
        "seed": seed,
        "seconds": round(seconds, 1),
        "machine": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "system": f"{platform.system()} {platform.release()}",
            "processors": os.cpu_count(),
            "load": os.getloadavg()[0],
        },
        "rows": [row.plain() for row in rows],
    }
    path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def table(rows: Sequence[Row]) -> str:
    """Return the rows as text in columns."""
    head = ("row", "what", "against", "ours", "limit", "result", "middle half", "target", "met")
    lines = [head, *(cells(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def cells(row: Row) -> tuple[str, ...]:
    digits = 0 if row.unit == "MB" else 2
    return (
        row.name,
        row.what,
        row.against,
        row.ours,
        row.limit,
        f"{row.found.median:.{digits}f} {row.unit}",
        f"{row.found.low:.{digits}f} - {row.found.high:.{digits}f}",
        f"{'≥' if row.at_least else '≤'} {row.target:g} {row.unit}",
        "yes" if row.met else "NO",
    )


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    main()
