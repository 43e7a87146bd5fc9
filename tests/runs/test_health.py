"""palaver health: a few things are looked at, and somebody is told."""

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.model.errors import BadConfig, Refusal
from palaver.runs import health_checks, run_config
from tests.cli.spoken import Shell, with_user_config
from tests.runs.programs import Runner


@pytest.fixture
def runner(bus: Shell) -> Runner:
    return Runner(shell=bus)


def test_everything_that_can_be_looked_at_is_told_as_pairs(runner: Runner) -> None:
    (runner.shell.folder / "fresh").write_text("x")
    (runner.shell.folder / "stale").write_text("x")
    os.utime(runner.shell.folder / "stale", (time.time() - 1000, time.time() - 1000))
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as closed:
        port, free = server.getsockname()[1], closed.getsockname()[1]
        closed.close()
        runner.configure(f"""
[health]
to = "ada"
[health.checks]
here = {{ process = "{Path(sys.executable).name}", via = "native" }}
gone = {{ process = "no-such-program-anywhere" }}
web = {{ port = {port} }}
shut = {{ port = {free} }}
new = {{ file = "fresh", age = 900 }}
old = {{ file = "stale", age = 900 }}
none = {{ file = "missing" }}
""")
        commands = 'good = { command = "test -e fresh" }\nbad = { command = "exit 3" }\n'
        shell = with_user_config(runner.shell, f"[health.checks]\n{commands}")
        answer = shell.run("health", "--as", "bob")

    pairs = (
        "here=native:up gone=process:down web=port:up shut=port:down new=file:up old=file:down "
        "none=file:down good=command:up bad=command:down"
    )
    assert answer.code == 1
    assert answer.lines[0] == f"[DEPIN-HEALTH] {pairs}"
    assert "  bad: the command ended with 3" in answer.lines
    [mail] = runner.shell.run("read", "--as", "ada", "--json").rows
    assert (mail["act"], mail["body"], mail["from"], mail["priority"]) == ("health", pairs, "bob", "urgent")


def test_all_well_is_exit_0_and_a_dry_run_tells_nobody(runner: Runner) -> None:
    runner.configure('\n[health]\nto = "ada"\n[health.checks]\nok = { file = ".palaver/log" }\n')

    answer = runner.shell.run("health", "--dry-run")

    assert (answer.code, answer.out) == (0, "[DEPIN-HEALTH] ok=file:up\n")
    assert runner.events("mail.sent") == []
    assert runner.shell.run("health", "--as", "bob").code == 0


def test_a_repeated_key_reports_once(runner: Runner) -> None:
    runner.configure('\n[health]\nto = "ada"\n[health.checks]\nok = { file = ".palaver/log" }\n')

    first = runner.shell.run("health", "--as", "bob", "--key", "k", "--json").fields
    again = runner.shell.run("health", "--as", "bob", "--key", "k", "--json").fields

    assert again == first
    assert len(runner.events("mail.sent")) == 1


def test_all_well_is_no_success_where_a_name_that_should_be_told_means_nobody(runner: Runner) -> None:
    runner.configure('\n[health]\nto = "adda"\n[health.checks]\nok = { file = ".palaver/log" }\n')

    answer = runner.shell.run("health", "--as", "bob")

    assert answer.code == 3
    assert "not delivered to adda: no such agent" in answer.err


def test_a_team_of_two_reads_the_line_of_the_system_and_the_pairs(runner: Runner) -> None:
    folder = runner.shell.folder / "collab"
    (folder / "inbox").mkdir(parents=True)
    runner.shell.run("mount", "add", "collab", str(folder), "--set", "a=jim", "--set", "b=clawdy")
    runner.configure(
        '\n[health]\nname = "depin_health.sh"\nto = "jim"\n[health.checks]\n'
        'grass = { file = ".", via = "native" }\nnodepay = { file = ".", via = "ext" }\n'
    )

    runner.shell.run("health", "--as", "clawdy")
    runner.shell.run("sync")

    said = [line[20:] for line in (folder / "chat.log").read_text().splitlines()]
    assert said[-2:] == [
        "SYSTEM: Cron fired depin_health.sh",
        "CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=ext:up",
    ]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("[health.checks]\nx = { }\n", "health.checks.x"),
        ("[health.checks]\nx = { port = 70000 }\n", "port out of range"),
        ("[health.checks]\nx = { port = 1, file = 'y' }\n", "exactly one kind"),
        ("[health.checks]\nx = { prot = 1 }\n", "exactly one kind"),
        ("[health.checks]\n'x y' = { port = 1 }\n", "plain name"),
        ("[health.checks]\nx = { file = 'y', age = 'old' }\n", "it must be a number"),
        ("[health]\ntoo = 'ada'\n", "unknown setting"),
        ("[health]\nto = '../x'\n", "health.to"),
        ("health = 3\n", "health"),
        ("[health]\n", "no health checks are configured"),
    ],
)
def test_a_wrong_config_is_refused_by_its_place(tmp_path: Path, wrong: str, named: str) -> None:
    (tmp_path / "config.toml").write_text(wrong)
    core = Session(Root(str(tmp_path)))

    with pytest.raises(Refusal) as refused:
        health_checks.health(core, dry_run=True)

    assert refused.value.exit == 2
    assert named in str(refused.value)


@pytest.mark.parametrize(
    "wrong",
    ["slots = 0", "rate = 'x'", "kill = -1", "folder = 4", "folder = '../x'", "folder = '/tmp'", "x = 1"],
)
def test_a_wrong_table_of_runs_is_refused(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "config.toml").write_text(f"[runs]\n{wrong}\n")

    with pytest.raises(BadConfig):
        run_config.load_runs(Root(str(tmp_path)))


def test_a_wrong_config_keeps_a_program_from_starting(runner: Runner) -> None:
    runner.configure("\n[runs]\nslots = 0\n")

    assert (runner.sh("touch began").code, (runner.shell.folder / "began").exists()) == (2, False)
