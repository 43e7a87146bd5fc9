"""palaver send, reply, resend, withdraw: what they say, and what they refuse."""

import hashlib
import json
import os
import re
from collections.abc import Callable

import pytest

from tests.cli.spoken import Answer, Shell
from tests.patience import PATIENCE


def sent_events(shell: Shell) -> list[dict[str, object]]:
    return shell.run("events", "--type", "mail.sent", "--json").rows


def test_send_prints_the_id_and_nothing_else(ada: Shell) -> None:
    answer = ada.run("send", "bob", "-m", "hello")

    assert answer.code == 0
    assert re.fullmatch(r"Sent: msg-[a-z2-7]{12}\n", answer.out)
    assert answer.err == ""


def test_send_answers_a_program_with_one_object(ada: Shell) -> None:
    answer = ada.run("send", "bob", "carol", "-m", "hello", "--json")

    fields = answer.fields
    assert fields["from"] == "ada"
    assert fields["to"] == ["bob", "carol"]
    assert fields["thread"] == fields["id"]
    assert fields["duplicate"] is False
    assert fields["undeliverable"] == []
    assert answer.out.count("\n") == 1


def test_every_option_of_send_is_kept(ada: Shell) -> None:
    (ada.folder / "notes.txt").write_bytes(b"some notes\n")
    first = ada.run("send", "bob", "-m", "first").message_id

    answer = ada.run(
        *["send", "bob", "-m", "the body", "-s", "the subject", "--act", "ask", "--priority", "urgent"],
        *["--reasoning", "because", "--task", "T-1", "--run", "run-7", "--reply-to", first, "--key", "k1"],
        *["--file", "notes.txt", "--meta", "colour=blue", "--meta", "empty=", "--json"],
    )

    message = ada.run("search", "subject", "--json").rows[0]
    told = {name: message[name] for name in ("id", "body", "subject", "act", "priority", "reasoning", "task")}
    assert told == {
        "id": answer.fields["id"],
        "body": "the body",
        "subject": "the subject",
        "act": "ask",
        "priority": "urgent",
        "reasoning": "because",
        "task": "T-1",
    }
    assert (message["run"], message["reply_to"], message["thread"]) == ("run-7", first, first)
    assert message["meta"] == {"colour": "blue", "empty": ""}
    digest = hashlib.sha256(b"some notes\n").hexdigest()
    assert message["files"] == [{"path": "notes.txt", "size": 11, "sha256": digest}]


def test_the_content_of_a_file_is_never_recorded(ada: Shell) -> None:
    (ada.folder / "notes.txt").write_text("precious words")

    ada.run("send", "bob", "-m", "see the file", "--file", "notes.txt")

    assert b"precious" not in ada.log()


@pytest.mark.parametrize("way", [["-m", "hello"], ["-mhello"], ["--message", "hello"], ["--message=hello"]])
def test_a_value_may_be_given_in_every_usual_way(ada: Shell, way: list[str]) -> None:
    ada.run("send", "bob", *way)

    assert ada.run("inbox", "--as", "bob").lines[1].endswith("hello")


def test_the_body_comes_from_standard_input_with_a_dash(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "-", stdin="zwei Zeilen,\näöü 🎉\n".encode())

    [message] = ada.run("read", "--as", "bob", "--json").rows
    assert message["body"] == "zwei Zeilen,\näöü 🎉"


def test_a_body_too_long_for_a_command_line_goes_through_standard_input(ada: Shell) -> None:
    body = b"x" * 1_000_000

    assert ada.run("send", "bob", "-m", "-", stdin=body).code == 0

    [message] = ada.run("read", "--as", "bob", "--json").rows
    assert message["body"] == body.decode()


def test_the_help_says_where_a_long_text_goes(ada: Shell) -> None:
    assert "128 KiB) goes through standard input: -m -" in ada.run("send", "--help").out


