"""`make walk` shows how much code each data path runs through, and the longest path does not grow."""

import re
import subprocess
import sys

import pytest

from tests.house.ratchets import FILE_TO_FILE_MODULES
from tests.house.repository import ROOT
from tests.patience import PATIENCE
from tools.walk import Call, Shape, shape, tree

ROW = re.compile(r"(?m)^(\w+) +(\d+) +(\d+) +(\d+) +(\d+)$")


def call(module: str, caller: str = "", depth: int = 1, function: str = "run") -> Call:
    return Call(module=module, function=function, depth=depth, caller=caller)


CALLS = [
    call("passes"),
    call("intake", "passes", 2),
    call("intake", "intake", 3, "parse"),
    call("render", "passes", 2),
    call("names", "render", 3),
    call("names", "intake", 3),
]


def test_the_shape_counts_calls_functions_modules_and_depth() -> None:
    assert shape(CALLS) == Shape(calls=6, functions=5, modules=4, depth=3)


def test_the_tree_shows_each_module_once_below_its_first_caller() -> None:
    assert tree(CALLS) == [
        "passes (functions: 1)",
        "  intake (functions: 2)",
        "  render (functions: 1)",
        "    names (functions: 1, called from 1 more)",
    ]


@pytest.mark.slow
def test_the_five_paths_can_be_walked_and_the_longest_does_not_grow() -> None:
    done = subprocess.run(
        [sys.executable, "tools/walk.py"],
        cwd=ROOT, check=True, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip

    rows = {name: [int(figure) for figure in figures] for name, *figures in ROW.findall(done.stdout)}
    assert list(rows) == ["send", "file", "claim", "escalation", "click"]
    assert all(figure > 0 for figures in rows.values() for figure in figures)
    assert rows["file"][2] <= FILE_TO_FILE_MODULES
