"""PALAVER_TOKEN: inside a run it is known who speaks, and outside a name is a claim."""

import os
import signal
from pathlib import Path

import pytest

from palaver import Bus
from palaver.model.errors import BadToken
from palaver.runs.process_table import find_process
from tests.cli.spoken import PALAVER, Shell
from tests.patience import PATIENCE
from tests.runs.programs import WAITS, Runner, until
from tests.sync.living import up

SAYS_ITS_TOKEN = f"echo $PALAVER_TOKEN > token; {WAITS}"


@pytest.fixture
def runner(bus: Shell) -> Runner:
    return Runner(shell=bus.with_env(P=PALAVER))


def token(runner: Runner) -> str:
    return (runner.shell.folder / "token").read_text().strip()


def auths(runner: Runner, event_type: str) -> list[str]:
    """Return how it is known who did each thing of a kind."""
    return [event.auth for event in runner.bus.events(event_type=event_type, limit=100)]


@pytest.mark.parametrize(
    ("event_type", "words"),
    [
        ("mail.sent", "send ada -m plain"),
        ("mail.sent", "send ada -m keyed --key k"),
        ("mail.sent", "send nobody -m lost --allow-unknown"),
        ("task.opened", "task open One"),
        ("mail.sent", "reply $M -m yes"),
        ("mail.read", "read"),
        ("mail.acknowledged", "ack $M"),
    ],
)
def test_what_a_program_says_inside_its_run_is_known_to_be_its_agents(
    runner: Runner, event_type: str, words: str
) -> None:
    mail = runner.shell.run("send", "bob", "-m", "hello", "--as", "ada").message_id
    before = auths(runner, event_type)

    said = runner.sh(f'M={mail}; "$P" {words}')

    assert said.code == 0, said
    [fresh] = auths(runner, event_type)[len(before) :]
    assert fresh == "token"


def test_the_same_name_outside_the_run_is_a_claim(runner: Runner) -> None:
    runner.shell.run("send", "ada", "-m", "hello", "--as", "bob")

    assert auths(runner, "mail.sent") == ["claimed"]


def test_the_daemon_is_shown_the_token_too(runner: Runner) -> None:
    with up(runner.shell.folder):
        runner.sh('"$P" send ada -m hello')
        runner.sh('"$P" send ada -m hello --as carol')

    assert auths(runner, "mail.sent") == ["token", "claimed"]


def test_inside_a_run_another_name_is_a_claim(runner: Runner) -> None:
    said = runner.sh('"$P" send ada -m hello --as carol && PALAVER_AGENT=carol "$P" send ada -m hello')

    assert said.code == 0, said
    assert auths(runner, "mail.sent") == ["claimed", "claimed"]


@pytest.mark.parametrize("junk", ["x", ""], ids=["unknown", "empty"])
def test_another_token_does_not_let_a_program_start_another_agent(runner: Runner, junk: str) -> None:
    said = runner.sh(f'PALAVER_TOKEN={junk} "$P" run --as carol -- true')

    # Without a token it is any program of the user, and that may.
    assert said.code == (4 if junk else 0), said


def test_a_token_counts_on_its_bus_whatever_bus_is_named(runner: Runner, tmp_path: Path) -> None:
    root = runner.shell.folder

    said = runner.sh(f'PALAVER_ROOT={tmp_path} "$P" run --root {root} --as carol -- true')

    assert (said.code, "inside a run of bob" in said.err) == (4, True), said


@pytest.mark.parametrize("words", ["send ada -m hello", "inbox", "task open One", "read"])
def test_a_token_that_nobody_was_given_is_refused_and_nothing_is_written(runner: Runner, words: str) -> None:
    before = runner.bus.events(limit=100)

    said = runner.shell.with_env(PALAVER_AGENT="bob", PALAVER_TOKEN="x" * 24).run(*words.split())

    assert (said.code, "[bad-token]" in said.err) == (4, True), said
    assert "unset PALAVER_TOKEN" in said.err
    assert runner.bus.events(limit=100) == before


def test_the_token_of_a_run_that_has_ended_is_refused(runner: Runner) -> None:
    with runner.going(SAYS_ITS_TOKEN) as keeper:
        bob = runner.shell.with_env(PALAVER_AGENT="bob", PALAVER_TOKEN=token(runner))
        assert bob.run("send", "ada", "-m", "while it runs").code == 0
        keeper.terminate()
        keeper.wait(PATIENCE)

        said = bob.run("send", "ada", "-m", "afterwards")

    assert (said.code, "[bad-token]" in said.err) == (4, True), said
    assert "palaver run --as bob" in said.err
    assert auths(runner, "mail.sent") == ["token"]
    # In another name it is refused, too; a command that only looks is not.
    assert bob.run("send", "ada", "-m", "x", "--as", "carol").code == 4
    assert bob.run("board").code == 0


