"""Hostile words through real command lines: every text at every place, every name that is nearly one."""

import json
import random
from pathlib import Path
from typing import Final

import pytest

from tests.cli.hostile import TEXTS
from tests.cli.spoken import Shell, copy_bus, surroundings

pytestmark = pytest.mark.torture

SEED: Final = 20260101
TYPOS: Final = 500
ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz0123456789._-/"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bus with two dozen agents whose names are alike."""
    shell = Shell(folder=tmp_path_factory.mktemp("template"), env=surroundings())
    assert shell.run("init", "--person", "ada").code == 0
    slots = [f"project-a/workers/slot{number}" for number in range(1, 13)]
    assert shell.run("agents", "add", "bob", "bobby", "carol", "reviewer", "review-lead", *slots).code == 0
    return shell.folder


@pytest.fixture
def ada(template: Path, tmp_path: Path) -> Shell:
    """Return ada, on such a bus of her own."""
    copy_bus(template, tmp_path / "project")
    return Shell(folder=tmp_path / "project", env=surroundings(PALAVER_AGENT="ada"))


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_goes_through_every_command_and_does_nothing(ada: Shell, name: str) -> None:
    """`run` looks at every byte of every answer."""
    text = TEXTS[name].replace("\0", "")

    sent = ada.run("send", "bob", "-m", text, "-s", text[:900], "--meta", f"k={text[:900]}", "--json")
    message_id = str(sent.fields["id"])
    seq = str(sent.fields["seq"])
    shown = [
        ada.run(*words)
        for words in (
            ["inbox", "--as", "bob"],
            ["inbox", "--as", "bob", "--json"],
            ["read", message_id, "--as", "bob"],
            ["thread", message_id],
            ["thread", message_id, "--json"],
            ["tail"],
            ["tail", "--json"],
            ["events", "show", seq],
            ["events", "export"],
            ["search", "--", text[:200]],
            ["reply", message_id, "-m", text, "--as", "bob"],
            ["withdraw", message_id],
            ["redact", seq, "--reason", text[:900]],
            ["verify"],
        )
    ]

    assert [answer.code for answer in shown[:9]] == [0] * 9
    assert {answer.code for answer in shown[9:]} <= {0, 2, 5}
    assert shown[-1].code == 0


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_in_the_place_of_everything_else_does_nothing(ada: Shell, name: str) -> None:
    text = TEXTS[name]

    for words in (
        [text],
        ["send", text, "-m", "x"],
        ["send", "bob", "-m", "x", "--act", text],
        ["send", "bob", "-m", "x", "--reply-to", text],
        ["send", "bob", "-m", "x", "--file", text],
        ["inbox", "--as", text],
        ["inbox", "--root", text],
        ["inbox", "--limit", text],
        ["read", "--", text],
        ["events", "show", "--", text],
        ["lists", "set", "--", text, "bob"],
        ["agents", "retire", "--", text],
    ):
        for more in ([], ["--json"]):
            answer = ada.run(*words[:1], *more, *words[1:])
            assert answer.code in (1, 2, 3, 4), (words, answer)
    for variable in ("PALAVER_AGENT", "AGENT_ID"):
        shell = ada.without_env("PALAVER_AGENT").with_env(**{variable: text})
        assert shell.run("send", "bob", "-m", "x").code == 2
    assert ada.with_env(PALAVER_ROOT=text).run("inbox").code in (1, 2, 3, 4)


def typo(dice: random.Random, name: str) -> str:
    """Return a name with one mistake in it: a letter too many, too few, another one, or two swapped."""
    place = dice.randrange(len(name) - 1)
    letter = dice.choice(ALPHABET)
    return dice.choice(
        [
            name[:place] + name[place + 1 :],
            name[:place] + letter + name[place:],
            name[:place] + letter + name[place + 1 :],
            name[:place] + name[place + 1] + name[place] + name[place + 2 :],
        ]
    )


def test_five_hundred_names_that_are_nearly_right_are_never_a_success(ada: Shell) -> None:
    dice = random.Random(SEED)
    agents = [str(agent["id"]) for agent in ada.run("agents", "--json").rows]
    handles = [str(agent["handle"]) for agent in ada.run("agents", "--json").rows]
    known = {*agents, *handles, "all", "project-a/workers"}
    outcomes = {2: 0, 3: 0}
    proposed = 0

    for turn in range(TYPOS):
        meant = dice.choice(agents)
        written = typo(dice, meant)
        if written in known:
            continue
        answer = ada.run("send", "-m", f"turn {turn}", "--json", "--", written)
        told = f"seed {SEED}, turn {turn}: {written!r} for {meant}"
        assert answer.code in (2, 3), told
        outcomes[answer.code] += 1
        if answer.code == 3:
            error = json.loads(answer.out)["error"]
            assert error["code"] == "unknown-recipient", told
            assert error["what"] == f"Not delivered to {written}", told
            proposed += meant in error["way_out"].removesuffix("?").split()

    assert outcomes[3] > TYPOS / 2, outcomes
    assert proposed > 0.9 * outcomes[3], (proposed, outcomes)
    for agent in agents:
        if agent != "ada":
            assert ada.run("inbox", "--as", agent, "--json").fields["open"] == 0, agent
