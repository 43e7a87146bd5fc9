"""palaver waiting, by command."""

from tests.cli.spoken import Shell


def test_nobody_waits_on_a_quiet_bus(ada: Shell) -> None:
    assert ada.run("waiting").out == "Nobody is waiting\n"
    assert ada.run("waiting", "--json").fields == {"waits": [], "cycles": []}


def test_a_wait_says_how_long_who_and_for_what(ada: Shell, bob: Shell) -> None:
    ada.run("send", "bob", "--act", "ask", "-m", "Which key?")

    answer = bob.run("waiting", "--mine")

    assert answer.code == 0
    assert "waits for bob: an answer" in answer.out
    assert "Which key?" in answer.out
    assert ada.run("waiting", "--mine", "--as", "carol").out == "Nobody is waiting\n"
    assert ada.run("waiting", "--older", "500").out == "Nobody is waiting\n"


def test_a_circle_is_named_and_is_exit_1(ada: Shell, bob: Shell) -> None:
    ada.run("send", "bob", "--act", "ask", "-m", "Which key?")
    bob.run("send", "ada", "--act", "ask", "-m", "What for?")

    answer = ada.run("waiting")

    assert answer.code == 1
    assert "CYCLE: ada waits for bob waits for ada" in answer.out


def test_a_task_for_a_busy_agent_is_reported(ada: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one")
    ada.run("task", "open", "Two", "--id", "two")
    ada.run("task", "assign", "one", "bob")

    answer = ada.run("task", "assign", "two", "bob")

    assert (answer.code, answer.out) == (0, "two is assigned\n")
    assert "bob has one" in answer.err
    assert "[one-at-a-time]" in answer.err


def test_a_task_for_a_busy_agent_is_reported_by_send_too(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "Do this", "--act", "assign", "--task", "one")

    answer = ada.run("send", "bob", "-m", "Do that", "--act", "assign", "--task", "two")

    assert answer.code == 0
    assert "bob has one" in answer.err
    assert "[one-at-a-time]" in answer.err
