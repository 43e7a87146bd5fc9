"""A command whose answer was lost is run again under the same id: each of its events is in the log once.

A daemon that is killed may have recorded all events of a command, the first of them, or none. Each of these
states is made here from the log of a run that was not disturbed. A daemon that was only stopped may even
record them after the second run.
"""

import json
import os
import shutil
import subprocess
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest

from palaver.bus import trust
from palaver.bus.root import find
from palaver.bus.session import Session
from palaver.bus.sync_port import SyncPort
from palaver.cli.hosted import Host
from palaver.daemon.caller_pipe import CallerGone, CallerPipe, CommandRequest, CommandResult
from palaver.daemon.command_folder import CommandFolder
from tests.cli.spoken import BIN, PALAVER, Answer, Shell, surroundings
from tests.patience import PATIENCE

REQUEST: Final = "qwertyuiopas"
# What is done before, and the command. $N is the last word of the answer of the Nth of them.
CASES: Final = {
    "send": ("send bob carol -m hello",),
    "send to nobody": ("send nobody -m hello --allow-unknown",),
    "ask": ("send bob -m what? --act ask",),
    "reply": ("send ada -m hello --as bob", "reply $1 -m hello"),
    "resend": ("send nobody -m hello --allow-unknown", "resend $1 bob"),
    "withdraw": ("send bob -m hello", "withdraw $1"),
    "read": ("send ada -m one --as bob", "send ada -m two --as bob", "read"),
    "ack": ("send ada -m one --as bob", "send ada -m two --as bob", "ack $1 $2"),
    "archive": ("send ada -m one --as bob", "send ada -m two --as bob", "archive $1 $2"),
    "review": ("review bob --scope all --severity nit --finding x --tests y --recommendation z",),
    "report-error": ("task open t --id t", "task claim t", "report-error bob --task t --impact all -m x"),
    "open": ("task open parser --id parser",),
    "open without an id": ("task open parser",),
    "change": ("task open parser --id p", "task change p --title q"),
    "claim": ("task open parser --id p", "task claim p"),
    "assign": ("task open parser --id p", "task assign p bob"),
    "deliver": ("task open parser --id p", "task claim p --as bob", "task deliver p -m result --as bob"),
    "accept": (
        "task open parser --id p",
        "task claim p --as bob",
        "task deliver p -m result --as bob",
        "task accept p",
    ),
    "release": ("task open parser --id p", "task claim p", "task release p"),
    "cancel": ("task open parser --id p", "task cancel p"),
    "prime": ("prime",),
    "continue": ("continue",),
    "continue at work": ("task open t --id t --as bob", "task claim t", "continue"),
    "add agents": ("agents add dora emil fred",),
    "retire agents": ("agents retire bob carol",),
    "set a list": ("lists set all-of-us ada bob",),
    "create": ("wo create parser",),
    "close": ("task open a --id a", "task open b --id b", "task claim a", "task claim b", "wo close a b"),
    "dep add": ("task open a --id a", "task open b --id b", "wo dep add a b"),
    "handoff": ("co handoff -m continue",),
    "set an assignment": ("task open a --id a", "co assignment set bob work_order:a"),
    "clear an assignment": ("co handoff -m continue", "co assignment clear"),
    "attach": ("send bob -m hello", "co assignment attach $1"),
    "co send": ("co send bob -m hello",),
    "co read": ("send ada -m one --as bob", "co read $1"),
}


def perform(shell: Shell, words: str, said: list[str]) -> Answer:
    """Run a command as ada, unless it names somebody."""
    for number, last in enumerate(said, start=1):
        words = words.replace(f"${number}", last)
    program, *rest = words.split()
    started = [program, *rest] if program in ("co", "wo") else ["palaver", program, *rest]
    return shell.type(*started)


def grown(shell: Shell, before: int) -> list[dict[str, object]]:
    """Return the events that were recorded after so many bytes."""
    return [json.loads(line) for line in shell.log()[before:].splitlines()]


def kinds(events: list[dict[str, object]]) -> Counter[tuple[object, object]]:
    return Counter((event["event_type"], event["actor"]) for event in events)


def copied(shell: Shell, folder: Path) -> Shell:
    shutil.copytree(shell.folder, folder)
    trust.accept(str(folder / ".palaver"))
    return shell.at(folder)