def test_a_token_counts_until_the_end_is_in_the_log(runner: Runner) -> None:
    with runner.going(SAYS_ITS_TOKEN) as keeper:
        bob = runner.shell.with_env(PALAVER_AGENT="bob", PALAVER_TOKEN=token(runner))
        for kept in (runner.shell.folder / ".palaver/token").iterdir():
            kept.unlink()
        assert bob.run("send", "ada", "-m", "the file is gone, the run is not").code == 0

        keeper.kill()
        keeper.wait(PATIENCE)
        runner.shell.run("runs", "kill", "run_001", "--as", "ada")

        assert bob.run("send", "ada", "-m", "afterwards").code == 4
    assert auths(runner, "mail.sent") == ["token"]


def test_what_a_killed_runner_leaves_is_swept_by_the_next(runner: Runner) -> None:
    folder = runner.shell.folder / ".palaver/token"
    with runner.going(SAYS_ITS_TOKEN) as keeper:
        [left] = folder.iterdir()
        assert left.stat().st_mode & 0o777 == 0o600
        pid = int(str(runner.last()["pid"]))
        keeper.kill()
        os.killpg(pid, signal.SIGKILL)
        keeper.wait(PATIENCE)
        until(lambda: find_process(pid) is None)

    runner.sh("true")

    assert list(folder.iterdir()) == []


def test_a_token_of_one_bus_is_nothing_to_another(runner: Runner, tmp_path: Path) -> None:
    other = Shell(folder=tmp_path / "other", env=runner.shell.env)
    other.folder.mkdir()
    other.run("init", "--person", "ada")

    said = runner.sh(f'"$P" send ada -m hello --root {other.folder} --allow-unknown')

    assert said.code == 0, said
    assert [event.auth for event in Bus(str(other.folder)).events(event_type="mail.sent")] == ["claimed"]


def test_no_program_is_the_person(runner: Runner) -> None:
    said = runner.sh('echo "${PALAVER_TOKEN-none}"; "$P" send bob -m hello', agent="ada")

    assert said.lines[0] == "none"
    assert auths(runner, "mail.sent") == ["claimed"]


def test_the_library_shows_the_token_as_the_commands_do(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    with runner.going(SAYS_ITS_TOKEN) as keeper:
        monkeypatch.setenv("PALAVER_TOKEN", token(runner))
        Bus(str(runner.shell.folder), agent="bob").send("ada", "mine")
        Bus(str(runner.shell.folder), agent="carol").send("ada", "hers")
        keeper.terminate()
        keeper.wait(PATIENCE)

        with pytest.raises(BadToken):
            Bus(str(runner.shell.folder), agent="bob")
        with pytest.raises(BadToken):
            Bus(str(runner.shell.folder))
        monkeypatch.delenv("PALAVER_TOKEN")

    assert auths(runner, "mail.sent") == ["token", "claimed"]


def test_under_a_strict_policy_a_program_has_the_power_of_its_name(runner: Runner) -> None:
    config = runner.shell.folder / ".palaver/config.toml"
    strict = 'identity = "strict"\nleads = ["carol"]'
    config.write_text(config.read_text().replace('identity = "open"', strict))
    runner.shell.run("task", "open", "One", "--id", "one", "--approval", "--as", "carol")
    runner.shell.run("task", "claim", "one", "--as", "bob")

    claimed = runner.shell.run("task", "approve", "one", "--as", "carol")
    proved = runner.sh('"$P" task approve one', agent="carol")

    assert (claimed.code, proved.code) == (4, 0), (claimed, proved)


def test_a_line_of_a_file_is_not_proved_by_whoever_takes_it_in(runner: Runner) -> None:
    team = runner.shell.folder / "team"
    team.mkdir()
    channel = team / "channel.jsonl"
    channel.touch()
    runner.shell.run("mount", "add", "swarm", str(team), "--as", "ada")
    with channel.open("a") as file:
        file.write(
            '{"ts":"2026-02-11T10:00:00.000Z","from":"bob","to":["@ada"],"type":"message",'
            '"reasoning":"r","content":"from a file"}\n'
        )

    said = runner.sh('"$P" inbox && "$P" send ada -m "from the run"')

    assert said.code == 0, said
    told = {str(event.data["body"]): event.auth for event in runner.bus.events(event_type="mail.sent")}
    assert told == {"from a file": "claimed", "from the run": "token"}
