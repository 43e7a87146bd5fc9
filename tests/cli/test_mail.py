"""palaver inbox, read, ack, archive, wait: an agent and its mail."""

from collections.abc import Callable

import pytest

from tests.cli.spoken import Answer, Shell, until
from tests.patience import PATIENCE


def listed(shell: Shell, *words: str) -> list[dict[str, object]]:
    messages = shell.run("inbox", "--json", *words).fields["messages"]
    assert isinstance(messages, list)
    return messages


def test_an_inbox_shows_urgent_then_normal_then_low_and_oldest_first(ada: Shell, bob: Shell) -> None:
    for body, priority in (("a", "low"), ("b", "normal"), ("c", "urgent"), ("d", "normal"), ("e", "urgent")):
        ada.run("send", "bob", "-m", body, "--priority", priority)

    answer = bob.run("inbox")

    assert answer.lines[0] == "bob: 5 open, 5 unread"
    assert [line[-1] for line in answer.lines[1:]] == list("cebda")
    assert [line[1] for line in answer.lines[1:]] == list("!!  -")
    assert [message["body"] for message in listed(bob)] == list("cebda")


def test_an_empty_inbox_says_so(bob: Shell) -> None:
    assert bob.run("inbox").out == "No messages\n"
    assert bob.run("inbox", "--json").fields == {
        "agent": "bob",
        "open": 0,
        "unread": 0,
        "behind": False,
        "messages": [],
    }


def test_a_limit_shortens_the_list_and_not_the_count(ada: Shell, bob: Shell) -> None:
    for body in "abc":
        ada.run("send", "bob", "-m", body)

    answer = bob.run("inbox", "-n", "2")

    assert answer.lines[0] == "bob: 3 open, 3 unread"
    assert len(answer.lines) == 3


def test_listing_is_not_reading_and_reading_is_not_acknowledging(ada: Shell, bob: Shell) -> None:
    ada.run("send", "bob", "-m", "hello")

    bob.run("inbox")
    first = listed(bob)[0]["delivery"]
    bob.run("read")
    second = listed(bob)[0]["delivery"]

    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["stage"], first["read"]) == ("stored", None)
    assert (second["stage"], second["open"], second["redelivered"]) == ("read", True, True)
    assert bob.run("inbox").lines[1].startswith("✓")
    assert bob.run("inbox", "--unread").out == "No messages\n"


def test_reading_shows_the_letter_whole(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "one\ntwo", "-s", "greetings", "--priority", "urgent").message_id

    answer = bob.run("read")

    head, _, body = answer.out.partition("\n\n")
    assert [line.split(":")[0] for line in head.splitlines()] == [
        "id",
        "from",
        "to",
        "at",
        "priority",
        "subject",
    ]
    assert f"id:        {sent}" in head
    assert "from:      ada (claimed)" in head
    assert body == "one\ntwo\n"