@pytest.fixture
def prepared(bus: Shell) -> Shell:
    return Shell(folder=bus.folder, env=surroundings(PALAVER_AGENT="ada"))


@pytest.mark.alone("it plays the Python that a launcher starts when a daemon has died")
@pytest.mark.parametrize("case", CASES)
def test_each_event_is_recorded_once_however_many_were_recorded_before(
    prepared: Shell, tmp_path: Path, case: str
) -> None:
    *steps, command = CASES[case]
    said: list[str] = []
    for step in steps:
        answer = perform(prepared, step, said)
        assert answer.code == 0, answer
        said.append(answer.lines[0].split()[-1])
    before = len(prepared.log())
    whole = copied(prepared, tmp_path / "whole").with_env(PALAVER_REQUEST=REQUEST)
    expected = perform(whole, command, said)
    recorded = whole.log()[before:].splitlines(keepends=True)
    assert recorded, expected

    for count in range(len(recorded) + 1):
        cut = copied(prepared, tmp_path / f"cut{count}").with_env(PALAVER_REQUEST=REQUEST)
        [*_, last] = sorted((cut.folder / ".palaver/log").iterdir())
        with last.open("ab") as log:
            log.write(b"".join(recorded[:count]))
        if count:
            # A config is saved before an event says so.
            shutil.copy(whole.folder / ".palaver/config.toml", cut.folder / ".palaver/config.toml")

        answer = perform(cut, command, said)

        assert kinds(grown(cut, before)) == kinds(grown(whole, before)), (count, answer)
        assert answer.code == expected.code, (count, answer, expected)


# --- through the launcher ---

LOST: Final = {
    "send": "send bob -m hello",
    "reply": "reply $1 -m hello",
    "ack": "ack $1",
    "archive": "archive $1",
    "open": "task open parser --id p",
    "claim": "task claim t",
    "report-error": "report-error bob --task t --impact all -m x",
    "add agents": "agents add dora emil",
    "set a list": "lists set all-of-us ada bob",
    "create": "wo create parser",
    "handoff": "co handoff -m continue",
    "prime": "prime",
}


class LosingDaemon:
    """A daemon that loses the first command: before it runs it, after that, or both."""

    def __init__(self, folder: Path, moment: str) -> None:
        root = find(str(folder))
        self._host = Host(Session(root), lambda _: SyncPort(), os.environ)
        self._moment = moment
        self.commands = CommandFolder(root.path, self._run, end_thread=self._host.end_thread, note=print)
        self.lost: list[CommandRequest] = []

    def _run(self, request: CommandRequest, pipe: CallerPipe) -> CommandResult:
        self.lost.append(request)
        if self._moment == "after":
            self._host.run(request, pipe)
        raise CallerGone

    def catch_up(self, folder: Path) -> None:
        """Run the command that was lost, as a daemon does that goes on when its caller has just given up."""
        if self._moment == "late":
            with closing(CallerPipe(str(folder), "late")) as pipe, suppress(CallerGone):
                self._host.run(self.lost[0], pipe)


@pytest.mark.parametrize("moment", ["before", "after", "late"])
@pytest.mark.parametrize("case", LOST)
def test_a_lost_answer_is_found_and_nothing_is_done_twice(
    prepared: Shell, tmp_path: Path, case: str, moment: str
) -> None:
    said = [perform(prepared, "send ada -m question --act ask --as bob", []).message_id]
    assert perform(prepared, "task open t --id t", []).code == 0
    before = len(prepared.log())
    expected = copied(prepared, tmp_path / "other").with_env(PALAVER_REQUEST=REQUEST)
    assert perform(expected, LOST[case], said).code == 0
    daemon = LosingDaemon(prepared.folder, moment)

    with daemon.commands:
        program, *rest = LOST[case].replace("$1", said[0]).split()
        words = [str(BIN / program), *rest] if program in ("co", "wo") else [PALAVER, program, *rest]
        done = subprocess.run(
            words,
            cwd=prepared.folder,
            env=dict(prepared.env),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        daemon.catch_up(tmp_path)

    assert (done.returncode, done.stderr) == (0, b"")
    assert len(daemon.lost) == 1
    assert kinds(grown(prepared, before)) == kinds(grown(expected, before))
