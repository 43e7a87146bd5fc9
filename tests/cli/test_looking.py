"""palaver thread, search, tail, events, agents, lists: what there is, and who."""

import json
from collections.abc import Callable

import pytest

from tests.cli.spoken import Answer, Shell
from tests.patience import PATIENCE


def events_of(answer: Answer) -> list[dict[str, object]]:
    return [json.loads(line) for line in answer.lines]


def test_a_thread_shows_who_said_what_and_how_far_it_got(ada: Shell, bob: Shell) -> None:
    asked = ada.run("send", "bob", "-m", "well?", "--act", "ask").message_id
    bob.run("read")
    answered = bob.run("reply", asked, "-m", "yes").message_id

    answer = ada.run("thread", answered)

    assert answer.out.index("well?") < answer.out.index("yes")
    assert "  bob: answered 20" in answer.out
    assert "  ada: stored" in answer.out
    assert [said["id"] for said in ada.run("thread", asked, "--json").rows] == [asked, answered]


def test_a_thread_shows_what_reached_nobody(ada: Shell) -> None:
    lost = ada.run("send", "zoe", "-m", "hello?", "--allow-unknown").message_id

    answer = ada.run("thread", lost)

    assert "  zoe: undeliverable, no such agent" in answer.out


def test_looking_at_a_thread_marks_nothing(ada: Shell, bob: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello").message_id
    before = ada.log()

    bob.run("thread", sent)
    ada.run("search", "hello")
    ada.run("events")
    ada.run("tail")

    assert ada.log() == before


def test_search_finds_the_newest_first(ada: Shell) -> None:
    first = ada.run("send", "bob", "-m", "the red parser is ready").message_id
    second = ada.run("send", "bob", "-m", "is the blue parser ready?").message_id

    answer = ada.run("search", "parser", "ready")

    assert [line.split()[0] for line in answer.lines] == [second, first]
    assert answer.lines[1].endswith("ada → bob  the red parser is ready")
    assert [message["id"] for message in ada.run("search", '"red parser"', "--json").rows] == [first]
    assert [message["id"] for message in ada.run("search", "pars*", "-n", "1", "--json").rows] == [second]


def test_search_that_finds_nothing_says_so(ada: Shell) -> None:
    assert ada.run("search", "unicorn").out == "No messages\n"
    assert ada.run("search", "unicorn", "--json").rows == []


# What people type, and what an index would take for its own language.
QUERIES = [
    "'; DROP TABLE message; --",
    '"NEAR(',
    'NEAR("a" "b", 2)',
    "a AND",
    "OR",
    "NOT x",
    "col:umn",
    "subject:",
    "-x",
    "^x",
    "x^",
    "*",
    "**",
    "a*b*",
    '"',
    '""',
    '"""',
    "'",
    "(",
    ")",
    "(((",
    "{x y}",
    "a + b",
    "\\",
    "\x00",
    "%n%s",
    "{{7*7}}",
    "$(x)",
    "`x`",
    "=cmd|x",
    "\u202e",
    "中文",
    "🎉",
    "e\u0301",
    "a" * 10_000,
    " ".join(["word"] * 500),
    "x\ny",
    "' OR 1=1",
]


@pytest.mark.parametrize("query", QUERIES)
def test_search_never_fails_whatever_is_typed(inside: Callable[..., Answer], query: str) -> None:
    answer = inside("search", "--json", "--", query)

    if answer.code == 2:
        assert "give a word or two" in answer.out
    else:
        assert (answer.code, answer.value) == (0, [])


def test_tail_shows_the_newest_events(ada: Shell) -> None:
    for body in "abcde":
        ada.run("send", "bob", "-m", body)

    answer = ada.run("tail", "-n", "2")

    assert [line[-1] for line in answer.lines] == list("de")
    assert " mail.sent          ada " in answer.lines[0]


def test_tail_starts_behind_a_number(ada: Shell) -> None:
    for body in "abc":
        ada.run("send", "bob", "-m", body)
    last = events_of(ada.run("tail", "--last", "1", "--json"))[0]["seq"]

    assert isinstance(last, int)
    assert [event["seq"] for event in events_of(ada.run("tail", "--since", str(last - 2), "--json"))] == [
        last - 1,
        last,
    ]


LAST = {"-5": (2, 0), "0": (0, 0), "1": (0, 1), "1000000000000": (0, 4), "1e12": (2, 0), "--5": (2, 0)}


@pytest.mark.parametrize("given", LAST)
def test_tail_of_a_strange_length(inside: Callable[..., Answer], given: str) -> None:
    code, events = LAST[given]

    answer = inside("tail", "--json", f"--last={given}")

    assert answer.code == code
    if code == 0:
        assert len(answer.lines) == events
    else:
        assert "bad-arguments" in answer.out


@pytest.mark.parametrize("given", ["999", "999999999999999999"])
@pytest.mark.parametrize("command", ["tail", "events list", "events export"])
def test_what_comes_behind_the_future_is_nothing(
    inside: Callable[..., Answer], command: str, given: str
) -> None:
    answer = inside(*command.split(), "--since", given)

    assert (answer.code, answer.out, answer.err) == (0, "", "")


@pytest.mark.parametrize("given", ["junk", "2026-01-01", "1.5", "-", "--1", "1" * 19, "0x10"])
@pytest.mark.parametrize("command", ["tail", "events list", "events export"])
def test_a_place_in_the_log_is_a_number(inside: Callable[..., Answer], command: str, given: str) -> None:
    answer = inside(*command.split(), f"--since={given}")

    assert (answer.code, answer.out) == (2, "")
    assert "it must be a whole number" in answer.err


def test_tail_follows_until_nothing_comes(ada: Shell) -> None:
    process = ada.start("tail", "-f", "-n", "1", "--timeout", "5", "--json")
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())

    ada.run("send", "bob", "-m", "new")

    second = json.loads(process.stdout.readline())
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert second["seq"] == first["seq"] + 1
    assert second["data"]["body"] == "new"