def test_reading_again_says_that_it_was_read_before(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id
    bob.run("read")

    assert bob.run("read", sent).lines[0] == "(read before, not acknowledged)"


def test_reading_with_nothing_to_read_is_not_found(bob: Shell) -> None:
    answer = bob.run("read")

    assert answer.code == 3
    assert "the inbox has no unread mail; palaver inbox --all shows the rest" in answer.err


def test_acknowledging_twice_is_no_error(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    first = bob.run("ack", sent)
    second = bob.run("ack", sent)
    third = bob.run("ack", sent, sent, "--json")

    assert (first.code, first.out) == (0, f"Acknowledged: {sent}\n")
    assert (second.code, second.out) == (0, f"Acknowledged: {sent} (before)\n")
    assert third.code == 0
    assert third.fields["acknowledged"] == []
    assert bob.run("inbox").out == "No messages\n"


@pytest.mark.parametrize("command", ["read", "ack", "archive"])
def test_somebody_elses_mail_is_not_permitted(ada: Shell, command: str) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    answer = ada.run(command, sent, "--as", "carol")

    assert answer.code == 4
    assert f"{sent} is not carol's mail: it went to bob" in answer.err
    assert f"palaver thread {sent} shows it without marking it [not-yours]" in answer.err


@pytest.mark.parametrize("command", ["read", "ack", "archive", "thread", "reply", "withdraw"])
def test_an_unknown_id_is_not_found(inside: Callable[..., Answer], command: str) -> None:
    more = ["-m", "x"] if command == "reply" else []

    answer = inside(command, "msg-aaaaaaaaaaaa", *more)

    assert answer.code == 3
    assert "[not-found]" in answer.err


def test_half_an_id_finds_its_other_half(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    answer = bob.run("read", sent[:9])

    assert answer.code == 3
    assert f"did you mean {sent}?" in answer.err


def test_archiving_takes_mail_out_of_the_inbox_and_leaves_it_in_all(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    first = bob.run("archive", sent)
    again = bob.run("archive", sent, "--json")

    assert first.out == f"Archived: {sent}\n"
    assert again.fields == {"archived": [], "before": [sent]}
    assert listed(bob) == []
    assert [message["id"] for message in listed(bob, "--all")] == [sent]


def test_mail_to_a_role_belongs_to_the_first_who_acknowledges(ada: Shell) -> None:
    ada.run("agents", "add", "dan", "eve", "--role", "reviewers")
    sent = ada.run("send", "reviewers", "-m", "please look").message_id

    first = ada.run("ack", sent, "--as", "dan")
    second = ada.run("ack", sent, "--as", "eve")

    assert first.code == 0
    assert second.code == 5
    assert "it went to reviewers, and dan has it; leave it to them [already-taken]" in second.err


def test_an_agent_that_nobody_knows_has_no_inbox(bus: Shell) -> None:
    answer = bus.run("inbox", "--as", "bobb")

    assert answer.code == 3
    assert "no agent bobb: no agent has that name; did you mean bob?" in answer.err


def test_waiting_returns_what_is_there_at_once(ada: Shell, bob: Shell) -> None:
    ada.run("send", "bob", "-m", "hello")

    answer = bob.run("wait", "--timeout", "20")

    assert answer.code == 0
    assert answer.lines[1].endswith("hello")


def test_waiting_is_ended_by_a_message(ada: Shell, bob: Shell) -> None:
    process = bob.start("wait", "--timeout", "25", "--json")
    until(lambda: any((bob.folder / ".palaver/bell").iterdir()), process)

    ada.run("send", "bob", "-m", "wake up")

    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert b'"body":"wake up"' in out


def test_waiting_in_vain_is_told_after_the_time(bob: Shell) -> None:
    answer = bob.run("wait", "--timeout", "0.05")

    assert (answer.code, answer.out) == (1, "")
    assert "no mail for bob: none came in 0.05 s; wait again [timeout]" in answer.err


def test_being_woken_is_recorded_once(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id

    bob.run("wait")
    bob.run("wait")

    [event] = bob.run("events", "--type", "mail.delivered", "--json").rows
    data = event["data"]
    assert isinstance(data, dict)
    assert (data["recipient"], data["stage"], data["message_ids"]) == ("bob", "notified", [sent])


def test_who_speaks_is_the_option_then_one_variable_then_the_other(bus: Shell) -> None:
    both = bus.with_env(PALAVER_AGENT="bob", AGENT_ID="carol")
    second = bus.with_env(AGENT_ID="carol")
    empty = bus.with_env(PALAVER_AGENT="", AGENT_ID="carol")

    agents = [
        shell.run("inbox", "--json", *words).fields["agent"]
        for shell, words in ((both, ["--as", "ada"]), (both, []), (second, []), (empty, []))
    ]

    assert agents == ["ada", "bob", "carol", "carol"]


@pytest.mark.parametrize("command", ["send bob -m x", "inbox", "read", "ack x", "archive x", "wait"])
def test_nobody_named_and_no_terminal_is_refused(bus: Shell, command: str) -> None:
    before = bus.log()

    answer = bus.run(*command.split())

    assert answer.code == 2
    assert "use --as NAME, or set PALAVER_AGENT [who-speaks]" in answer.err
    assert bus.log() == before


@pytest.mark.parametrize("variable", ["PALAVER_AGENT", "AGENT_ID"])
def test_a_bad_name_in_the_environment_is_refused_and_its_variable_named(bus: Shell, variable: str) -> None:
    answer = bus.with_env(**{variable: "../x"}).run("send", "bob", "-m", "hi")

    assert answer.code == 2
    assert f"cannot use the name '../x' from {variable}" in answer.err
