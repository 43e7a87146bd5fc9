"""Junk: unreadable lines into the quarantine, compared with as many messages of the same length."""

import os
import shutil
import time
from functools import partial

from bench.ground import Ground
from bench.live import SECONDS, scene
from bench.measure import Row, in_rounds, per_second, ratios, timed
from bench.scripts import SCRIPTS, Script
from palaver.api import Bus
from palaver.sync.passes import Sync
from palaver.sync.report import Report


def backlog_junk(ground: Ground) -> Row:
    """Return the row: the worst of the five dialects."""
    lines = ground.sizes.lines // 5
    rounds = max(2, ground.sizes.rounds // 12)
    found = {name: _measured(ground, name, script, lines, rounds) for name, script in SCRIPTS.items()}
    worst = max(found, key=lambda name: ratios(found[name]["junk"], found[name]["good"]).median)
    taken = found[worst]
    return Row(
        name="backlog-junk",
        what=f"{lines:,} lines of junk into the quarantine ({worst})",
        against="as many messages into the log",
        unit="x",
        found=ratios(taken["junk"], taken["good"]),
        target=2.0,
        at_least=False,
        rounds=rounds,
        ours=per_second(taken["junk"], lines),
        limit=per_second(taken["good"], lines),
    )


def _measured(ground: Ground, name: str, script: Script, lines: int, rounds: int) -> dict[str, list[float]]:
    good = [script.said(place) for place in range(lines)]
    junk = [_junk(place, len(line)) for place, line in enumerate(good)]
    contents = {"good": b"".join(good), "junk": b"".join(junk)}
    samples = {kind: partial(_taken_in, ground, name, content, lines) for kind, content in contents.items()}
    return in_rounds(samples, rounds=rounds, seed=ground.seed, label=f"junk {name}")


def _junk(place: int, size: int) -> bytes:
    line = b"\xff junk %d " % place
    return line + b"x" * (size - len(line) - 1) + b"\n"


def _taken_in(ground: Ground, name: str, content: bytes, lines: int) -> float:
    here = scene(ground.folder / f"junk-{name}", (name,))
    path = here.folder / name / SCRIPTS[name].path
    path.write_bytes(content)
    # Else the end of a bus file waits for what may follow.
    past = time.time() - 60
    os.utime(path, (past, past))
    sync = Sync(Bus(str(here.folder), agent="ada").session)
    report = Report()
    took = timed(lambda: sync.take_in(SECONDS, report))
    assert sum(report.messages.values()) + report.quarantined == lines, report.plain()
    shutil.rmtree(here.folder)
    return took
