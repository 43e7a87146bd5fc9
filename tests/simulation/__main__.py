"""`make simulate`: run seeds in parallel, show how far they are, and tell how to repeat one that fails."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.memory import in_memory
from tests.processes.figures import keep
from tests.simulation.planted import PLANTED
from tests.simulation.runs import Result, Workshop

_BAR: Final = 30
_SHOWN: Final = 8
_workshop: list[Workshop] = []


def main() -> int:
    """Run the seeds; return 1 if a law is broken in one of them."""
    options = _options()
    seeds = range(options.first, options.first + options.seeds)
    began = time.monotonic()
    figures: Counter[str] = Counter()
    failed: list[Result] = []
    with TemporaryDirectory() as spare, in_memory(Path(spare)) as folder:
        for count, result in enumerate(_results(folder, seeds, options.jobs, options.plant), start=1):
            figures.update({**result.figures, "steps": result.steps, result.policy: 1})
            failed += [result] if result.broken else []
            if result.broken and len(failed) <= _SHOWN:
                _tell(result, whole=options.seeds == 1)
            _show(count, len(seeds), len(failed), time.monotonic() - began)
            if options.plant and failed:
                break
    seconds = time.monotonic() - began
    shown = ", ".join(f"{value:,} {name}" for name, value in figures.items())
    summary = f"{count:,} seeds from {seeds[0]}, {len(failed)} broken, {seconds:.0f} s: {shown}"
    keep(summary)
    _say(f"\n{summary}")
    if len(failed) > _SHOWN:
        _say(f"broken: {' '.join(str(each.seed) for each in failed)}")
    return bool(failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate")
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--plant", choices=["", *sorted(PLANTED)], default="")
    return parser.parse_args()


def _results(folder: Path, seeds: range, jobs: int, plant: str) -> Iterator[Result]:
    """Yield what each seed came to, as they end."""
    if len(seeds) == 1:
        _begin(str(folder), plant)
        yield _run(seeds[0])
        return
    pool: Pool
    with get_context("fork").Pool(jobs, _begin, (str(folder), plant)) as pool:
        yield from pool.imap_unordered(_run, seeds, chunksize=4)


def _begin(folder: str, plant: str) -> None:
    base = Path(folder) / str(os.getpid())
    base.mkdir()
    _workshop.append(Workshop(base))
    if plant:
        _workshop[0].plant(PLANTED[plant])


def _run(seed: int) -> Result:
    return _workshop[0].run(seed)


def _tell(result: Result, *, whole: bool) -> None:
    _say(f"\nseed {result.seed} ({result.policy}):")
    for broken in result.broken[:_SHOWN]:
        _say(f"  broken: {broken}")
    if whole:
        _say("\n".join(f"  {number}. {step}" for number, step in enumerate(result.history, start=1)))
    _say(f"  repeat it: make simulate SEEDS=1 FROM={result.seed}")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")


def _show(count: int, total: int, failed: int, seconds: float) -> None:
    """Draw the progress bar, on a terminal at each seed, elsewhere now and then."""
    is_terminal = sys.stdout.isatty()
    if not is_terminal and count % max(1, total // 20) and count != total:
        return
    done = _BAR * count // total
    left = seconds / count * (total - count)
    bar = f"[{'#' * done}{'.' * (_BAR - done)}] {count}/{total}, {failed} broken, {left:.0f} s left "
    sys.stdout.write(f"\r{bar}" if is_terminal else f"{bar}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
