"""The picture of now, the pages of the log, and the figures: bounded, and true."""

from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.admin.convert import translated
from palaver.bus.identity import vouch
from palaver.bus.session import draft
from palaver.dialects import DIALECTS, specs
from palaver.log.file_log import FileLog
from palaver.model.errors import BadArguments
from palaver.model.event import Event
from palaver.model.message import ACTS, Message
from palaver.model.names import BUS
from palaver.model.waits import WAITS, WaitKind
from palaver.views.mail.threads import MANY
from tests.bus.scene import bus_in
from tests.patience import PATIENCE


def waiting(bus: Bus) -> list[tuple[str, str, list[str]]]:
    """Return what is unanswered: its words, what is wanted, and of whom."""
    found = bus.picture()["unanswered"]
    assert isinstance(found, list)
    return [(each["gist"], each["wanted"], each["movers"]) for each in found]


def card(bus: Bus, name: str) -> dict[str, object]:
    cards = bus.picture()["agents"]
    assert isinstance(cards, list)
    [found] = [each for each in cards if each["id"] == name]
    assert isinstance(found, dict)
    return found


# --- what is unanswered ---


def test_a_question_waits_for_its_reader_until_it_is_answered(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    asked = bus.send("bob", "Which grammar?", act="ask")
    assert waiting(bus) == [("Which grammar?", "answer", ["bob"])]

    bus.reply(asked.message.id, "The small one.", sender="bob")

    assert waiting(bus) == []


def test_what_only_informs_waits_for_nobody(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    bus.send("bob", "Just so you know.")

    assert waiting(bus) == []


def test_urgent_comes_first_then_the_oldest(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for words, priority in (("first", "normal"), ("second", "normal"), ("now", "urgent")):
        bus.send("bob", words, act="ask", priority=priority)

    assert [words for words, _, _ in waiting(bus)] == ["now", "first", "second"]


def test_an_escalation_stands_above_everything_until_somebody_deals_with_it(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "a question", act="ask", priority="urgent")
    escalated = bus.send("bob", "nobody answers", act="escalate")

    assert waiting(bus) == [("nobody answers", "answer", ["bob"]), ("a question", "answer", ["bob"])]

    bus.ack([escalated.message.id], agent="bob")

    assert waiting(bus) == [("a question", "answer", ["bob"])]


@pytest.mark.parametrize("kind", WAITS, ids=lambda kind: kind.name)
def test_whatever_is_waited_for_has_a_move_that_ends_it(kind: WaitKind) -> None:
    assert kind.act in ACTS


def test_mail_to_a_role_waits_for_all_until_one_has_it(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)
    for name in ("bob", "cleo"):
        bus.add_agent(name, role="workers")
    sent = bus.send("workers", "Who takes it?", act="assign")
    assert waiting(bus) == [("Who takes it?", "ack", ["bob", "cleo"])]

    bus.ack([sent.message.id], agent="cleo")

    assert waiting(bus) == []


def test_mail_that_reached_nobody_waits_for_its_sender_until_it_is_said_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    lost = bus.send("bib", "Are you there?", allow_unknown=True)
    assert waiting(bus) == [("Are you there?", "resend", ["ada"])]

    bus.resend(lost.message.id, ["bob"])

    assert waiting(bus) == []


# --- cards ---


def test_a_card_counts_what_is_open_and_what_is_unread(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    first = bus.send("bob", "one")
    bus.send("bob", "two")
    bus.read([first.message.id], agent="bob")

    found = card(bus, "bob")

    assert (found["open"], found["unread"], found["health"]) == (2, 1, "mail")


def test_a_card_stops_counting_at_many(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send_many([Message(sender="ada", to=["bob"], body=f"{n}") for n in range(MANY + 50)])

    found = card(bus, "bob")

    assert (found["open"], found["many"]) == (MANY, True)


@pytest.mark.parametrize(("act", "health"), [("block", "blocked"), ("leave", "gone"), ("inform", "clear")])
def test_the_last_words_tell_how_an_agent_is(tmp_path: Path, act: str, health: str) -> None:
    bus = bus_in(tmp_path, "bob")

    bus.send("ada", "words", act=act, sender="bob")

    assert card(bus, "bob")["health"] == health


def test_what_the_bus_says_in_an_agents_name_is_not_its_word(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "operations", "ceo")
    fields: dict[str, object] = {
        "message_id": "msg-1",
        "from": "operations",
        "to": ["ceo"],
        "act": "escalate",
    }

    bus.session.log.append([draft("mail.sent", BUS, fields)])

    found = card(bus, "operations")
    assert (found["last"], found["sent"], found["health"]) == (None, 0, "silent")


def test_a_retired_agent_has_no_card(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    bus.retire_agent("bob")

    cards = bus.picture()["agents"]
    assert isinstance(cards, list)
    assert [each["id"] for each in cards] == ["ada"]


def test_only_the_cards_that_events_touched_are_drawn_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "cleo")
    before = bus.session.log.last_seq()
    bus.send("bob", "hello")

    touched = bus.touched(bus.session.log.read(before, 10))

    cards = bus.picture(only=touched)["agents"]
    assert isinstance(cards, list)
    assert sorted(each["id"] for each in cards) == ["ada", "bob"]


# --- pages of the log ---


def test_leafing_leads_to_the_oldest_and_shows_each_event_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for number in range(25):
        bus.send("bob", f"message {number}")
    seen: list[int] = []
    before = 0

    while True:
        page = bus.browse(before=before, limit=7)
        seen += [event.seq for event in page.events]
        before = page.older
        if not before:
            break

    assert seen == list(range(bus.session.log.last_seq(), 0, -1))


def test_a_page_is_found_by_type_actor_and_words_in_any_case(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "The Größe of it\nSecond LINE")
    bus.send("ada", "something else", sender="bob")

    assert len(bus.browse(words="größe second").events) == 1
    assert [event.actor for event in bus.browse(event_type="mail.sent", actor="bob").events] == ["bob"]
    assert {event.event_type.split(".")[0] for event in bus.browse(event_type="agent.*").events} == {"agent"}
    assert bus.browse(words="no such words").events == []


@pytest.mark.on_disk("only a log on the disk has several segments")
def test_a_rare_word_in_a_large_log_is_looked_for_in_small_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.bus.admin.event_history.SCAN_BYTES", 1)
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "needle")
    assert isinstance(bus.session.log, FileLog)
    bus.session.log._segment_bytes = 2_000
    for number in range(40):
        bus.send("bob", f"hay {number} " + "x" * 200)
    steps, before = 0, 0
    found: list[Event] = []

    while not found:
        page = bus.browse(words="needle", before=before)
        found, before, steps = page.events, page.older, steps + 1

    assert steps > 3


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_page_of_no_size_is_refused(tmp_path: Path, limit: int) -> None:
    bus = bus_in(tmp_path)

    with pytest.raises(BadArguments):
        bus.browse(limit=limit)
    with pytest.raises(BadArguments):
        bus.conversations(limit=limit)


# --- conversations ---


def test_conversations_come_newest_first_and_each_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = [bus.send("bob", f"topic {number}") for number in range(12)]
    bus.reply(sent[0].message.id, "late answer", sender="bob")
    found: list[str] = []
    before = 0

    while True:
        page, before = bus.conversations(before=before, limit=5)
        found += [talk.thread for talk in page]
        if not before:
            break

    order = [sent[0], *reversed(sent[1:])]
    assert found == [each.message.id for each in order]
    first, _ = bus.conversations(limit=1)
    assert (first[0].count, first[0].voices) == (2, ["ada", "bob"])


def test_an_empty_bus_has_no_conversations(tmp_path: Path) -> None:
    assert bus_in(tmp_path).conversations() == ([], 0)


# --- figures ---


def test_figures_count_what_was_said_read_and_answered(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    asked = bus.send("bob", "Which?", act="ask")
    bus.read([asked.message.id], agent="bob")
    bus.reply(asked.message.id, "This.", sender="bob")

    told = bus.insight()

    assert told["messages"] == 2
    assert [(row["name"], row["total"]) for row in told["by_act"]] == [("ask", 1), ("answer", 1)]  # type: ignore[attr-defined]  # a list
    for spread in ("sent_to_read", "read_to_answered"):
        assert told[spread]["count"] == 1  # type: ignore[index]  # a table
        assert told[spread]["agents"][0]["agent"] == "bob"  # type: ignore[index]  # a table


def test_figures_tell_how_much_text_agents_were_given(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.send("bob", "twelve chars")
    bus.wait(timeout=PATIENCE, agent="bob")
    bus.session.log.append(
        [draft("run.started", "palaver", {"run": "run_001", "agent": "carol", "prompt": 100})]
    )

    agents = [{"agent": "carol", "mail": 0, "prompt": 100}, {"agent": "bob", "mail": 12, "prompt": 0}]
    assert bus.insight()["given"] == {"chars": 112, "times": 2, "agents": agents}


def test_figures_of_times_that_are_none_are_left_out(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    odd = draft("mail.sent", "bob", {"message_id": "msg-odd", "from": "bob", "to": ["ada"], "body": "x"})
    for stamp in ("", "yesterday", "9999-99-99T99:99:99Z", "2026-01-01T00:00:00"):
        odd.timestamp, odd.data = stamp, {**odd.data, "message_id": f"msg-{stamp[:4]}"}
        bus.session.log.append([odd])
    bus.read([], agent="ada")

    assert bus.insight()["messages"] == 4


def test_an_empty_bus_has_no_figures_and_no_fault(tmp_path: Path) -> None:
    told = bus_in(tmp_path).insight()

    assert (told["messages"], told["columns"]) == (0, [])


# --- said otherwise, and vouched for ---


def test_a_message_is_said_in_every_dialect(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = bus.send("bob", "Which grammar?", act="ask", task="parser")
    [said] = bus.thread(sent.message.id)

    told = translated(said.message, specs())

    assert [each["dialect"] for each in told] == list(DIALECTS)
    assert all("Which grammar?" in str(each["text"]) for each in told)


def test_a_bus_vouches_for_its_own_agent_alone(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    vouch(bus.session)

    bus.send("bob", "mine")
    bus.send("ada", "his", sender="bob")
    bus.send("bob", "with a key", key="k")
    bus.read([], agent="bob")

    assert [event.auth for event in bus.events(limit=4)] == ["token", "claimed", "token", "claimed"]
