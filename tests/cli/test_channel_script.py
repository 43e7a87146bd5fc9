"""A swarm's own command lines run as they stand: `scripts/channel.py` calls the bus."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.spoken import Shell
from tests.patience import PATIENCE

BIN = str(Path(sys.executable).parent)


class Swarm:
    """A team whose agents type what their protocol tells them."""

    def __init__(self, shell: Shell) -> None:
        self.folder = shell.folder
        home = self.folder / "home"
        home.mkdir()
        self.shell = shell.with_env(HOME=str(home), PATH=f"{BIN}:/usr/bin:/bin")
        self.channel = home / ".claude/teams/t1/channel.jsonl"

    def types(self, line: str, agent: str = "") -> str:
        """Type a line of the protocol's pages."""
        named = {"PALAVER_AGENT": agent} if agent else {}
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env={**self.shell.env, **named},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done
        return done.stdout


@pytest.fixture
def swarm(ada: Shell) -> Swarm:
    return Swarm(ada)


def test_the_lines_of_the_protocol_run_as_they_stand(swarm: Swarm) -> None:
    made = swarm.shell.run("channel", "init", "--team", "t1")
    assert made.out == f"Channel initialized: {swarm.channel}\n"

    written = swarm.types(
        "python3 scripts/channel.py write --team t1 --from programmer --to @td --type status "
        '--reasoning "Done with it" --content "STATUS: parser is green"'
    )
    assert written.startswith("Message written: 20")

    assert "STATUS: parser is green" in swarm.types("python3 scripts/channel.py read --team t1")
    assert "parser is green" in swarm.types("python3 scripts/channel.py read --team t1 --mine", "td")
    late = swarm.types('python3 scripts/channel.py read --team t1 --since "2099-01-25T23:00:00Z"')
    assert late == "No messages.\n"
    line = json.loads(swarm.channel.read_text(encoding="utf-8").splitlines()[0])
    assert (line["from"], line["to"], line["type"]) == ("programmer", ["@td"], "status")


def test_a_line_that_an_agent_appends_is_read_by_the_script(swarm: Swarm) -> None:
    swarm.shell.run("channel", "init", "--team", "t1")
    said = {"ts": "2026-01-25T23:45:00.000Z", "from": "architect", "to": None, "type": "decision"}
    swarm.channel.write_text(json.dumps({**said, "reasoning": "r", "content": "We use REST"}) + "\n")

    assert "We use REST" in swarm.types("python3 scripts/channel.py read --team t1")


def test_a_repeated_key_of_init_does_nothing_and_answers_the_same(swarm: Swarm) -> None:
    words = ("channel", "init", "--team", "t1", "--key", "k", "--as", "td")
    first = swarm.shell.run(*words)
    (swarm.folder / "scripts/channel.py").unlink()

    assert swarm.shell.run(*words).out == first.out
    assert not (swarm.folder / "scripts/channel.py").exists()


@pytest.mark.parametrize(
    ("team", "env", "why"),
    [("a/b", {}, "cannot call a team a/b: it has a '/'"), ("t9", {"PALAVER_TOKEN": "x"}, "[")],
    ids=["nested", "without-power"],
)
def test_an_init_that_is_refused_makes_no_folder(
    swarm: Swarm, team: str, env: dict[str, str], why: str
) -> None:
    refused = swarm.shell.with_env(**env).run("channel", "init", "--team", team)

    assert refused.code in (2, 4), refused
    assert why in refused.err
    assert not (swarm.channel.parent.parent / team).exists()


def test_to_init_again_changes_nothing_and_anothers_script_is_left_alone(swarm: Swarm) -> None:
    first = swarm.shell.run("channel", "init", "--team", "t1")
    assert swarm.shell.run("channel", "init", "--team", "t1").out == first.out

    script = swarm.folder / "scripts/channel.py"
    script.write_text("print('mine')\n")
    again = swarm.shell.run("channel", "init", "--team", "t1")

    assert again.code == 2
    assert "another file is there" in again.err
    assert script.read_text() == "print('mine')\n"
