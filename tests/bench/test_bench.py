"""The benchmark runs, and what it saves can be read by a program; its figures are judged elsewhere."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
# Seconds on a quiet machine; a disk that others keep busy must not decide.
SECONDS: Final = 900
# What every row has, with its type.
FIELDS: Final[dict[str, type]] = {
    "name": str,
    "what": str,
    "against": str,
    "unit": str,
    "value": float,
    "low": float,
    "high": float,
    "target": float,
    "at_least": bool,
    "met": bool,
    "rounds": int,
    "ours": str,
    "limit": str,
}
NAMES: Final = [
    "send", "send-log", "send-8", "send-many", "cli-send", "claim",
    "wake", "wake-return", "patrol", "patrol-second", "append-large", "rebuild",
    "rebuild-memory", "inbox-large",
    "parse-office", "parse-vermas", "parse-swarm", "parse-runbus", "parse-collab", "parse-memory",
    "live-in", "live-out", "cli-send-mounts", "backlog-office", "backlog-vermas",
    "backlog-swarm", "backlog-runbus", "backlog-collab", "backlog-inbox",
    "warm-send", "hcom-send", "warm-inbox", "hcom-inbox", "warm-board", "hcom-board",
    "warm-read", "hcom-read", "warm-ack", "hcom-ack", "warm-claim", "hcom-claim",
    "warm-wait", "shells-8", "backlog-junk",
    "page-large", "browsers-50",
]  # fmt: skip


def bench(folder: Path, *words: str) -> tuple[str, dict[str, Any]]:
    """Run the benchmark with tiny sizes; return what it printed and what it saved."""
    saved = folder / "results.json"
    command = [sys.executable, str(ROOT / "bench" / "run.py"), "--quick", "--work", str(folder / "work")]
    done = subprocess.run(
        [*command, "--json", str(saved), *words], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(saved.read_text(encoding="utf-8"))
    return done.stdout, found


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 10)
def test_every_row_is_measured_and_saved_in_one_shape(tmp_path: Path) -> None:
    printed, saved = bench(tmp_path)

    assert [row["name"] for row in saved["rows"]] == NAMES
    for row in saved["rows"]:
        assert {name: type(value) for name, value in row.items()} == FIELDS
        assert 0 < row["low"] <= row["value"] <= row["high"], row
        assert row["met"] == (
            row["value"] >= row["target"] if row["at_least"] else row["value"] <= row["target"]
        )
    assert [line.split()[0] for line in printed.splitlines()[1 : len(NAMES) + 1]] == NAMES
    assert saved["quick"] is True
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 10)
def test_one_row_can_be_asked_for(tmp_path: Path) -> None:
    _, saved = bench(tmp_path, "--only", "send-many", "--seed", "7")

    assert [row["name"] for row in saved["rows"]] == ["send-many"]
    assert saved["seed"] == 7
