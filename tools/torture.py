"""make torture: run what proves each promise at its full size, and write docs/promises.md.

    python tools/torture.py [--only P1]… [--jobs N]

Each proof runs once, whatever number of promises rests on it. Its output is kept in build/torture/. A row is
written as soon as its last proof has ended. The exit
code is 1 if a proof fails, or skips a test; the rows of that proof keep what the page said of them before.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tools.promises import PAGE, ROOT, ROWS, Outcome, Promise, figures, outcomes, with_outcomes

OUTPUT: Final = ROOT / "build" / "torture"
# Measured beside anything else, their figures of processor time and memory mean little: they run alone, last.
ALONE: Final = (
    "test_warm_costs.py",
    "test_what_it_costs_to_wait",
    "test_a_long_log_starts_fast",
    "make simulate",
)
_PASSED: Final = re.compile(r"(\d+) passed")
_BAR: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one proof ended."""

    proof: str
    is_good: bool
    passed: int
    told: list[str]
    output: Path


def main() -> int:
    """Run the proofs of the rows that were asked for; return 1 if one fails."""
    options = _options()
    rows = {number: row for number, row in ROWS.items() if not options.only or number in options.only}
    OUTPUT.mkdir(parents=True, exist_ok=True)
    results = _results(rows, options.jobs)
    failed = [each for each in results.values() if not each.is_good]
    for each in failed:
        _say(f"failed: {each.proof}; its output: {each.output.relative_to(ROOT)}")
    hold = len(results) - len(failed)
    _say(f"{hold} of {len(results)} proofs hold; {PAGE.relative_to(ROOT)} has the figures")
    return bool(failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make torture")
    parser.add_argument("--only", action="append", default=[], choices=list(ROWS), metavar="P1")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def _results(rows: Mapping[str, Promise], jobs: int) -> dict[str, Result]:
    proofs = list(dict.fromkeys(proof for row in rows.values() for proof in row.proofs))
    together = [proof for proof in proofs if not _is_alone(proof)]
    alone = [proof for proof in proofs if _is_alone(proof)]
    results: dict[str, Result] = {}
    began = time.monotonic()
    for some, workers in ((together, jobs), (alone, 1)):
        with ThreadPoolExecutor(workers) as pool:
            for done in as_completed([pool.submit(_run, proof) for proof in some]):
                result = done.result()
                results[result.proof] = result
                _show(len(results), len(proofs), result, time.monotonic() - began)
                # Row by row: a run of hours that is interrupted keeps what it has shown.
                _write_page(_outcomes(rows, results))
    return results


def _write_page(seen: Mapping[str, Outcome]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_outcomes(page, {**outcomes(page), **seen}), encoding="utf-8")


def _is_alone(proof: str) -> bool:
    return any(each in proof for each in ALONE)


def _run(proof: str) -> Result:
    """Run one proof to its end, its output in a file of its own."""
    output = OUTPUT / (re.sub(r"\W+", "-", proof) + ".txt")
    told = output.with_suffix(".figures")
    told.unlink(missing_ok=True)
    with output.open("wb") as file:
        done = subprocess.run(
            _words(proof),
            cwd=ROOT,
            env={**os.environ, "PALAVER_FIGURES": str(told)},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    text = output.read_text(encoding="utf-8", errors="replace")
    passed = sum(int(count) for count in _PASSED.findall(text)[-1:])
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    is_good = done.returncode == 0 and not re.search(r"\d+ skipped", text)
    return Result(proof=proof, is_good=is_good, passed=passed, told=lines, output=output)


def _words(proof: str) -> list[str]:
    if not proof.startswith("tests/"):
        return shlex.split(proof)
    marker = "torture" if proof.startswith("tests/torture/") else "not torture"
    return [sys.executable, "-m", "pytest", "-q", "-m", marker, "-p", "no:xdist", "--timeout", "3600", proof]


def _outcomes(rows: Mapping[str, Promise], results: Mapping[str, Result]) -> dict[str, Outcome]:
    """Return what to write into the rows of which every proof has been run and holds."""
    when = f"{datetime.now(UTC):%Y-%m-%d}, {_commit()}"
    return {
        number: Outcome(figures=_figures(results[proof] for proof in row.proofs), date=when)
        for number, row in rows.items()
        if all(proof in results and results[proof].is_good for proof in row.proofs)
    }


def _figures(results: Iterable[Result]) -> str:
    ended = list(results)
    return figures([line for each in ended for line in each.told], sum(each.passed for each in ended))


def _commit() -> str:
    """Return the commit that was tried, and whether anything but the page itself differs from it."""
    changed = _git("status", "--porcelain", "--", ":!docs/promises.md")
    return _git("rev-parse", "--short=8", "HEAD") + (" with changes" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _show(count: int, total: int, result: Result, seconds: float) -> None:
    done = _BAR * count // total
    word = "holds" if result.is_good else "FAILED"
    _say(f"[{'#' * done}{'.' * (_BAR - done)}] {count}/{total}, {seconds:.0f} s: {result.proof}: {word}")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
