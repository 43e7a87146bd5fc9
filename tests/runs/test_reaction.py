"""From the assignment to the work: a worker takes it up by itself, in half a minute at most."""

import json
import sys
from pathlib import Path

import pytest

from tests.runs.programs import Runner
from tests.runs.test_workers import Ceo, ceo
from tests.supervision.watched import until

__all__ = ["ceo"]

# A bound on hanging, not on how long it takes.
pytestmark = pytest.mark.timeout(400)

WORKER = "project-a/workers/slot0"
PROMISED_MS = 30_000
PROGRAM = Path(__file__).parent.parent / "supervision/by_command.py"
# Waits for mail, and does what it is given.
WILLING = {"assign": [["co assignment", "co worker done {task} -m 'branch x'", "end"]]}


def willing() -> list[str]:
    return [sys.executable, str(PROGRAM), json.dumps(WILLING)]


def reaction(ceo: Ceo) -> tuple[int, int]:
    """Return how often somebody took up an assignment, and the longest that it took, by `palaver stats`."""
    rows = ceo("palaver", "stats", "--by", "agent", "--json").rows
    [row] = [each for each in rows if (each["name"], each["who"]) == ("assigned→started", WORKER)]
    return int(str(row["count"])), int(str(row["max_ms"]))


def checked(runner: Runner) -> list[int]:
    return [
        int(str(each["response_ms"])) for each in runner.events("assignment.checked") if each["found"] is True
    ]


def test_an_order_that_is_dispatched_to_a_waiting_worker_is_taken_up(ceo: Ceo) -> None:
    ceo("co", "worker", "spawn", "project-a", "--", *willing())
    order = ceo.order()

    said = ceo("co", "dispatch", order, "project-a")

    assert said.out == f"Dispatched: {order} to {WORKER}\n"
    until(lambda: ceo.runner.last()["state"] == "ended")
    assert ceo.runner.last()["exit"] == 0
    count, longest = reaction(ceo)
    assert (count, longest < PROMISED_MS) == (1, True)
    assert [each < PROMISED_MS for each in checked(ceo.runner)] == [True]
    assert "assigned→started" in ceo("palaver", "stats").out


def test_an_order_that_is_dispatched_with_a_program_is_taken_up_by_its_start(ceo: Ceo) -> None:
    order = ceo.order()

    ceo("co", "dispatch", order, "project-a", "--", *willing())

    until(lambda: ceo.runner.last()["state"] == "ended")
    assert ceo.runner.last()["exit"] == 0
    count, longest = reaction(ceo)
    assert (count, longest < PROMISED_MS) == (1, True)
    assert ceo("wo", "show", order, "--json").rows[0]["status"] == "in_progress"
