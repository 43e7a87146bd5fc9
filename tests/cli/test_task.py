"""palaver task and board: work by commands, with mistakes."""

import json
import subprocess

import pytest

from tests.cli.spoken import PALAVER, Shell


def carol(bus: Shell) -> Shell:
    return bus.with_env(PALAVER_AGENT="carol")


def test_a_task_goes_its_way_by_commands(ada: Shell, bob: Shell) -> None:
    said = [
        ada.run("task", "open", "Write", "the", "parser", "--id", "parser").out,
        bob.run("task", "start", "parser").out,
        bob.run("task", "block", "parser", "-m", "no grammar").out,
        bob.run("task", "unblock", "parser").out,
        bob.run("task", "deliver", "parser", "-m", "40 tests").out,
        ada.run("task", "rework", "parser", "-m", "one is red").out,
        bob.run("task", "deliver", "parser", "-m", "41 tests").out,
        ada.run("task", "accept", "parser").out,
    ]

    assert said[0] == "Opened: parser\n"
    assert said[1].startswith("parser is yours (fence ")
    assert said[2:] == [
        "parser is blocked\n",
        "parser continues\n",
        "parser is delivered\n",
        "parser goes back for rework\n",
        "parser is delivered\n",
        "parser is done\n",
    ]
    assert ada.run("task", "list").out == "No tasks\n"
    assert [line.split()[0] for line in ada.run("task", "list", "--all").lines] == ["parser"]