def test_events_are_filtered_by_type_family_actor_and_number(ada: Shell, bob: Shell) -> None:
    ada.run("send", "bob", "-m", "a")
    bob.run("send", "ada", "-m", "b")
    bob.run("read")

    def types(*words: str) -> list[object]:
        return [event["event_type"] for event in ada.run("events", "--json", *words).rows]

    assert types("--type", "mail.read") == ["mail.read"]
    assert types("--type", "mail.*") == ["mail.sent", "mail.sent", "mail.read"]
    assert types("--actor", "bob") == ["mail.sent", "mail.read"]
    assert types("--actor", "bob", "--limit", "1") == ["mail.read"]
    assert types("--type", "mail.*", "--since", "5") == ["mail.sent", "mail.read"]


def test_one_event_is_shown_by_its_number_its_id_and_its_message(ada: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello", "--json").fields

    shown = [
        ada.run("events", "show", str(sent[name]), "--json").fields for name in ("seq", "event_id", "id")
    ]

    assert shown[0] == shown[1] == shown[2]
    assert shown[0]["data"] == {"message_id": sent["id"], "from": "ada", "to": ["bob"], "body": "hello"}
    assert json.loads(ada.run("events", "show", str(sent["seq"])).out) == shown[0]


@pytest.mark.parametrize("wanted", ["0", "999", "evt-none", "msg-none", "x", "1" * 18, "٣"])
def test_an_event_that_is_not_there_is_not_found(inside: Callable[..., Answer], wanted: str) -> None:
    answer = inside("events", "show", wanted)

    assert (answer.code, answer.out) == (3, "")


def test_a_number_of_five_thousand_digits_is_not_one(inside: Callable[..., Answer]) -> None:
    assert inside("events", "show", "1" * 5_000).code == 2
    assert inside("redact", "1" * 5_000).code == 2


def test_an_export_is_one_cloudevent_a_line(ada: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "hello", "--json").fields

    lines = events_of(ada.run("events", "export", "--type", "mail.*"))

    [event] = lines
    assert event["specversion"] == "1.0"
    assert event["id"] == sent["event_id"]
    assert event["type"] == "dev.palaver.mail.sent.v1"
    assert event["source"] == f"/palaver/{ada.folder.name}"
    assert event["subject"] == sent["id"]
    assert len(events_of(ada.run("events", "export"))) == len(ada.run("events", "--json").rows)


def test_agents_are_listed_with_what_is_known_of_them(ada: Shell) -> None:
    ada.run("agents", "add", "project-a/workers/slot1", "--handle", "qa", "--about", "checks everything")
    ada.run("send", "bob", "-m", "hi")

    rows = {str(row["id"]): row for row in ada.run("agents", "--json").rows}

    assert sorted(rows) == ["ada", "bob", "carol", "project-a/workers/slot1"]
    assert rows["project-a/workers/slot1"]["handle"] == "qa"
    assert (rows["ada"]["sent"], rows["bob"]["sent"]) == (1, 0)
    shown = {line.split()[0]: line for line in ada.run("agents").lines}
    assert "no message yet" in shown["bob"]
    assert "@qa" in shown["project-a/workers/slot1"]
    assert shown["project-a/workers/slot1"].endswith("checks everything")


def test_mail_finds_an_agent_by_handle_and_role(ada: Shell) -> None:
    ada.run("agents", "add", "dan", "--handle", "qa", "--role", "reviewers")

    for address in ("dan", "@dan", "@qa", "qa", "reviewers", "@all", "DAN"):
        assert ada.run("send", address, "-m", address).code == 0, address

    assert ada.run("inbox", "--as", "dan", "--json").fields["open"] == 7


def test_a_retired_agent_is_listed_only_when_asked_for(ada: Shell) -> None:
    answer = ada.run("agents", "retire", "carol", "--reason", "done")

    assert (answer.code, answer.out) == (0, "Retired: carol\n")
    assert "carol" not in ada.run("agents").out
    assert "(retired)" in ada.run("agents", "list", "--all").out
    assert ada.run("agents", "retire", "carol").code == 0
    assert ada.run("agents", "add", "carol").out == "Added: carol\n"


def test_adding_an_agent_again_says_that_it_was_there_or_has_changed(ada: Shell) -> None:
    first = ada.run("agents", "add", "dora", "carol")
    again = ada.run("agents", "add", "dora")
    changed = ada.run("agents", "add", "dora", "--role", "testers")

    assert first.out == "Added: dora\nAlready there: carol\n"
    assert again.out == "Already there: dora\n"
    assert changed.out == "Changed: dora\n"


def test_retiring_nobody_proposes_somebody(ada: Shell) -> None:
    answer = ada.run("agents", "retire", "carrol")

    assert answer.code == 3
    assert "did you mean carol?" in answer.err


def test_a_list_is_set_used_shown_and_removed(ada: Shell) -> None:
    shown = ada.run("lists", "set", "crew", "bob", "@carol")

    assert shown.out == "crew: bob, @carol\n"
    assert ada.run("lists", "--json").fields == {"crew": ["bob", "@carol"]}
    assert ada.run("lists", "list").out == shown.out
    assert ada.run("send", "crew", "-m", "hello").code == 0
    assert ada.run("inbox", "--as", "carol", "--json").fields["open"] == 1
    assert ada.run("lists", "remove", "crew").out == "No lists; palaver lists set NAME MEMBER…\n"
    assert ada.run("send", "crew", "-m", "hello").code == 3


def test_a_list_with_an_unknown_member_is_set_and_used_with_a_word_about_it(ada: Shell) -> None:
    shown = ada.run("lists", "set", "crew", "bob", "caroll")
    sent = ada.run("send", "crew", "-m", "hello")

    assert (shown.code, shown.out) == (0, "crew: bob, caroll\n")
    assert "caroll is no agent, so mail to crew does not reach it yet; did you mean carol?" in shown.err
    assert sent.code == 3
    assert "not delivered to caroll: no such agent; it is a member of crew; did you mean carol?" in sent.err
    assert ada.run("inbox", "--as", "bob", "--json").fields["open"] == 1


def test_what_people_wrote_in_the_config_stays(ada: Shell) -> None:
    config = ada.folder / ".palaver/config.toml"
    config.write_text(config.read_text() + "# a note of mine\n")

    ada.run("lists", "set", "crew", "bob")

    assert "# a note of mine\n" in config.read_text()


def test_a_config_that_cannot_be_read_is_refused_with_its_line(ada: Shell) -> None:
    (ada.folder / ".palaver/config.toml").write_text("version = 1\nlists = [\n")

    answer = ada.run("lists")

    assert answer.code == 2
    assert "config.toml:" in answer.err
    assert "[bad-config]" in answer.err
