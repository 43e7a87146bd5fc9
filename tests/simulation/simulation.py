"""One simulation: a company on a machine, and processes that work for it, die and are started again."""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from palaver.bus.identity import vouch
from palaver.log.clock import iso_second
from palaver.model.errors import Refusal
from palaver.model.limits import LOCK_SECONDS
from palaver.model.plain import dumps
from palaver.sync.report import Report
from tests.simulation.company import BOSS, PERSON, SETTINGS, TASKS, TEAMS, greeting, writes
from tests.simulation.ledger import Ledger
from tests.simulation.machine import Died, Machine, Moments
from tests.sync.scene import Scene, append

T = TypeVar("T")
POLICIES: Final = ("open", "strict")
# How many changes of the disk a process does before its fate meets it.
_MOMENTS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45)


class Process(Scene):
    """A process that uses the bus of a company, which is there already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.restart()

    def pass_over(self) -> Report | None:
        """Do one pass, if no other process is in the way."""
        return self._sync.once(LOCK_SECONDS)

    def end(self) -> None:
        """Close what a process closes when it ends by itself."""
        self.bus.session.view.close()
        self._sync.session.view.close()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What came of an operation: a value, a refusal, or neither if its process died."""

    value: T | None = None
    refusal: Refusal | None = None
    is_dead: bool = False


