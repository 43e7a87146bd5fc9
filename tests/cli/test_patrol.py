"""palaver patrol: one pass, what it did and why; and what it would do."""

import json
from pathlib import Path

import pytest

from palaver import Bus
from palaver.wiring import begin
from tests.cli.spoken import Shell, surroundings

CONFIG = 'version = 1\nperson = "ada"\n[deadlines]\nquestion = 0\nclosed = 0\n'


def shell(folder: Path) -> Shell:
    begin(str(folder), "ada")
    Path(folder, ".palaver", "config.toml").write_text(CONFIG)
    bus = Bus(str(folder), agent="ada")
    bus.add_agent("bob")
    bus.send("bob", "Which port?", act="ask")
    return Shell(folder=folder, env=surroundings(HOME=str(folder)))


@pytest.mark.alone("a daemon patrols by itself")
def test_a_bus_where_nothing_is_due_says_what_it_looked_at(tmp_path: Path) -> None:
    begin(str(tmp_path), "ada")
    answer = Shell(folder=tmp_path, env=surroundings(HOME=str(tmp_path))).run("patrol")

    assert answer.code == 0
    assert answer.out == "Nothing is due: 0 at work, 0 waits, watched for 0 s\n"


@pytest.mark.alone("a daemon patrols by itself")
def test_a_dry_run_says_what_would_be_done_and_why_and_does_nothing(tmp_path: Path) -> None:
    here = shell(tmp_path)

    for _ in range(2):
        answer = here.run("patrol", "--dry-run")
        assert answer.code == 0
        assert answer.out.startswith("would remind bob: bob must act: msg-")
    assert here.run("inbox", "--as", "bob").out.count("palaver") == 0


@pytest.mark.alone("a daemon patrols by itself")
def test_a_pass_says_what_it_did_once(tmp_path: Path) -> None:
    here = shell(tmp_path)

    first = json.loads(here.run("patrol", "--json").out)
    second = json.loads(here.run("patrol", "--json").out)

    assert [(step["rule"], step["to"], step["taken"]) for step in first["steps"]] == [
        ("remind", ["bob"], True)
    ]
    assert second["steps"] == []


def test_a_deadline_that_is_none_is_refused_with_its_line(tmp_path: Path) -> None:
    here = shell(tmp_path)
    for wrong in ('nudge = "soon"', "nudge = -1", "gap = 0", "nudge = true"):
        Path(tmp_path, ".palaver", "config.toml").write_text(
            f'version = 1\nperson = "ada"\n[deadlines]\n{wrong}\n'
        )
        answer = here.run("agents", "add", "carol")

        assert answer.code == 2, answer
        assert ":4: cannot use" in answer.err
        assert "it must be a number" in answer.err


def test_a_command_that_is_no_list_of_words_is_named_and_the_patrol_goes_on(tmp_path: Path) -> None:
    own = tmp_path / "own"
    here = shell(tmp_path).with_env(XDG_CONFIG_HOME=str(own))
    (own / "palaver").mkdir(parents=True)
    (own / "palaver/config.toml").write_text('[notify]\ncommand = "rm -rf x"\n')
    here.run("send", "ada", "-m", "The disk is full.", "--act", "escalate", "--as", "bob")

    answer = here.run("patrol")

    assert answer.code == 0
    assert 'write command = ["program", "word"]' in answer.err


def test_an_escalation_is_the_first_that_waiting_shows(tmp_path: Path) -> None:
    here = shell(tmp_path)
    here.run("send", "ada", "-m", "The disk is full.", "--act", "escalate", "--as", "bob")

    first = here.run("waiting").out.split("\n")[0]

    assert "bob" in first
    assert "a decision" in first
