"""The tables of docs/reference/power.md, cell by cell: what the product promises is what the tests try."""

from pathlib import Path
from typing import Final, NamedTuple

_PAGE: Final = Path(__file__).parents[3] / "docs/reference/power.md"
_MEANING: Final = {"counts": True, "no effect": False}


class Cell(NamedTuple):
    """An act, by a way to act, with what is shown, under a policy; and whether it counts."""

    policy: str
    act: str
    surface: str
    shown: str
    counts: bool

    def __str__(self) -> str:
        result = "counts" if self.counts else "has no effect"
        return f"{self.policy}: {self.act} by {self.surface} with {self.shown} {result}".replace(" ", "-")


def cells() -> list[Cell]:
    """Return every cell of both tables that is not empty."""
    found: list[Cell] = []
    for policy in ("strict", "open"):
        _, _, section = _PAGE.read_text(encoding="utf-8").partition(f'under `identity = "{policy}"`')
        head, _, *rows = [
            _words(line) for line in section.partition("\n## ")[0].split("\n") if line[:1] == "|"
        ]
        for act, *values in rows:
            for column, value in zip(head[1:], values, strict=True):
                surface, _, shown = column.partition(": ")
                if value:
                    found.append(Cell(policy, act.strip("`"), surface, shown, _MEANING[value]))
    return found


def _words(line: str) -> list[str]:
    return [word.strip() for word in line.strip("|").split("|")]
