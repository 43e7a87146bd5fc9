"""Commands: a process from start to end, next to a Python of the same environment that does nothing."""

import os
import sys
import time
from collections.abc import Callable
from compileall import compile_dir
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from bench.ground import BODY, Ground
from bench.measure import Row, in_rounds, milliseconds, ratios
from palaver import __file__ as palaver_file
from palaver.api import Bus

AGAINST = "python -c pass"
OPEN = 5
# Variables that would change what is measured.
_OURS = ("PYTHON", "PALAVER_", "AGENT_ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command line, and what happens before it, off the clock."""

    name: str
    what: str
    target: float
    folder: Path
    words: Callable[[], list[str]]


def commands(ground: Ground) -> list[Row]:
    # As after an installation; where writing bytecode is forbidden, every start would compile anew.
    compile_dir(Path(palaver_file).parent, quiet=1)
    palaver = str(Path(sys.executable).parent / "palaver")
    table = _table(ground, palaver)
    samples = {command.name: _sample(command) for command in table}
    samples["bare"] = lambda: spawned(bare_start(), ground.folder)
    taken = in_rounds(samples, rounds=ground.sizes.starts, seed=ground.seed, label="commands")
    return [_row(command, taken) for command in table]


def _table(ground: Ground, palaver: str) -> list[Command]:
    send = ground.bus("command-send")
    send.inbox("bob")
    return [
        Command(
            name="cli-send",
            what="palaver send",
            target=1.5,
            folder=_folder(send),
            words=lambda: [palaver, "send", "bob", "-m", BODY],
        ),
    ]


def _folder(bus: Bus) -> Path:
    return Path(bus.root.path).parent


def _sample(command: Command) -> Callable[[], float]:
    return lambda: spawned(command.words(), command.folder)


def bare_start() -> list[str]:
    """Return the command that starts a Python of the same environment, and does nothing."""
    return [sys.executable, "-c", "pass"]


def spawned(words: list[str], folder: Path) -> float:
    """Return the seconds from start to end of a process that stands in a folder; a failure is an error."""
    start = time.perf_counter()
    ended(started(words, folder), words)
    return time.perf_counter() - start


def started(words: list[str], folder: Path) -> int:
    """Start a process that stands in a folder; return its id."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    environment["PALAVER_AGENT"] = "ada"
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    with chdir(folder):
        return os.posix_spawn(words[0], words, environment, file_actions=silent)


def ended(pid: int, words: list[str]) -> None:
    """Wait for the end of a process; a failure is an error."""
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")


def _row(command: Command, taken: dict[str, list[float]]) -> Row:
    found = ratios(taken[command.name], taken["bare"])
    return Row(
        name=command.name,
        what=command.what,
        against=AGAINST,
        unit="x",
        found=found,
        target=command.target,
        at_least=False,
        rounds=len(taken["bare"]),
        ours=milliseconds(taken[command.name]),
        limit=milliseconds(taken["bare"]),
    )
