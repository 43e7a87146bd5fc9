"""Acts that edit a file of tasks or assignments: the cells of the table of power that are no lines."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.company import SAID
from tests.acceptance.trust.power_table import Cell, cells

CELLS: Final = [cell for cell in cells() if cell.act in ("change", "assignment") and cell.surface == "file"]


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_an_edit_of_a_board_file_counts_as_the_table_of_power_says(
    template: Path, tmp_path: Path, cell: Cell
) -> None:
    project = Project.copy(template, tmp_path)
    said = SAID[cell.shown]
    work = project.mount("vermas", *([f"identity={said}"] if said else []), name="firm") / ".work"
    project.do("task", "open", "One", "--id", "one", agent="boss")
    config = project.root / "config.toml"
    config.write_text(config.read_text().replace('identity = "open"', f'identity = "{cell.policy}"', 1))
    project.sync()

    if cell.act == "assignment":
        project.say(work / ".assignment-bob", "work_order:one")
    else:
        [order] = [json.loads(line) for line in (work / "work_orders.jsonl").read_text().splitlines()]
        project.say(work / "work_orders.jsonl", json.dumps({**order, "title": "changed"}))

    assigned = project.run("co", "assignment", "bob", "--json").rows
    has_effect = bool(assigned) if cell.act == "assignment" else project.task("one")["title"] == "changed"
    assert has_effect == cell.counts
