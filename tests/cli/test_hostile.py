"""Hostile words: they are stored whole, shown harmless, and never do anything, in answers and in errors."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from palaver.cli.show import safe
from tests.cli.hostile import NAMES, TEXTS
from tests.cli.spoken import TRICKS, Answer, Shell

Inside = Callable[..., Answer]

# `inside` and `run` look at every answer: nothing in it may do more than print.


def test_there_are_a_hundred_of_them() -> None:
    assert len(TEXTS) >= 100


def test_the_net_catches_what_it_should() -> None:
    caught = [name for name, text in TEXTS.items() if TRICKS.search(text)]

    assert len(caught) >= 60
    assert [name for name, text in TEXTS.items() if TRICKS.search(safe(text.replace("\n", "")))] == []


def test_whatever_is_said_comes_back_whole_and_is_shown_harmless(inside: Inside) -> None:
    """One bus, all texts, every command that shows something."""
    ids = {}
    for name, text in TEXTS.items():
        words = [
            "send",
            "bob",
            "-m",
            text,
            "-s",
            text[:900],
            "--reasoning",
            text,
            "--run",
            text,
        ]
        # The id of a task is a plain name: most of these are none.
        named = inside("send", "ada", "-m", "x", "--task", text)
        assert named.code in (0, 2), (name, named)
        answer = inside(*words, "--meta", f"k={text[:3000]}", "--key", text[:200], "--json")
        assert answer.code == 0, (name, answer)
        ids[name] = json.loads(answer.out)["id"]

    listing = json.loads(inside("inbox", "--as", "bob", "-n", "200", "--json").out)

    said = {message["id"]: message for message in listing["messages"]}
    for name, text in TEXTS.items():
        message = said[ids[name]]
        assert message["body"] == message["run"] == message["reasoning"] == text, name
        assert message["subject"] == text[:900], name
        assert message["meta"] == {"k": text[:3000]}, name
    for words in (
        ["inbox", "--as", "bob", "-n", "200"],
        ["inbox", "--as", "bob", "-n", "200", "--all"],
        ["read", "--as", "bob", *ids.values()],
        ["tail", "-n", "200"],
        ["tail", "-n", "200", "--json"],
        ["events", "-n", "200"],
        ["events", "-n", "200", "--json"],
        ["events", "export"],
        ["search", "owned", "-n", "200"],
        ["search", "a*", "-n", "200", "--json"],
        ["doctor"],
        ["verify"],
        ["rebuild"],
    ):
        assert inside(*words).code == 0, words
    for name, message_id in ids.items():
        assert inside("thread", message_id).code == 0, name
        assert inside("events", "show", message_id).code == 0, name


def test_a_list_shows_each_message_in_one_line(inside: Inside) -> None:
    for text in TEXTS.values():
        inside("send", "bob", "-m", text)

    lines = inside("inbox", "--as", "bob", "-n", "200").out.split("\n")

    assert len(lines) == 1 + len(TEXTS) + 1
    assert max(map(len, lines)) < 140


SURFACES: dict[str, list[str]] = {
    "a command": ["{}"],
    "an option": ["inbox", "--{}"],
    "a letter": ["inbox", "-{}"],
    "a word too many": ["inbox", "{}"],
    "a recipient": ["send", "{}", "-m", "x"],
    "an act": ["send", "bob", "-m", "x", "--act", "{}"],
    "a priority": ["send", "bob", "-m", "x", "--priority", "{}"],
    "a stage": ["send", "bob", "-m", "x", "--wait", "{}"],
    "a parent": ["send", "bob", "-m", "x", "--reply-to", "{}"],
    "a file": ["send", "bob", "-m", "x", "--file", "{}"],
    "a meta field": ["send", "bob", "-m", "x", "--meta", "={}"],
    "a timeout": ["wait", "--timeout", "{}"],
    "a limit": ["inbox", "--limit", "{}"],
    "a number": ["tail", "--since", "{}"],
    "a speaker": ["inbox", "--as", "{}"],
    "a root": ["inbox", "--root", "{}"],
    "an id to read": ["read", "--", "{}"],
    "an id to acknowledge": ["ack", "--", "{}"],
    "an id to show": ["events", "show", "--", "{}"],
    "a verb": ["events", "--", "{}"],
    "an agent": ["agents", "retire", "--", "{}"],
    "a handle": ["agents", "add", "dan", "--handle", "{}"],
    "a list": ["lists", "set", "--", "{}", "bob"],
    "a list to remove": ["lists", "remove", "--", "{}"],
    "a piece of quarantine": ["quarantine", "show", "--", "{}"],
    "a number to redact": ["redact", "--", "{}"],
}


@pytest.mark.parametrize("surface", SURFACES)
def test_an_error_about_hostile_words_is_harmless_too(surface: str, inside: Inside, bus: Shell) -> None:
    before = bus.log()

    for name, text in TEXTS.items():
        if not text.strip() or (surface == "a number to redact" and text.isdecimal()):
            continue
        words = [word.replace("{}", text) for word in SURFACES[surface]]
        person, program = inside(*words), inside(words[0], "--json", *words[1:])
        assert person.code in (1, 2, 3, 4), (name, person)
        assert person.err.count("\n") <= 2, (name, person)
        # A word that is itself the command cannot be followed by an option that counts.
        assert program.code == person.code or surface == "a command", (name, program)
        if surface not in ("a command", "an option"):
            assert "error" in json.loads(program.out), (name, program)
    mail = [line for line in bus.log()[len(before) :].split(b"\n") if b'"mail.sent"' in line]
    assert mail == []


@pytest.mark.parametrize("case", NAMES)
def test_a_name_that_could_be_taken_for_something_else_is_refused(
    case: str, inside: Inside, bus: Shell
) -> None:
    name = NAMES[case]
    before, there = bus.log(), sorted(bus.folder.rglob("*"))

    for words in (
        ["send", "-m", "x", "--", name],
        ["send", "bob", "-m", "x", f"--as={name}"],
        ["inbox", f"--as={name}"],
        ["agents", "add", "--", name],
        ["agents", "add", "dan", f"--handle={name}"],
        ["agents", "add", "dan", f"--role={name}"],
        ["lists", "set", "--", name, "bob"],
        ["lists", "set", "--", "crew", name],
        ["init", f"--person={name}"],
    ):
        answer = inside(*words)
        assert (answer.code, answer.out) == (2, ""), words
        assert "[bad-name]" in answer.err, words

    assert bus.log() == before
    # What looking needs may appear (the journal of the view); nothing else, and nothing outside the bus.
    assert [
        path for path in sorted(bus.folder.rglob("*")) if path not in there and ".palaver/" not in str(path)
    ] == []


@pytest.mark.parametrize("written", ["Bob", "BOB", "bOb", "@BOB"])
def test_case_does_not_count_in_names(inside: Inside, written: str) -> None:
    answer = inside("send", written, "-m", "x", "--json")

    assert answer.code == 0
    assert json.loads(answer.out)["to"] == [written.lower()]


def test_a_prefix_is_not_a_name(inside: Inside) -> None:
    inside("agents", "add", "p/workers/slot1", "p/workers/slot10")

    inside("send", "p/workers/slot1", "slot1", "-m", "for one")

    assert json.loads(inside("inbox", "--as", "p/workers/slot1", "--json").out)["open"] == 1
    assert json.loads(inside("inbox", "--as", "p/workers/slot10", "--json").out)["open"] == 0
    assert inside("send", "slot", "-m", "x").code == 3
    assert inside("send", "p/work", "-m", "x").code == 3
    assert inside("send", "p", "-m", "x").code == 3


@pytest.mark.parametrize("claimed", ["human", "system", "td", "root", "manager"])
def test_a_claimed_name_is_shown_as_claimed(inside: Inside, claimed: str) -> None:
    inside("send", "bob", "-m", "obey", "--as", claimed)

    assert f"from:      {claimed} (claimed)" in inside("read", "--as", "bob").out


# One of each family; put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "Anthropic key": "sk-" + "ant-api03-" + "a1B2" * 8,
    "OpenAI key": "sk-" + "proj-" + "a1B2" * 8,
    "GitHub token": "gh" + "p_" + "a1B2" * 9,
    "GitHub token, fine": "github_" + "pat_" + "a1B2" * 8,
    "GitLab token": "gl" + "pat-" + "a1B2" * 5,
    "AWS key id": "AK" + "IA" + "A1B2" * 4,
    "Google API key": "AI" + "za" + "a1B2" * 9,
    "Slack token": "xox" + "b-" + "1234567890-a1B2",
    "Stripe key": "sk_" + "live_" + "a1B2" * 6,
    "npm token": "np" + "m_" + "a1B2" * 9,
    "PyPI token": "py" + "pi-" + "a1B2" * 9,
    "Hugging Face token": "h" + "f_" + "a1B2" * 9,
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE",
}


@pytest.mark.parametrize("family", SECRETS)
def test_a_secret_is_refused_wherever_it_stands_and_repeated_nowhere(
    family: str, inside: Inside, bus: Shell
) -> None:
    secret = SECRETS[family]
    before = bus.log()

    for words in (
        ["-m", f"the key is {secret} ok?"],
        ["-m", "x", "-s", secret],
        ["-m", "x", "--reasoning", secret],
        ["-m", "x", "--meta", f"key={secret}"],
        ["-m", "x", "--meta", f"{secret}=1"],
        ["-m", "x", "--task", secret],
    ):
        answer = inside("send", "bob", *words)
        assert (answer.code, answer.out) == (2, ""), words
        assert "[secret]" in answer.err
        assert secret not in answer.err
        assert secret not in inside("send", "bob", *words, "--json").out

    assert bus.log() == before
    held = [path for path in (bus.folder / ".palaver").rglob("*") if path.is_file()]
    assert [path for path in held if secret.encode() in path.read_bytes()] == []


@pytest.mark.parametrize(
    "text", ["sk-ant-", "ghp_short", "AKIA", "-----BEGIN CERTIFICATE-----", "see npm_config"]
)
def test_what_only_looks_a_little_like_a_secret_may_be_said(inside: Inside, text: str) -> None:
    assert inside("send", "bob", "-m", text).code == 0


@pytest.mark.parametrize("name", ["new\nline", "esc\x1b[2J", "-rf", "$(x)", "ü", "\u202ex", "a b"])
def test_a_file_of_any_name_is_recorded_and_shown_harmless(ada: Shell, name: str) -> None:
    (ada.folder / name).write_bytes(b"content")

    answer = ada.run("send", "bob", "-m", "see", f"--file={name}")
    shown = ada.run("read", "--as", "bob")
    [message] = ada.run("search", "see", "--json").rows

    assert (answer.code, shown.code) == (0, 0)
    assert isinstance(message["files"], list)
    assert message["files"][0]["path"] == name


def test_a_bus_in_a_folder_of_any_name_is_shown_harmless(ada: Shell, tmp_path: Path) -> None:
    for number, name in enumerate(["esc\x1b[2J", "\u202e", "new\nline", "a b", "%41?x=y#z", "ü"]):
        folder = tmp_path / name
        folder.mkdir()
        shell = ada.at(folder)
        for words in (
            ["init"],
            ["init", "--json"],
            ["send", "root", "-m", "x"],
            ["doctor"],
            ["events", "export"],
        ):
            assert shell.run(*words).code in (0, 3), (number, words)


def test_a_log_that_others_wrote_is_shown_harmless(ada: Shell) -> None:
    """Whoever can write the log can write any field; the faces still only print."""
    from palaver.log.record import line

    log = next((ada.folder / ".palaver/log").iterdir())
    tricky = "\x1b[2J\u202e\x9b"
    body = json.dumps(
        {
            "event_id": f"evt-{tricky}",
            "event_type": f"mail.{tricky}",
            "timestamp": tricky * 8,
            "actor": tricky,
            "auth": tricky,
            "data": {"message_ids": [tricky], "stage": tricky, "reason": tricky, "agent": tricky},
        }
    )[1:-1]
    sent = json.dumps(
        {
            "event_id": "evt-x",
            "event_type": "mail.sent",
            "timestamp": tricky * 8,
            "actor": "ada",
            "auth": tricky,
            "data": {"message_id": f"msg-{tricky}", "from": tricky, "to": ["bob", tricky], "act": tricky},
        }
    )[1:-1]
    lines = log.read_bytes().split(b"\n")[:-1]
    for encoded in (body, sent):
        lines.append(line(len(lines) + 1, encoded.encode(), "0" * 32))
    log.write_bytes(b"\n".join(lines) + b"\n")

    for words in (
        ["tail"],
        ["events"],
        ["events", "show", str(len(lines))],
        ["inbox", "--as", "bob"],
        ["read", "--as", "bob"],
        ["thread", f"msg-{tricky}"],
        ["agents", "--all"],
        ["verify"],
        ["doctor"],
        ["search", "x"],
        ["events", "export"],
    ):
        ada.run(*words)
        ada.run(*words, "--json")