def test_who_comes_second_is_told_who_has_it(ada: Shell, bob: Shell, bus: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one")
    bob.run("task", "claim", "one")

    answer = carol(bus).run("task", "claim", "one")

    assert answer.code == 5
    assert "bob has it" in answer.err
    assert "[task-taken]" in answer.err


def test_an_id_is_drawn_where_none_is_given(ada: Shell) -> None:
    answer = ada.run("task", "open", "One")

    task_id = answer.out.removeprefix("Opened: ").strip()
    assert len(task_id) == 7
    assert ada.run("task", "show", task_id).code == 0


MISTAKES = [
    (["task"], 2, "is missing"),
    (["task", "clam", "x"], 2, "did you mean claim?"),
    (["task", "claim"], 2, "needs an ID"),
    (["task", "open"], 2, "needs a TITLE"),
    (["task", "open", " "], 2, "no title"),
    (["task", "claim", "nothing"], 3, "no task nothing"),
    (["task", "show"], 2, "needs one ID"),
    (["task", "assign", "one"], 2, "an ID and an AGENT"),
    (["task", "assign", "one", "bobb"], 3, "did you mean bob?"),
    (
        ["task", "deliver", "one"],
        2,
        ": the message does not say what the result is; describe it with -m TEXT",
    ),
    (["task", "deliver", "one", "-m", "Done."], 2, ": 'Done.' does not say what the result is; describe it"),
    (["task", "block", "one", "-m", "stuck"], 2, ": 'stuck' does not say why; give the reason with -m TEXT"),
    (["task", "ready", "one", "bob"], 5, "cannot pass one on for checking: it is open"),
    (["task", "rework", "one", "-m", "Again."], 5, "cannot have one done again: it is open"),
    (["task", "open", "X", "--priority", "9"], 2, "between 0 and 4"),
    (["task", "open", "X", "--needs", "nope"], 3, "no task nope"),
    (["task", "change", "one"], 2, "no field"),
    (["task", "change", "one", "--needs", "one"], 5, "wait for each other"),
    (["task", "list", "--state", "nice"], 2, "there is no state"),
    (["task", "list", "x"], 2, "unexpected word"),
    (["task", "accept", "two", "--as", "bob"], 4, "only its owner (ada)"),
    (["task", "unblock", "one"], 5, "cannot let one continue: it is open"),
    (["task", "approve", "one"], 5, "possible acts: claim"),
    (["task", "claim", "two"], 5, "it waits for task one"),
    (["task", "open", "a secret: ghp_" + "a" * 36], 2, "secret"),
]


@pytest.mark.parametrize(("words", "code", "said"), MISTAKES, ids=[" ".join(case[0]) for case in MISTAKES])
def test_a_mistake_is_told_with_its_way_out(ada: Shell, words: list[str], code: int, said: str) -> None:
    ada.run("task", "open", "One", "--id", "one")
    ada.run("task", "open", "Two", "--id", "two", "--needs", "one")

    answer = ada.run(*words)

    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_show_tells_what_was_tried_and_why_it_had_no_effect(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one", "--about", "all of it")
    bob.run("task", "claim", "one")
    ada.run("send", "bob", "--act", "deliver", "--task", "one", "-m", "not mine")

    shown = ada.run("task", "show", "one").out

    assert "state:      working" in shown
    assert "all of it" in shown
    assert "no effect: only its holder (bob) may deliver it" in shown


def test_a_board_has_a_column_for_each_kind_of_state(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one")
    ada.run("task", "open", "Two", "--id", "two", "--needs", "one")
    bob.run("task", "claim", "one")

    board = ada.run("board").out

    assert "Waiting (1)" in board
    assert "Working (1)" in board
    assert "two ←one" in board
    assert "one bob" in board


def test_an_empty_board_says_so(ada: Shell) -> None:
    assert ada.run("board").out == "No tasks\n"


def test_a_board_that_is_watched_is_drawn_again_when_a_task_moves(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one")
    words = [PALAVER, "board", "--watch", "--json", "--timeout", "20"]
    with subprocess.Popen(
        words, cwd=ada.folder, env=ada.env, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        bob.run("task", "claim", "one")
        second = process.stdout.readline()
        process.kill()

    assert '"Ready":[{' in first
    assert '"Working":[{' in second


def test_hostile_words_do_nothing_but_print(ada: Shell) -> None:
    ada.run("task", "open", "\x1b[2J\u202eevil", "--id", "e")

    for words in (["board"], ["task", "list"], ["task", "show", "e"]):
        assert "\\x1b" in ada.run(*words).out


def test_a_task_is_handed_on_without_a_word_of_ones_own(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "One", "--id", "one")
    bob.run("task", "claim", "one")

    answer = bob.run("task", "handoff", "one", "ada")

    assert (answer.code, answer.out) == (0, "one is handed over\n")
    assert ada.run("task", "show", "one", "--json").fields["state"] == "handed"
    again = bob.run("task", "handoff", "one", "bob")
    assert "cannot hand one over: it is handed over; possible acts: ack" in again.err


def test_what_happens_to_a_task_is_shown_in_the_tail(ada: Shell) -> None:
    ada.run("task", "open", "Write the parser", "--id", "one")

    assert "one Write the parser" in ada.run("tail", "-n", "5").out


def test_who_is_given_a_task_reads_what_it_is_about(ada: Shell, bob: Shell) -> None:
    ada.run("task", "open", "Write the parser", "--id", "one")

    ada.run("task", "assign", "one", "bob")

    [mail] = json.loads(bob.run("inbox", "--json").out)["messages"]
    assert mail["body"] == "Write the parser"


@pytest.mark.alone("the daemon sees the setting first")
def test_a_setting_that_nobody_reads_is_told_once_to_who_sees_it_first(ada: Shell) -> None:
    config = ada.folder / ".palaver/config.toml"
    config.write_text(config.read_text(encoding="utf-8") + "\nparralel = true\n", encoding="utf-8")

    first, second = ada.run("task", "list"), ada.run("task", "list")

    assert "unknown setting 'parralel'" in first.err
    assert second.err == ""


# --- the same acts by `send` ---

NOT_BOBS = "only its holder (ada) may deliver it"


@pytest.fixture
def one(ada: Shell) -> Shell:
    """Return ada, who works on a task."""
    ada.run("task", "open", "One", "--id", "one")
    assert ada.run("task", "claim", "one").code == 0
    return ada


def test_a_message_that_does_not_move_its_task_says_so(one: Shell, bob: Shell) -> None:
    answer = bob.run("send", "ada", "--act", "deliver", "--task", "one", "-m", "It is in one.py.")

    assert answer.code == 5
    assert answer.out.startswith("Sent: msg-")
    told = f"palaver: Sent, but one did not move: {NOT_BOBS}; palaver task show one [illegal-move]\n"
    assert answer.err == told
    assert one.run("task", "show", "one", "--json").fields["state"] == "working"


@pytest.mark.usefixtures("one")
def test_a_program_is_told_why_a_message_does_not_move_its_task(bob: Shell) -> None:
    answer = bob.run("send", "ada", "--act", "deliver", "--task", "one", "-m", "It is in one.py.", "--json")

    assert (answer.code, answer.err) == (5, "")
    assert answer.fields["no_effect"] == NOT_BOBS


def test_a_message_about_a_task_that_nobody_opened_says_so(ada: Shell) -> None:
    answer = ada.run("send", "bob", "--act", "accept", "--task", "nine", "-m", "Good.")

    assert answer.code == 5
    assert "Sent, but nine did not move: there is no such task" in answer.err


@pytest.mark.parametrize("act", ["deliver", "ack", "inform"])
def test_a_message_that_moves_its_task_or_repeats_what_is_so_says_nothing_more(one: Shell, act: str) -> None:
    answer = one.run("send", "bob", "--act", act, "--task", "one", "-m", "It is in one.py.")

    assert (answer.code, answer.err) == (0, "")


# --- keys ---


def test_a_key_opens_one_task_and_a_repetition_says_so(ada: Shell) -> None:
    said = [ada.run("task", "open", "One", "--id", "one", "--key", "k").out for _ in range(2)]
    other = ada.run("task", "open", "Two", "--id", "two", "--key", "k")

    assert said == ["Opened: one\n", "Opened: one (was opened before)\n"]
    assert (other.code, other.out) == (5, "")
    assert "it was used for another request (task.opened, event" in other.err
    assert ada.run("task", "show", "two").code == 3


def test_a_repetition_is_noted_for_a_program_too(ada: Shell) -> None:
    first, again = (ada.run("task", "open", "One", "--id", "one", "--key", "k", "--json") for _ in range(2))

    assert (first.err, again.out) == ("", first.out)
    assert "was done before" in again.err


def test_several_agents_under_one_key_take_the_key(ada: Shell) -> None:
    ada.run("agents", "add", "dora", "emil", "--key", "k")
    again = ada.run("agents", "add", "dora", "emil", "--key", "k")
    others = ada.run("agents", "add", "fred", "gina", "--key", "k")
    retired = ada.run("agents", "retire", "dora", "--key", "k")

    assert again.lines == ["Added: dora (was added before)", "Added: emil (was added before)"]
    assert (others.code, retired.code) == (5, 5)


def test_a_list_is_set_once_under_a_key(ada: Shell) -> None:
    ada.run("lists", "set", "crew", "bob", "--key", "k")
    again = ada.run("lists", "set", "crew", "bob", "--key", "k")
    other = ada.run("lists", "set", "crew", "carol", "--key", "k")

    assert again.out == "crew: bob\n"
    assert "was done before" in again.err
    assert other.code == 5


def test_a_command_that_draws_an_id_is_the_same_request_again(ada: Shell) -> None:
    ordered = [ada.type("wo", "create", "parser", "--key", "w").out for _ in range(2)]

    assert ordered[0] == ordered[1]
