"""Under policy `strict` an act on a task counts only with proof: one table, tried cell by cell.

A row is an act, a surface, who speaks, and whose token is shown; the last column says whether it counts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.marks import unmet
from tests.acceptance.trust.strict_company import TASK_ACTS, Cell, StrictCompany, named

OPTIONS: Final = {
    "refuse": ["-m", "why"], "rework": ["-m", "why"], "assign": ["bob"],
    "handoff": ["carol", "-m", "yours"], "change": ["--title", "changed"],
}  # fmt: skip
PROVED_TODAY: Final = ("approve", "accept", "rework")


def cells_of(act: str) -> Iterator[Cell]:
    """Yield the rows of one act."""
    _, entitled, _ = TASK_ACTS[act]
    for surface in ("command", "warm command"):
        yield act, surface, entitled, "", False
        yield act, surface, entitled, "carol", False
        yield act, surface, "carol", "carol", False
        yield act, surface, entitled, entitled, True
    if act != "change":
        # A line of a file is proof only if the mount says so.
        yield act, "shared file", entitled, "", False
        yield act, "trusted file", entitled, "", True
    yield act, "http", "ada", "", False
    yield act, "http", "ada", "carol", False
    yield act, "http", "ada", "session", True


CELLS: Final = [cell for act in TASK_ACTS for cell in cells_of(act)]


def marked(cell: Cell) -> tuple[pytest.MarkDecorator, ...]:
    """Mark what fails today: of these acts, strict asks only three for proof."""
    act, surface, speaker, _, counts = cell
    if counts or act in PROVED_TODAY or speaker == "carol" or surface == "http":
        return ()
    became = {"assign": "assigned", "cancel": "cancelled", "change": "retitled", "handoff": "handed"}
    reason = f"exit 0, the task is {became.get(act, 'open')}: strict asks only for {', '.join(PROVED_TODAY)}"
    return (unmet(reason),)


def task_of(cell: Cell) -> str:
    return f"t{CELLS.index(cell):03}"


def start_of(cell: Cell) -> str:
    """Return the state of the task of a cell before the act."""
    # The person may hand over what nobody has begun; only its holder hands over what is begun.
    return "open" if cell[:2] == ("handoff", "http") else TASK_ACTS[cell[0]][0]


@pytest.fixture(scope="module")
def company(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StrictCompany]:
    """Return the company after the lines of all cells that are files were taken in."""
    company = StrictCompany(template, tmp_path_factory.mktemp("company") / "base")
    try:
        for cell in CELLS:
            company.open_task(task_of(cell), start_of(cell))
        company.become_strict()
        for cell in CELLS:
            act, surface, speaker, _, _ = cell
            if surface.endswith("file"):
                company.write_line(surface, speaker, TASK_ACTS[act][2], act, task_of(cell))
        company.project.sync()
        yield company
    finally:
        company.stop()


def attempt(company: StrictCompany, cell: Cell) -> None:
    act, surface, speaker, proof, _ = cell
    task, to = task_of(cell), TASK_ACTS[act][2]
    if surface.endswith("command"):
        company.command(["task", act, task, *OPTIONS.get(act, [])], speaker, proof, surface)
    elif surface == "http":
        path = "/api/tasks/change" if act == "change" else "/api/moves"
        change = {"title": "changed"} if act == "change" else {"act": act, "to": [to], "body": "words"}
        company.service.request(path, {"task": task, **change}, company.bearer(proof))


@pytest.mark.parametrize("cell", [pytest.param(cell, id=named(cell), marks=marked(cell)) for cell in CELLS])
def test_an_act_on_a_task_counts_only_with_proof(company: StrictCompany, cell: Cell) -> None:
    attempt(company, cell)

    state, title = company.look(task_of(cell))
    assert ((state, title) != (start_of(cell), task_of(cell))) == cell[4]