class Template:
    """A company on its first day, from which simulations are copied: by policy."""

    def __init__(self, base: Path, policy: str) -> None:
        self.folder, self._copy = base / "company", base / f"template-{policy}"
        # No simulation has this seed: an id is never drawn twice.
        machine = Machine(self.folder, -1)
        shutil.rmtree(self.folder, ignore_errors=True)
        with machine.switched_on():
            _found_company(self.folder, policy)
            machine.close_views()
            self._numbers = machine.numbers()
        self.now_ns = machine.now_ns
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self.folder, self._copy)

    def begin(self, seed: int) -> Machine:
        """Put a fresh copy in its place; return the machine that it is on."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._copy, self.folder)
        machine = Machine(self.folder, seed)
        machine.adopt(self._numbers)
        machine.now_ns = self.now_ns
        return machine


def _found_company(folder: Path, policy: str) -> None:
    """Make a bus with a mount for each team, whose agents are known and whose tasks are open."""
    scene = Scene(folder)
    config = folder / ".palaver" / "config.toml"
    settled = f'identity = "{policy}"\nleads = ["{BOSS}"]'
    config.write_text(config.read_text().replace('identity = "open"', settled, 1))
    vouch(scene.bus.session, PERSON)
    scene.bus.add_agent(BOSS)
    for team, agents in TEAMS.items():
        scene.mount(team, **SETTINGS.get(team, {}))
        for agent in agents:
            # Its first line makes it an agent of this team.
            append(folder / writes(agent), greeting(agent).encode() + b"\n")
    scene.settle()
    for team, tasks in TASKS.items():
        for task in tasks:
            scene.bus.open_task(f"Task {task}", task=task, owner=TEAMS[team][0], approval=team == "office")
    scene.settle()


class Simulation:
    """One seed: the state of its model, and how its processes are run."""

    def __init__(self, template: Template, seed: int) -> None:
        self.seed = seed
        self.dice = random.Random(seed)
        self.folder = template.folder
        self.machine = template.begin(seed)
        self.ledger = Ledger()
        self.history: list[str] = []
        #: What patrols report besides their steps.
        self.notes: list[str] = []
        self.deaths = self.cuts = self.interruptions = self.refusals = 0
        self._daemon: Process | None = None
        #: What another process does in the middle of an operation.
        self.deed: Callable[[], object] = lambda: None
        #: The bytes of the log as they were last seen: they are never changed and never taken away.
        self.log_bytes = b""

    # --- processes ---

    def daemon(self) -> Process:
        """Return the process that lives for long; a new one if the last one is dead."""
        if self._daemon is None:
            self._daemon = Process(self.folder)
        return self._daemon

    def end_daemon(self) -> None:
        """End the process that lives for long, by itself."""
        if self._daemon is not None:
            self._daemon.end()
        self._daemon = None

    def operate(
        self, what: Callable[[Process], T], *, warm: float = 0.75, prove: str = "", fate: str = ""
    ) -> Outcome[T]:
        """Run an operation in the daemon or in a process of its own, which may die, or lose its power."""
        dice = self.dice
        is_warm = not prove and dice.random() < warm
        fate = fate or dice.choices(("lives", "dies", "loses power", "is interrupted"), (70, 12, 5, 13))[0]
        moments = Moments(dice.choice(_MOMENTS), lambda: None)
        if fate in ("dies", "loses power"):
            moments.deed = self.machine.die
            moments.part = dice.choice((0.0, 0.0, dice.random()))
        elif fate == "is interrupted":
            moments.deed = self._interrupt
        else:
            moments.at = 0
        outcome: Outcome[T]
        with self.machine.process(moments):
            outcome = self._attempt(what, is_warm=is_warm, prove=prove)
        self.history[-1] += f" ({'warm' if is_warm else 'cold'}"
        if outcome.is_dead:
            self.deaths += 1
            self.history[-1] += f", {fate} at {moments.at}"
            if is_warm or fate == "loses power":
                self._daemon = None
            if fate == "loses power":
                self._lose_power()
        elif outcome.refusal is not None:
            self.refusals += 1
            self.history[-1] += f", refused: {outcome.refusal.code}"
        elif fate == "is interrupted" and moments.count >= moments.at:
            self.history[-1] += f", interrupted at {moments.at}"
        self.history[-1] += ")"
        return outcome

    def _attempt(self, what: Callable[[Process], T], *, is_warm: bool, prove: str) -> Outcome[T]:
        try:
            process = self.daemon() if is_warm else Process(self.folder)
            if prove:
                vouch(process.bus.session, prove)
            value = what(process)
            if not is_warm:
                process.end()
        except Died:
            return Outcome(is_dead=True)
        except Refusal as refusal:
            return Outcome(refusal=refusal)
        return Outcome(value)

    def _interrupt(self) -> None:
        """Let another process or an agent act in the middle of an operation."""
        self.interruptions += 1
        with self.machine.process(Moments()):
            self.deed()

    def _lose_power(self) -> None:
        """Cut the power; note which lines of agents are gone."""
        self.cuts += 1
        before = {file: self.content(file) for file in self.files()}
        replaced = self._replaced_content()
        self.machine.cut_power(self.dice)
        self.log_bytes = b""
        recorded = self.recorded()
        self.ledger.note_late_lines(replaced, self._replaced_content(), recorded)
        for file, content in before.items():
            after = self.content(file)
            if after != content:
                self.ledger.note_content(file, content, after, recorded)
                self.ledger.blur_end(after)
        self.machine.pass_time(self.dice.choice((1.0, 30.0, 3_600.0)))

    # --- what there is ---

    def files(self) -> list[str]:
        """Return the files of all teams."""
        found = (path for team in TEAMS for path in (self.folder / team).rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def _replaced_content(self) -> str:
        """Return the content of files that were replaced: agents may have written to them since."""
        paths = sorted((self.folder / ".palaver" / "attic").iterdir())
        return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in paths)

    def content(self, file: str) -> str:
        path = self.folder / file
        return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""

    def recorded(self) -> str:
        """Return all messages of the log that are not the bus's own, and what was quarantined or found."""
        process = Process(self.folder)
        wanted = ("mail.sent", "file.quarantined", "file.found")
        events = [each for each in process.events(*wanted) if each.actor != "palaver" or each.src]
        return "\n".join(dumps(each.plain()) for each in events)

    def clock(self) -> str:
        """Return the time as an agent of this machine writes it, without its zone."""
        return iso_second(self.machine.now_ns // 1_000_000_000)
