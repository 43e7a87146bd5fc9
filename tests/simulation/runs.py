"""Run seeds, one after another or in several processes, and tell what was found."""

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.simulation.laws import check_step, judge
from tests.simulation.planted import Plant
from tests.simulation.simulation import POLICIES, Simulation, Template
from tests.simulation.steps import take_step


@dataclass(slots=True)
class Result:
    """What one seed came to."""

    seed: int
    policy: str = ""
    broken: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    steps: int = 0
    figures: dict[str, int] = field(default_factory=dict)


class Workshop:
    """A folder in which one process runs seeds."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._templates: dict[str, Template] = {}
        os.environ["XDG_STATE_HOME"] = str(base / "company" / ".state")
        os.environ["XDG_CONFIG_HOME"] = str(base / "config")
        os.environ.pop("PALAVER_TRUST", None)

    def template(self, policy: str) -> Template:
        if policy not in self._templates:
            self._templates[policy] = Template(self._base, policy)
        return self._templates[policy]

    def plant(self, planted: Plant) -> None:
        """Plant a bug, for the rest of this process; the company was founded without it."""
        for policy in POLICIES:
            self.template(policy)
        planted.plant()

    def log_bytes(self) -> bytes:
        """Return the log that the last seed left."""
        folder = self._base / "company" / ".palaver" / "log"
        return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))

    def run(self, seed: int) -> Result:
        """Simulate one seed."""
        policy = POLICIES[seed % 2]
        result = Result(seed, policy)
        sim = Simulation(self.template(policy), seed)
        with sim.machine.switched_on():
            try:
                for _ in range(sim.dice.randint(60, 150)):
                    take_step(sim)
                    check_step(sim)
                result.broken = judge(sim)
            except Exception as fault:  # whatever the product raises is what we look for
                shown = "".join(traceback.format_exception(fault)[-4:])
                result.broken = [f"{type(fault).__name__}: {fault}\n{shown}"]
        result.history, result.steps = sim.history, len(sim.history)
        result.figures = _figures(sim)
        return result


def _figures(sim: Simulation) -> dict[str, int]:
    sent = sim.ledger.sent.values()
    return {
        "acknowledged sends": sum(each.is_acknowledged for each in sent),
        "lines of agents": len(sim.ledger.said),
        "deaths": sim.deaths,
        "power cuts": sim.cuts,
        "interruptions": sim.interruptions,
        "refusals": sim.refusals,
    }


@contextmanager
def workshop(base: Path) -> Iterator[Workshop]:
    """Lend a folder to run seeds in, and give the environment back."""
    before = dict(os.environ)
    try:
        yield Workshop(base)
    finally:
        os.environ.clear()
        os.environ.update(before)