REFUSED: dict[str, tuple[list[str], int, str]] = {
    "nobody addressed": (["send", "-m", "x"], 2, "TO… is missing"),
    "an empty body": (["send", "bob", "-m", ""], 2, "[empty-body]"),
    "a body of blanks": (["send", "bob", "-m", " \t\n "], 2, "[empty-body]"),
    "no body at all": (["send", "bob"], 2, "give a body with -m TEXT"),
    "an unknown act": (["send", "bob", "-m", "x", "--act", "sing"], 2, "use one of inform, ask"),
    "an unknown priority": (["send", "bob", "-m", "x", "--priority", "high"], 2, "urgent, normal, low"),
    "an unknown stage": (["send", "bob", "-m", "x", "--wait", "seen"], 2, "use one of stored, notified"),
    "a bad timeout": (["send", "bob", "-m", "x", "--wait", "read", "--timeout", "soon"], 2, "of seconds"),
    "an unknown parent": (["send", "bob", "-m", "x", "--reply-to", "msg-none"], 3, "[not-found]"),
    "a file that is not there": (["send", "bob", "-m", "x", "--file", "absent"], 3, "No such file"),
    "a folder as a file": (["send", "bob", "-m", "x", "--file", "."], 2, "not a plain file"),
    "a device as a file": (["send", "bob", "-m", "x", "--file", "/dev/zero"], 2, "not a plain file"),
    "meta without a value": (["send", "bob", "-m", "x", "--meta", "colour"], 2, "use --meta name=value"),
    "meta without a name": (["send", "bob", "-m", "x", "--meta", "=blue"], 2, "use --meta name=value"),
    "a subject like a book": (["send", "bob", "-m", "x", "-s", "s" * 1_001], 2, "[too-large]"),
    "a field like a book": (["send", "bob", "-m", "x", "--meta", "k=" + "v" * 5_000], 2, "[too-large]"),
    "a key like a book": (["send", "bob", "-m", "x", "--key", "k" * 300], 2, "256 characters"),
    "65 recipients": (["send", *[f"a{n}" for n in range(65)], "-m", "x"], 2, "at most 64 can be named"),
    "a secret": (["send", "bob", "-m", "key: sk-ant-" + "a" * 20], 2, "Anthropic key"),
    "a secret in the subject": (["send", "bob", "-m", "x", "-s", "ghp_" + "a" * 30], 2, "GitHub token"),
    "a reply to nothing": (["reply", "msg-none", "-m", "x"], 3, "[not-found]"),
    "a reply without words": (["reply", "msg-none"], 3, "[not-found]"),
    "resending nothing": (["resend", "msg-none", "bob"], 3, "[not-found]"),
    "resending to nobody": (["resend", "msg-none"], 2, "ID TO… is missing"),
    "withdrawing nothing": (["withdraw", "msg-none"], 3, "[not-found]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_sent_is_refused_and_nothing_is_written(
    case: str, inside: Callable[..., Answer], bus: Shell
) -> None:
    words, code, said = REFUSED[case]
    before = bus.log()

    answer = inside(*words)

    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1
    assert bus.log() == before


def test_a_fifo_as_a_file_does_not_hang(ada: Shell) -> None:
    os.mkfifo(ada.folder / "pipe")

    answer = ada.run("send", "bob", "-m", "x", "--file", "pipe")

    assert answer.code == 2
    assert "not a plain file" in answer.err


def test_a_secret_goes_through_when_it_is_allowed(ada: Shell) -> None:
    assert ada.run("send", "bob", "-m", "sk-ant-" + "a" * 20, "--allow-secret").code == 0


def test_mail_to_an_unknown_name_is_not_delivered_and_nothing_is_written(ada: Shell) -> None:
    before = ada.log()

    answer = ada.run("send", "bobb", "-m", "hello")

    assert answer.code == 3
    assert answer.out == ""
    words = "palaver: Not delivered to bobb: no such agent; did you mean bob? [unknown-recipient]\n"
    assert answer.err == words
    assert ada.log() == before


def test_mail_to_a_known_and_an_unknown_name_is_sent_to_the_known_one_and_exit_3(ada: Shell) -> None:
    answer = ada.run("send", "bob", "bobb", "-m", "hello")

    assert answer.code == 3
    assert answer.out.startswith("Sent: msg-")
    assert "not delivered to bobb: no such agent; did you mean bob? [unknown-recipient]" in answer.err
    assert "hello" in ada.run("read", "--as", "bob").out


def test_mail_to_an_unknown_name_that_is_allowed_is_stored_and_told(ada: Shell) -> None:
    answer = ada.run("send", "bobb", "-m", "hello", "--allow-unknown")

    assert answer.code == 0
    assert answer.out.startswith("Stored: msg-")
    way_out = f"to send it on: palaver resend {answer.message_id} NAME"
    assert answer.err.splitlines() == [
        "palaver: not delivered to bobb: no such agent; did you mean bob? [unknown-recipient]",
        f"palaver: it is stored and will not be retried; {way_out}",
    ]
    assert sent_events(ada)[0]["data"] == {
        "message_id": answer.message_id,
        "from": "ada",
        "to": ["bobb"],
        "body": "hello",
        "undeliverable": True,
    }


def test_mail_to_an_unknown_name_tells_a_program_the_nearest_names(ada: Shell) -> None:
    refused = ada.run("send", "bobb", "-m", "hello", "--json")
    answer = ada.run("send", "bobb", "-m", "hello", "--allow-unknown", "--json")

    assert refused.code == 3
    assert refused.fields["error"] == {
        "code": "unknown-recipient",
        "exit": 3,
        "what": "Not delivered to bobb",
        "why": "no such agent",
        "way_out": "did you mean bob?",
    }
    assert answer.fields["undeliverable"] == [{"address": "bobb", "why": "no such agent", "nearest": ["bob"]}]


def test_unknown_names_can_be_allowed(ada: Shell) -> None:
    answer = ada.run("send", "zoe", "-m", "hello", "--allow-unknown")

    assert answer.code == 0
    assert "not delivered to zoe" in answer.err


def test_what_reached_nobody_can_be_sent_on_as_it_was_proposed(ada: Shell) -> None:
    lost = ada.run("send", "bobb", "-m", "hello", "-s", "hi", "--allow-unknown")

    answer = ada.run("resend", lost.message_id, "bob")

    assert answer.code == 0
    [message] = ada.run("read", "--as", "bob", "--json").rows
    assert (message["body"], message["subject"]) == ("hello", "hi")
    assert message["meta"] == {"resent": lost.message_id}


def test_a_reply_to_somebody_who_has_left_is_no_success(ada: Shell) -> None:
    asked = ada.run("send", "bob", "-m", "well?", "--as", "carol").message_id
    ada.run("agents", "retire", "carol")

    answer = ada.run("reply", asked, "-m", "yes", "--as", "bob")

    assert answer.code == 3
    assert "Not delivered to carol: it is retired" in answer.err


def test_a_retired_agent_does_not_speak(ada: Shell) -> None:
    ada.run("agents", "retire", "carol")

    answer = ada.run("send", "bob", "-m", "hi", "--as", "carol")

    assert answer.code == 4
    assert "palaver agents add carol" in answer.err


def test_a_name_that_fits_two_is_refused_with_both(ada: Shell) -> None:
    ada.run("agents", "add", "north/workers/eve", "south/workers/eve")

    answer = ada.run("send", "eve", "-m", "hi")

    assert answer.code == 5
    assert "it fits north/workers/eve, south/workers/eve" in answer.err


def test_the_same_key_sends_once_and_says_so(ada: Shell) -> None:
    first = ada.run("send", "bob", "-m", "hello", "--key", "k1")
    second = ada.run("send", "bob", "-m", "hello", "--key", "k1")
    third = ada.run("send", "bob", "-m", "hello", "--key", "k1", "--json")

    assert second.out == first.out.rstrip("\n") + " (was sent before)\n"
    assert (second.code, third.code) == (0, 0)
    assert (third.fields["id"], third.fields["duplicate"]) == (first.message_id, True)
    assert len(sent_events(ada)) == 1


def test_the_same_key_for_another_message_is_a_conflict(ada: Shell) -> None:
    first = ada.run("send", "bob", "-m", "hello", "--key", "k1")

    answer = ada.run("send", "bob", "-m", "goodbye", "--key", "k1")

    assert answer.code == 5
    assert first.message_id in answer.err


def test_a_reply_goes_to_the_sender_in_the_same_thread(ada: Shell, bob: Shell) -> None:
    asked = ada.run("send", "bob", "-m", "well?", "-s", "Lunch", "--act", "ask").message_id

    answer = bob.run("reply", asked, "-m", "yes", "--json")

    fields = answer.fields
    assert (fields["to"], fields["thread"]) == (["ada"], asked)
    [reply] = ada.run("read", "--json").rows
    assert (reply["subject"], reply["act"], reply["reply_to"]) == ("Re: Lunch", "answer", asked)
    assert bob.run("inbox").out == "No messages\n"


def test_waiting_for_a_stage_ends_when_it_is_reached(ada: Shell, bob: Shell) -> None:
    process = ada.start("send", "bob", "-m", "hi", "--wait", "read", "--timeout", "20")
    assert process.stdout is not None
    said = process.stdout.readline()

    bob.run("read")

    assert said.startswith(b"Sent: msg-")
    assert process.communicate(timeout=PATIENCE) == (b"", b"")
    assert process.returncode == 0


def test_a_stage_that_is_not_reached_says_that_the_message_stays_sent(ada: Shell) -> None:
    answer = ada.run("send", "bob", "-m", "hi", "--wait", "read", "--timeout", "0.1")

    assert answer.code == 1
    assert answer.out.startswith("Sent: ")
    assert "bob has not reached it yet; the message stays sent" in answer.err
    assert len(sent_events(ada)) == 1


def test_a_stage_that_is_not_reached_is_one_object_with_the_id_and_the_error(ada: Shell) -> None:
    answer = ada.run("send", "bob", "-m", "hi", "--wait", "read", "--timeout", "0.1", "--json")

    fields = answer.fields
    assert answer.code == 1
    assert fields["id"] == json.loads(ada.run("inbox", "--as", "bob", "--json").out)["messages"][0]["id"]
    assert isinstance(fields["error"], dict)
    assert fields["error"]["code"] == "timeout"


def test_withdrawing_takes_a_message_out_of_the_inbox(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "oops").message_id

    answer = ada.run("withdraw", sent)

    assert (answer.code, answer.out) == (0, f"Withdrawn: {sent}\n")
    assert bob.run("inbox").out == "No messages\n"


def test_what_was_read_cannot_be_withdrawn(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "oops").message_id
    bob.run("read")

    answer = ada.run("withdraw", sent)

    assert answer.code == 5
    assert "send a correction [already-read]" in answer.err


def test_only_the_sender_can_withdraw(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "oops").message_id

    assert bob.run("withdraw", sent).code == 4


def test_one_withdrawal_names_those_who_had_read_it(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "carol", "-m", "oops").message_id
    bob.run("read")

    answer = ada.run("withdraw", sent, "--json")

    assert answer.fields == {"withdrawn": sent, "read_before_by": ["bob"]}


def test_a_send_from_a_subfolder_records_the_path_as_it_was_given(ada: Shell) -> None:
    (ada.folder / "sub").mkdir()
    (ada.folder / "sub/x").write_text("x")

    answer = ada.at(ada.folder / "sub").run("send", "bob", "-m", "x", "--file", "x", "--json")

    [event] = sent_events(ada)
    data = event["data"]
    assert answer.code == 0
    assert isinstance(data, dict)
    assert data["files"][0]["path"] == "x"


@pytest.mark.parametrize("act", ["ack", "approve", "claim", "ping", "nudge", "ready", "leave"])
def test_an_act_that_says_enough_needs_no_words(inside: Callable[..., Answer], act: str) -> None:
    assert inside("send", "bob", "--act", act).code == 0


@pytest.mark.parametrize("path", ["file:///etc/passwd", "https://example.org/x", "~/x", "$HOME/x", "*"])
def test_a_file_is_a_path_and_nothing_is_expanded(inside: Callable[..., Answer], path: str) -> None:
    assert inside("send", "bob", "-m", "x", "--file", path).code == 3


def test_a_talk_of_fifty_turns_counts_its_hops_and_goes_on(inside: Callable[..., Answer]) -> None:
    last = inside("send", "bob", "-m", "ping").message_id
    for turn in range(50):
        last = inside("reply", last, "-m", "pong", "--as", ("bob", "ada")[turn % 2]).message_id

    said = json.loads(inside("thread", last, "--json").out)

    assert [message["hops"] for message in said] == list(range(51))
    assert {message["thread"] for message in said} == {said[0]["id"]}
