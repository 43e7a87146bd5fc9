"""palaver continue, and the phrases of an office."""

import pytest

from tests.cli.spoken import Shell


@pytest.mark.parametrize("phrase", ["continue", "继续"])
def test_a_worker_says_the_phrase_and_is_told_what_to_do(ada: Shell, bob: Shell, phrase: str) -> None:
    ada.run("task", "open", "One", "--id", "one")

    assert bob.run(phrase).lines == ["No new mail", "one can be claimed: One   $ palaver task claim one"]


@pytest.mark.parametrize("words", [["continue", "--manager"], ["继续检查看板"]])
def test_a_manager_says_the_phrase_and_is_told_what_came(ada: Shell, bob: Shell, words: list[str]) -> None:
    ada.run("task", "open", "One", "--id", "one", "--approval")
    bob.run("task", "claim", "one")

    answer = ada.run(*words)

    # The claim is an item, so it is not listed as mail, too.
    assert answer.lines[0] == "No new mail"
    assert "Approvals:" in answer.lines
    assert "  bob wants one   $ palaver task approve one" in answer.lines


def test_a_level_is_a_number_from_1_to_5(ada: Shell) -> None:
    assert ada.run("agents", "add", "dora", "--level", "9").code == 2
    assert ada.run("agents", "add", "dora", "--level", "2").code == 0
    ada.run("task", "open", "Hard", "--id", "hard", "--difficulty", "4")

    answer = ada.run("task", "claim", "hard", "--as", "dora")

    assert answer.code == 5
    assert "it needs level 4, and dora has 2" in answer.err
