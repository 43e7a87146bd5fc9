"""Arguments: every mistake is exit 2, one line, and the way out; nothing is written by mistake."""

import json
from collections.abc import Callable

import pytest

from palaver import __version__
from palaver.cli.command_table import COMMANDS
from palaver.cli.company import co
from tests.cli.spoken import Answer, Shell

Inside = Callable[..., Answer]


def test_no_words_show_what_there_is_and_are_a_mistake(bus: Shell) -> None:
    answer = bus.run()

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("usage: palaver COMMAND …\n")
    assert [name for name in COMMANDS if f"  {name} " not in answer.err] == []


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help_is_no_mistake(inside: Inside, words: list[str]) -> None:
    answer = inside(*words)

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("usage: palaver COMMAND …\n")


def test_the_words_of_another_program_come_after_everything_that_is_ours(inside: Inside) -> None:
    shape = inside("run", "--help").out.partition("\n\n")[0]

    assert shape.endswith(" -- PROGRAM [WORD…]")
    assert "[--task TASK]" in shape
    assert co.TABLE["worker spawn"].load("co").spec.usage().endswith(" [-- PROGRAM [WORD…]]")


def test_what_a_help_sets_in_stays_set_in(inside: Inside) -> None:
    lines = inside("task", "--help").out.splitlines()

    verbs = [line for line in lines if line.lstrip().startswith(("open TITLE", "claim ID", "release ID"))]
    assert [len(line) - len(line.lstrip()) for line in verbs] == [2, 2, 2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_however_it_is_asked(inside: Inside, command: str) -> None:
    asked = [inside(command, "--help"), inside(command, "-h"), inside("help", command)]

    assert [answer.code for answer in asked] == [0, 0, 0]
    assert {answer.out for answer in asked} == {COMMANDS[command].load().spec.help()}
    assert asked[0].out.startswith(f"usage: palaver {command}")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_wins_over_every_other_mistake(inside: Inside, command: str) -> None:
    assert inside(command, "one", "two", "three", "--help").code == 0


def test_the_version_is_told(inside: Inside) -> None:
    assert inside("--version").out == f"palaver {__version__}\n"


UNKNOWN_COMMANDS = {
    "sned": "did you mean palaver send?",
    "inbx": "did you mean palaver inbox?",
    "SEND": "palaver --help lists them",
    "searhc": "did you mean palaver search?",
    "agent": "did you mean palaver agents?",
    "zzz": "palaver --help lists them",
    "": "palaver --help lists them",
    "\x1b[2J": "palaver --help lists them",
    "../send": "did you mean palaver send?",
}


@pytest.mark.parametrize("word", UNKNOWN_COMMANDS)
def test_an_unknown_command_is_refused_with_the_nearest_one(inside: Inside, word: str) -> None:
    answer = inside(word)

    assert (answer.code, answer.out) == (2, "")
    assert "unknown command" in answer.err
    assert UNKNOWN_COMMANDS[word] in answer.err


def test_help_on_an_unknown_command_is_a_mistake_too(inside: Inside) -> None:
    assert inside("help", "sned").code == 2


def test_an_option_before_the_command_says_where_it_belongs(inside: Inside) -> None:
    answer = inside("--root", "/tmp", "inbox")

    assert answer.code == 2
    assert "options follow the command" in answer.err


MISTAKES: dict[str, tuple[str, str]] = {
    "an unknown option": ("send bob -m x --frob", "unknown option --frob; palaver send --help explains it"),
    "an option of another command": ("inbox --message x", "unknown option --message"),
    "a typo": ("send bob -m x --prioriy urgent", "did you mean --priority?"),
    "an option cut short": ("send bob -m x --sub hi", "did you mean --subject?"),
    "an unknown letter": ("send bob -x y", "unknown option -x"),
    "a bundle of letters": ("tail -fn 5", "-f takes no value"),
    "three dashes": ("inbox ---json", "unknown option ---json"),
    "an equals sign alone": ("send --=x", "unknown option --"),
    "--to, which there is not": ("send --to bob -m x", "unknown option --to"),
    "--to with a value in it": ("send --to=-x -m x", "unknown option --to"),
    "a body without a value": ("send bob -m", "--message needs a value: BODY"),
    "a long option without a value": ("send bob --message", "--message needs a value: BODY"),
    "a name without a value": ("inbox --as", "--as needs a value: NAME"),
    "a root without a value": ("inbox --root", "--root needs a value: DIR"),
    "a switch with a value": ("inbox --unread=yes", "--unread takes no value"),
    "json with a value": ("inbox --json=no", "--json takes no value"),
    "one word too many": ("inbox bob", "unexpected word 'bob'"),
    "too many ids": ("thread msg-a msg-b", "unexpected word 'msg-b'"),
    "no id": ("ack", "ID… is missing"),
    "no word": ("search", "WORD… is missing"),
    "nothing but dashes": ("search --", "WORD… is missing"),
    "a name like an option": ("send -m x -- --bob", "a segment must start with a letter or a digit"),
    "a value like an option": ("inbox --as=-x", "a segment must start with a letter or a digit"),
    "an option behind two dashes": ("send bob -- -m x", "cannot use the name '-m'"),
    "agents doing what they cannot": ("agents dance bob", "use list, add NAME or retire NAME"),
    "agents adding nobody": ("agents add", "use list, add NAME or retire NAME"),
    "agents listing somebody": ("agents list bob", "use list, add NAME or retire NAME"),
    "lists doing what they cannot": ("lists grow crew", "use list, set NAME MEMBER… or remove NAME"),
    "a list of nobody": ("lists set crew", "use list, set NAME MEMBER… or remove NAME"),
    "two lists removed": ("lists remove a b", "use list, set NAME MEMBER… or remove NAME"),
    "events doing what they cannot": ("events eat", "use list, show SEQ, show ID or export"),
    "showing no event": ("events show", "use list, show SEQ, show ID or export"),
    "quarantine doing what it cannot": ("quarantine free x", "use list, show ID or retry ID"),
    "retrying nothing": ("quarantine retry", "use list, show ID or retry ID"),
    "no rows": ("inbox -n 0", "between 1 and 10000"),
    "fewer than no rows": ("search x -n -1", "between 1 and 10000"),
    "too many rows": ("events -n 10001", "between 1 and 10000"),
    "rows in words": ("inbox -n many", "it must be a whole number"),
    "rows by the half": ("inbox -n 1.5", "it must be a whole number"),
    "rows with two signs": ("inbox -n --5", "it must be a whole number"),
    "rows of another script": ("inbox -n ٣", "it must be a whole number"),
    "rows without end": ("inbox -n " + "9" * 400, "it must be a whole number"),
    "waiting backwards": ("wait --timeout=-1", "it must be a number between 0 and 86400"),
    "waiting for ever": ("wait --timeout inf", "it must be a number between 0 and 86400"),
    "waiting for nothing that is a number": ("wait --timeout nan", "it must be a number between 0 and 86400"),
    "waiting for years": ("wait --timeout 1e9", "between 0 and 86400"),
    "waiting until soon": ("wait --timeout soon", "it must be a number between 0 and 86400"),
    "following backwards": ("tail -f --timeout=-1", "it must be a number between 0 and 86400"),
    "a negative place": ("tail --since=-1", "it must be a whole number"),
    "a list with a bad name": ("lists set ../crew bob", "[bad-name]"),
    "a list with a bad member": ("lists set crew ../bob", "[bad-name]"),
    "a bad handle": ("agents add dan --handle a/../b", "[bad-name]"),
    "a bad role": ("agents add dan --role *", "[bad-name]"),
    "an agent called all": ("agents add all", "it is reserved"),
    "an agent called palaver": ("agents add palaver", "it is reserved"),
    "speaking as palaver": ("send bob -m x --as palaver", "it is reserved"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_exit_2_and_one_line(case: str, inside: Inside, bus: Shell) -> None:
    line, said = MISTAKES[case]
    before = bus.log()

    answer = inside(*line.split(" "))

    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.startswith("palaver: ")
    assert answer.err.count("\n") == 1
    assert bus.log() == before


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_object_for_a_program(case: str, inside: Inside) -> None:
    line, _ = MISTAKES[case]
    first, *rest = line.split(" ")

    answer = inside(first, "--json", *rest)

    assert (answer.code, answer.err) == (2, "")
    assert answer.out.count("\n") == 1
    error = json.loads(answer.out)["error"]
    assert set(error) == {"code", "exit", "what", "why", "way_out"}
    assert error["exit"] == 2


EMPTY = [
    ["send", "bob", "-m", "x", "--as", ""],
    ["send", "bob", "-m", "x", "--root", ""],
    ["send", "bob", "-m", "x", "--act="],
    ["send", "bob", "-m", "x", "--priority", ""],
    ["send", "bob", "-m", "x", "--task", ""],
    ["send", "bob", "-m", "x", "--run", ""],
    ["send", "bob", "-m", "x", "--reply-to", ""],
    ["send", "bob", "-m", "x", "--key", ""],
    ["send", "bob", "-m", "x", "--file", ""],
    ["send", "bob", "-m", "x", "--meta", ""],
    ["send", "bob", "-m", "x", "--wait", ""],
    ["send", "bob", "-m", "x", "--timeout", ""],
    ["send", "", "-m", "x"],
    ["send", "bob", "", "-m", "x"],
    ["send", "@", "-m", "x"],
    ["inbox", "--limit", ""],
    ["tail", "--since", ""],
    ["tail", "--last="],
    ["events", "--type", ""],
    ["events", "--actor", ""],
    ["agents", "add", ""],
    ["agents", "add", "dan", "--role", ""],
    ["lists", "set", "", "bob"],
    ["lists", "set", "crew", ""],
    ["init", "--person", ""],
    ["search", ""],
]


@pytest.mark.parametrize("words", EMPTY, ids=" ".join)
def test_an_empty_value_is_a_mistake(inside: Inside, bus: Shell, words: list[str]) -> None:
    before = bus.log()

    answer = inside(*words)

    assert (answer.code, answer.out) == (2, "")
    assert bus.log() == before


@pytest.mark.parametrize("option", ["--subject", "--reasoning"])
def test_a_text_may_be_empty(inside: Inside, option: str) -> None:
    assert inside("send", "bob", "-m", "x", option, "").code == 0


def test_the_last_value_counts(inside: Inside) -> None:
    inside("send", "bob", "-m", "one", "-m", "two")

    assert inside("inbox", "--as", "carol", "--as", "bob").lines[1].endswith("two")


def test_a_value_may_start_with_a_dash(inside: Inside) -> None:
    inside("send", "bob", "-m", "--json", "-s", "-x")

    [message] = json.loads(inside("inbox", "--as", "bob", "--json").out)["messages"]
    assert (message["body"], message["subject"]) == ("--json", "-x")


def test_behind_two_dashes_everything_is_a_word(inside: Inside) -> None:
    inside("send", "bob", "-m", "the --json flag")

    assert inside("search", "--", "--json").lines[0].endswith("the --json flag")


def test_json_behind_two_dashes_does_not_ask_for_json(inside: Inside) -> None:
    answer = inside("thread", "--", "--json")

    assert (answer.code, answer.out) == (3, "")


def test_a_word_of_one_dash_is_a_word(inside: Inside) -> None:
    assert inside("thread", "-").code == 3


@pytest.mark.parametrize(
    "words",
    [
        ["read", "msg-none"],
        ["inbox", "--as", "zoe"],
        ["ack", "msg-none"],
        ["thread", "msg-none"],
        ["events", "show", "999"],
        ["redact", "999"],
        ["agents", "retire", "zoe"],
        ["lists", "remove", "crew"],
        ["quarantine", "show", "x"],
        ["resend", "msg-none", "bob"],
        ["send", "bob", "-m", "x", "--file", "absent"],
    ],
    ids=" ".join,
)
def test_what_is_not_found_is_exit_3_for_a_person_and_a_program(inside: Inside, words: list[str]) -> None:
    person, program = inside(*words), inside(*words, "--json")

    assert (person.code, person.out, program.code, program.err) == (3, "", 3, "")
    assert json.loads(program.out)["error"]["exit"] == 3


def test_an_error_is_clipped_before_it_fills_the_screen(inside: Inside) -> None:
    answer = inside("read", "x" * 100_000)

    assert answer.code == 3
    assert len(answer.err) < 2_100
    assert answer.err.endswith("[not-found]\n")
