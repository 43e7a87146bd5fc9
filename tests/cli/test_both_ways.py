"""A command answers the same, byte for byte, whether Python or the daemon runs it."""

import os
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Final

import pytest

from palaver.cli.command_table import COMMANDS, PHRASES, program_of
from palaver.cli.company.co import CO
from palaver.cli.company.wo import WO
from palaver.cli.program import CommandEntry
from tests.cli.both_ways import Bus, Typed, launchers, rows
from tests.cli.golden import BAD, GOOD, HOMES
from tests.cli.launching import COLD
from tests.cli.spoken import BIN, copy_bus
from tests.sync.living import up

SCRIPTS: Final = {
    path.stem: list(rows(path.read_text("utf-8")))
    for path in sorted(Path(__file__).with_name("scripts").glob("*.txt"))
}
#: The folders that scripts mount.
MOUNTED: Final = {
    "office": "office",
    "swarm": "team",
    "vermas": "company",
    "runbus": "runs",
    "collab": "pair",
}
OPEN: Final = 'identity = "open"'
#: What the config has instead of an open policy.
POLICIES: Final = {"strict": 'identity = "strict"', "invalid": "identity = "}


def lay_out(folder: Path, script: str) -> None:
    """Lay out what a script needs: of each dialect a file, with a line that cannot be parsed."""
    for dialect, name in MOUNTED.items():
        path = folder / "files" / name / HOMES[dialect]
        path.parent.mkdir(parents=True)
        path.write_bytes(GOOD[dialect] + BAD[dialect][0])
        # Nobody is still writing it.
        os.utime(path, (0, 0))
    config = folder / ".palaver/config.toml"
    config.write_text(config.read_text().replace(OPEN, POLICIES.get(script, OPEN)))


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_answer_is_the_same_both_ways(script: str, template: Path, tmp_path: Path) -> None:
    cold = Bus(folder=tmp_path / "cold", programs=BIN)
    warm = Bus(folder=tmp_path / "warm", programs=launchers(tmp_path / "programs"))
    for bus in (cold, warm):
        copy_bus(template, bus.folder)
        lay_out(bus.folder, script)
    first = list(takewhile(lambda typed: typed.is_preparation, SCRIPTS[script]))

    for typed in first:
        assert warm.answer(typed) == cold.answer(typed), typed
    # Both have a daemon: what it does by itself is no difference.
    with up(cold.folder), up(warm.folder):
        for typed in SCRIPTS[script][len(first) :]:
            answer = warm.answer(typed)

            assert COLD not in answer.out, typed
            assert answer == cold.answer(typed), typed


# --- nothing is left out ---


def verbs(entry: CommandEntry) -> set[str]:
    """Return the verbs of a command: the small words of its usage, or those before an id in its help."""
    spec = entry.load().spec
    found = set(re.findall(r"(?<![\w|-])[a-z]+\b", spec.words.replace("|", " ")))
    if "VERB" in spec.words:
        found |= {"list", *re.findall(r"\b([a-z]+) (?:ID|TITLE)\b", spec.text)}
    return found or {""}


def warm_names() -> Iterator[str]:
    """Yield every command that the daemon may run, with each of its verbs."""
    for entry in COMMANDS.values():
        for verb in verbs(entry):
            if entry.is_warm([verb]):
                yield f"palaver {entry.name} {verb}".strip()
    for program in (CO, WO):
        for each in program.commands.values():
            if each.is_warm([]):
                yield f"{program.name} {each.name}"
    yield from PHRASES


def name_of(typed: Typed) -> str:
    """Return the command of a row, with its verb."""
    if typed.words[0] in PHRASES:
        return typed.words[0]
    program, words = program_of([typed.program, *typed.words] if typed.program != "palaver" else typed.words)
    entry, rest = program.find(words)
    assert entry is not None, typed
    if not isinstance(entry, CommandEntry):
        return f"{program.name} {entry.name}"
    known = verbs(entry) - {""}
    verb = next((word for word in rest if word in known), "list" if "list" in known else "")
    return f"palaver {entry.name} {verb}".strip()


def test_every_command_that_the_daemon_may_run_is_in_a_script() -> None:
    typed = {name_of(each) for script in SCRIPTS.values() for each in script if not each.is_preparation}

    assert set(warm_names()) <= typed, set(warm_names()) - typed


def cold_lines() -> Iterator[list[str]]:
    """Yield what always runs in the process of the caller."""
    for entry in COMMANDS.values():
        if entry.cold:
            yield from ([entry.name, word] for word in entry.cold_words or ("--json",))
    for program in (CO, WO):
        for each in program.commands.values():
            if each.cold:
                yield [program.name, *each.name.split()]
    # A file that is another one in every process.
    yield ["send", "bob", "-m", "x", "--file", "/dev/stdin"]
    yield ["reply", "msg-x", "--file=/proc/self/fd/1"]
    # What the daemon does not know may be newer than it.
    yield from ([], ["--help"], ["help", "send"], ["--version"], ["nonsense"], ["wo"], ["co", "--help"])


@pytest.fixture(scope="module")
def served(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    """Return a bus with a daemon, which is never asked to do anything."""
    folder = tmp_path_factory.mktemp("served")
    copy_bus(template, folder / "bus")
    with up(folder / "bus"):
        yield Bus(folder=folder / "bus", programs=launchers(folder / "programs"))


@pytest.mark.parametrize("words", [*cold_lines()], ids=" ".join)
def test_python_runs_what_the_daemon_may_not(words: list[str], served: Bus) -> None:
    assert served.type(Typed(words=words)).stdout.decode().startswith(COLD)
