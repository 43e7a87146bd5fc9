"""Acts on tasks: every cell of the table of power is tried in the way that it names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.trust.company import Companies, Company
from tests.acceptance.trust.power_table import Cell, cells

# Act: the state in which it is tried, who may do it, and whom it names.
ACTS: Final = {
    "approve": ("claimed", "boss", "bob"),
    "refuse": ("claimed", "boss", "bob"),
    "assign": ("open", "boss", "bob"),
    "ready": ("delivered", "boss", "carol"),
    "accept": ("delivered", "boss", "bob"),
    "rework": ("delivered", "boss", "bob"),
    "handoff": ("working", "bob", "carol"),
    "release": ("working", "boss", "bob"),
    "cancel": ("open", "boss", "bob"),
    "resume": ("blocked", "boss", "bob"),
    "check": ("working", "bob", "carol"),
    "change": ("open", "boss", "bob"),
}
# What leads to a state, one act each, and who does it.
STEPS: Final = (
    ("claimed", "bob", ("claim",)),
    ("working", "boss", ("approve",)),
    ("blocked", "bob", ("block", "-m", "The disk is full.")),
    ("delivered", "bob", ("deliver", "-m", "It is in parser.py.")),
)
RESULT: Final = "It is in parser.py."
VERBS: Final = {"resume": "unblock"}
OPTIONS: Final = {
    "refuse": ["-m", "why"], "rework": ["-m", "why"], "assign": ["bob"],
    "handoff": ["carol", "-m", "yours"], "ready": ["carol"], "change": ["--title", "changed"],
}  # fmt: skip
# A change is no line: tests/acceptance/trust/test_proof_of_board_files.py edits a board file.
CELLS: Final = [
    cell for cell in cells() if cell.act in ACTS and (cell.act, cell.surface) != ("change", "file")
]


def task_of(cell: Cell) -> str:
    return f"t{CELLS.index(cell):03}"


def start_of(cell: Cell) -> str:
    """Return the state of the task of a cell before the act."""
    # The person may hand over what nobody has begun; only its holder hands over what is begun.
    return "open" if (cell.act, cell.surface) == ("handoff", "HTTP") else ACTS[cell.act][0]


@pytest.fixture(scope="module")
def companies(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Companies]:
    companies = Companies(template, tmp_path_factory)
    yield companies
    companies.stop()


def open_task(company: Company, task: str, state: str) -> None:
    """Bring a new task of boss's into a state."""
    fields = {"title": task, "task": task, "owner": "boss", "approval": True, "check": True}
    company.service.call("/api/tasks", fields)
    for reached, agent, (act, *options) in STEPS if state != "open" else ():
        company.do(agent, "task", act, task, *options)
        if reached == state:
            return


def attempt(company: Company, cell: Cell) -> None:
    task, (_, speaker, to) = task_of(cell), ACTS[cell.act]
    if cell.surface == "HTTP":
        path = "/api/tasks/change" if cell.act == "change" else "/api/moves"
        change = {"title": "changed"} if cell.act == "change" else {"act": cell.act, "to": [to], "body": "w"}
        company.request(cell, path, {"task": task, **change})
    elif cell.surface == "file":
        act = "deliver" if cell.act == "check" else cell.act
        company.write_line(cell, speaker, to, "message", f"[{act.upper()}:#{task}] {RESULT}")
    else:
        company.command(cell, command(cell.act, task), speaker)


def command(act: str, task: str) -> list[str]:
    """Return the words of the command that does an act."""
    if act == "check":
        return ["send", "carol", "--act", "deliver", "--task", task, "-m", RESULT]
    return ["task", VERBS.get(act, act), task, *OPTIONS.get(act, [])]


def look(company: Company, cell: Cell, task: str) -> tuple[object, ...]:
    """Return what an act of the table changes in a task."""
    shown = company.service.call(f"/api/task?id={task}")
    return (shown["checker"],) if cell.act == "check" else (shown["state"], shown["title"])


@pytest.mark.parametrize("cell", [pytest.param(cell, id=str(cell)) for cell in CELLS])
def test_an_act_on_a_task_counts_as_the_table_of_power_says(companies: Companies, cell: Cell) -> None:
    company = companies.of(cell.policy)
    open_task(company, task_of(cell), start_of(cell))
    before = look(company, cell, task_of(cell))

    attempt(company, cell)

    assert (look(company, cell, task_of(cell)) != before) == cell.counts


STRANGERS: Final = [cell for cell in CELLS if cell.shown == "token of own run" and cell.surface == "command"]


@pytest.mark.parametrize("cell", [pytest.param(cell, id=f"{cell.policy}-{cell.act}") for cell in STRANGERS])
def test_proof_is_not_enough_for_an_agent_that_the_task_does_not_concern(
    companies: Companies, cell: Cell
) -> None:
    company = companies.of(cell.policy)
    task = f"stranger-{task_of(cell)}"
    open_task(company, task, start_of(cell))
    before = look(company, cell, task)

    company.command(cell, command(cell.act, task), "carol")

    assert look(company, cell, task) == before


def test_commands_inside_a_run_are_run_by_the_daemon(companies: Companies) -> None:
    said = companies.of("strict").do("boss", "status", "--json").fields

    assert "'warm': True" in str(said)
