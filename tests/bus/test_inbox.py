"""An agent's mail: its order, what each step records, and what withdrawing can still undo."""

import re
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

from palaver import Bus, Event
from palaver.bus.session import draft
from palaver.log.clock import ago
from palaver.log.lock import Lock
from palaver.model.errors import LogLocked
from palaver.model.limits import CATCH_UP_SECONDS, IDS, ROWS
from palaver.model.names import BUS
from tests.bus.scene import bodies, bus_in, ids, race, refused, stage

MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_urgent_comes_before_normal_before_low_and_the_oldest_first_within_each(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for number, priority in enumerate(["low", "normal", "urgent", "normal", "urgent", "low"]):
        bus.send("bob", f"{priority} {number}", priority=priority)

    assert bodies(bus, "bob") == ["urgent 2", "urgent 4", "normal 1", "normal 3", "low 0", "low 5"]
    assert bodies(bus, "bob", "unread") == bodies(bus, "bob")
    assert bodies(bus, "bob", "all") == ["low 5", "urgent 4", "normal 3", "urgent 2", "normal 1", "low 0"]
    assert [each.message.body for each in bus.inbox("bob", limit=2).mail] == ["urgent 2", "urgent 4"]


def test_reading_takes_the_next_in_order_when_nothing_is_named(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "later")
    bus.send("bob", "first", priority="urgent")

    assert [bus.read(agent="bob")[0].message.body for _ in range(2)] == ["first", "later"]
    with refused(bus, "not-found") as caught:
        bus.read(agent="bob")
    assert caught.value.exit == 3


def test_listing_is_not_reading_and_reading_is_not_acknowledging(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    first = bus.inbox("bob")
    assert (first.open, first.unread, first.mail[0].delivery.stage) == (1, 1, "stored")
    assert stage(bus, message_id, "bob") == "stored"

    [given] = bus.read([message_id], agent="bob")
    assert not given.delivery.redelivered
    second = bus.inbox("bob")
    assert (second.open, second.unread, second.mail[0].delivery.stage) == (1, 0, "read")
    assert second.mail[0].delivery.redelivered
    assert ids(bus, "bob", "unread") == []

    assert bus.ack([message_id], agent="bob") == [message_id]
    third = bus.inbox("bob")
    assert (third.open, third.unread, third.mail) == (0, 0, [])
    assert stage(bus, message_id, "bob") == "acknowledged"


def test_what_was_read_and_not_acknowledged_comes_again_and_is_marked(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id
    bus.read([message_id], agent="bob")

    [again] = bus.read([message_id], agent="bob")

    assert again.delivery.redelivered
    assert len(bus.events(event_type="mail.read")) == 1
    bus.ack([message_id], agent="bob")
    [done] = bus.inbox("bob", scope="all").mail
    assert not done.delivery.redelivered


@pytest.mark.on_disk("other processes use the log")
def test_when_eight_readers_of_one_name_read_at_once_all_but_one_are_told_it_is_a_repeat(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    marks = race(bus, ["bob"] * 8, "say([mail.delivery.redelivered for mail in bus.read(words)])", message_id)

    assert sorted(map(repr, marks)) == ["[False]"] + ["[True]"] * 7


def test_acknowledging_twice_is_no_news_and_no_event(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    assert bus.ack([message_id, message_id], agent="bob") == [message_id]
    assert bus.ack([message_id], agent="bob") == []
    assert len(bus.events(event_type="mail.acknowledged")) == 1


def test_a_reply_answers_what_it_replies_to(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    asked = bus.send(["bob", "carol"], "Which branch?", act="ask").message.id

    answer = bus.reply(asked, "main", sender="bob")

    assert stage(bus, asked, "bob") == "answered"
    assert stage(bus, asked, "carol") == "stored"
    assert ids(bus, "bob") == []
    assert ids(bus, "carol") == [asked]
    assert ids(bus, "ada") == [answer.message.id]


def test_archived_mail_leaves_the_inbox_and_can_still_be_seen(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    assert bus.archive([message_id], agent="bob") == [message_id]
    assert bus.archive([message_id], agent="bob") == []

    assert ids(bus, "bob") == []
    [mail] = bus.inbox("bob", scope="all").mail
    assert "archived" in mail.delivery.stages


def test_withdrawn_before_anybody_read_it_a_message_is_gone(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    message_id = bus.send(["bob", "carol"], "Never mind").message.id

    assert bus.withdraw(message_id) == []

    assert ids(bus, "bob") == ids(bus, "carol") == []
    assert stage(bus, message_id, "bob") == "withdrawn"
    for call in (bus.read, bus.ack, bus.archive):
        with refused(bus, "not-found") as caught:
            call([message_id], agent="bob")
        assert "ada withdrew it" in str(caught.value)


def test_withdrawn_after_one_has_read_it_a_message_is_taken_from_the_others(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol", "dave")
    message_id = bus.send(["bob", "carol", "dave"], "Never mind").message.id
    bus.read([message_id], agent="bob")
    bus.ack([message_id], agent="carol")

    assert bus.withdraw(message_id) == ["bob", "carol"]

    assert ids(bus, "bob") == [message_id]
    assert ids(bus, "dave") == []
    assert [stage(bus, message_id, agent) for agent in ("bob", "carol", "dave")] == [
        "read",
        "acknowledged",
        "withdrawn",
    ]


@pytest.mark.parametrize("step", ["read", "ack", "archive", "reply"])
def test_what_everyone_has_already_cannot_be_withdrawn(tmp_path: Path, step: str) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Never mind").message.id
    steps: dict[str, Callable[[], object]] = {
        "read": lambda: bus.read([message_id], agent="bob"),
        "ack": lambda: bus.ack([message_id], agent="bob"),
        "archive": lambda: bus.archive([message_id], agent="bob"),
        "reply": lambda: bus.reply(message_id, "Too late", sender="bob"),
    }
    steps[step]()

    with refused(bus, "already-read") as caught:
        bus.withdraw(message_id)

    assert caught.value.exit == 5
    assert "bob" in str(caught.value)


def test_withdrawing_twice_is_no_second_event(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Never mind").message.id

    assert bus.withdraw(message_id) == bus.withdraw(message_id) == []
    assert len(bus.events(event_type="mail.withdrawn")) == 1


def test_only_its_sender_can_withdraw_a_message(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Mine").message.id

    with refused(bus, "not-yours") as caught:
        bus.withdraw(message_id, agent="bob")

    assert caught.value.exit == 4


@pytest.mark.parametrize("step", ["read", "ack", "archive"])
def test_the_mail_of_others_cannot_be_touched(tmp_path: Path, step: str) -> None:
    bus = bus_in(tmp_path, "bob", "eve")
    message_id = bus.send("bob", "Private").message.id

    with refused(bus, "not-yours") as caught:
        getattr(bus, step)([message_id], agent="eve")

    assert caught.value.exit == 4


def test_a_half_typed_id_is_answered_with_the_ids_that_start_so(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    with refused(bus, "not-found") as caught:
        bus.read([message_id[:9]], agent="bob")

    assert message_id in str(caught.value)


def test_an_inbox_of_nobody_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "copilot")

    with refused(bus, "not-found") as caught:
        bus.inbox("copliot")

    assert "copilot" in str(caught.value)


@pytest.mark.parametrize("limit", [0, -1, ROWS + 1, 10**30])
def test_a_listing_has_bounds(tmp_path: Path, limit: int) -> None:
    bus = bus_in(tmp_path, "bob")

    with refused(bus, "bad-arguments"):
        bus.inbox("bob", limit=limit)


def test_one_call_takes_so_many_ids_and_no_more(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    with refused(bus, "bad-arguments"):
        bus.ack(["msg-x"] * (IDS + 1), agent="bob")


def cause(bus_events: list[Event], event_type: str) -> Event:
    [found] = [event for event in bus_events if event.event_type == event_type]
    return found


def test_the_events_of_mail_have_the_names_and_times_that_were_promised(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = bus.send("bob", "The parser is ready.", subject="Parser").message
    bus.wait(agent="bob", timeout=0)
    bus.read([sent.id], agent="bob")
    bus.ack([sent.id], agent="bob")
    bus.archive([sent.id], agent="bob")

    mail = bus.events(event_type="mail.*")

    stored = cause(mail, "mail.sent")
    assert stored.data == {
        "message_id": sent.id, "from": "ada", "to": ["bob"], "subject": "Parser",
        "body": "The parser is ready.",
    }  # fmt: skip
    delivered = cause(mail, "mail.delivered")
    assert delivered.data == {"recipient": "bob", "stage": "notified", "message_ids": [sent.id], "chars": 20}
    assert delivered.actor == "palaver"
    read = cause(mail, "mail.read")
    assert (read.data["message_ids"], read.data["reader"]) == ([sent.id], "bob")
    assert MILLISECONDS.fullmatch(str(read.data["read_at"]))
    assert cause(mail, "mail.acknowledged").data == {"message_ids": [sent.id], "by": "bob"}
    assert cause(mail, "mail.archived").data == {"message_ids": [sent.id], "by": "bob"}
    assert all(MILLISECONDS.fullmatch(event.timestamp) for event in mail)
    for event in mail:
        if event.event_type not in ("mail.sent", "mail.delivered"):
            assert (event.actor, event.caused_by, event.correlation_id) == ("bob", stored.event_id, sent.id)


def test_cause_thread_and_hops_run_through_replies_of_replies(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    said = [bus.send("bob", "0", subject="Parser").message]
    for number in range(1, 6):
        who = "bob" if number % 2 else "ada"
        said.append(bus.reply(said[-1].id, str(number), sender=who).message)

    events = [bus.event(message.id) for message in said]

    assert [message.hops for message in said] == [0, 1, 2, 3, 4, 5]
    assert [event.caused_by for event in events] == ["", *(event.event_id for event in events[:-1])]
    assert [event.correlation_id for event in events[1:]] == [said[0].id] * 5
    assert [message.reply_to for message in said[1:]] == [message.id for message in said[:-1]]
    assert {message.subject for message in said[1:]} == {"Re: Parser"}
    assert [each.message.body for each in bus.thread(said[3].id)] == ["0", "1", "2", "3", "4", "5"]


def test_mail_sent_on_reaches_another_and_says_what_it_was(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    lost = bus.send(
        "bobb", "The parser is ready.", subject="Parser", priority="urgent", allow_unknown=True
    ).message

    fresh = bus.resend(lost.id, ["bob"]).message

    [mail] = bus.inbox("bob").mail
    assert (mail.message.id, mail.message.body, mail.message.subject) == (fresh.id, lost.body, "Parser")
    assert (mail.message.priority, mail.message.meta) == ("urgent", {"resent": lost.id})
    assert not mail.message.undeliverable


def test_a_listing_for_programs_has_every_documented_field(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "Hello")

    plain = bus.inbox("bob").plain()

    assert set(plain) == {"agent", "open", "unread", "behind", "messages"}
    messages = plain["messages"]
    assert isinstance(messages, list)
    assert set(messages[0]["delivery"]) == {
        "recipient", "via", "stage", "open", "redelivered", "notified", "injected", "read", "acknowledged",
        "answered", "archived", "withdrawn", "taken_by", "held",
    }  # fmt: skip


def test_mail_that_a_view_learns_of_in_the_middle_of_a_question_is_found(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    reader = Bus(str(tmp_path), agent="bob")
    reader.inbox()
    sent = bus.send("bob", "just now")
    lock = Lock(bus.root.view_lock)
    assert lock.acquire(5.0)
    # Longer than the first look waits for the view, shorter than the second does.
    release = Timer(CATCH_UP_SECONDS * 1.5, lock.release)
    release.start()

    try:
        done = reader.ack([sent.message.id])
    except LogLocked:
        # A busy machine: the second look came too early as well, and says so.
        done = [sent.message.id]
    release.join()

    assert done == [sent.message.id]


# --- mail that was read and not acknowledged ---


def read_long_ago(bus: Bus, message_id: str) -> None:
    """Record that bob read a message an hour before the clock of this machine."""
    at = ago(3_600)
    data: dict[str, object] = {"message_ids": [message_id], "reader": "bob", "read_at": at}
    bus.session.log.append([draft("mail.read", "bob", data, at=at)])


def start_program(bus: Bus) -> None:
    """Record that a program of bob was started."""
    bus.session.log.append([draft("run.started", BUS, {"run": "run_001", "agent": "bob"})])


def test_mail_that_was_read_just_now_is_not_offered_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "Hello")
    bus.read(agent="bob")

    with refused(bus, "not-found"):
        bus.read(agent="bob")
    with refused(bus, "timeout"):
        bus.wait(agent="bob", timeout=0)


@pytest.mark.parametrize("again", ["after a while", "after a start"])
def test_mail_that_was_read_and_not_acknowledged_is_offered_again_marked(tmp_path: Path, again: str) -> None:
    bus = bus_in(tmp_path, "bob")
    first, second = (bus.send("bob", body).message.id for body in ("one", "two"))
    if again == "after a while":
        read_long_ago(bus, first)
    else:
        bus.read([first], agent="bob")
        start_program(bus)

    assert [each.message.id for each in bus.wait(agent="bob", timeout=0).mail] == [second, first]
    assert [bus.read(agent="bob")[0].message.id for _ in range(2)] == [second, first]
    with refused(bus, "not-found"):
        bus.read(agent="bob")


def test_mail_is_offered_again_after_every_start_until_it_is_acknowledged(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = bus.send("bob", "Hello").message.id
    bus.read(agent="bob")

    for _ in range(3):
        start_program(bus)
        [mail] = bus.read(agent="bob")
        assert (mail.message.id, mail.delivery.redelivered) == (sent, True)

    start_program(bus)
    bus.ack([sent], agent="bob")
    with refused(bus, "timeout"):
        bus.wait(agent="bob", timeout=0)


def test_reading_by_id_counts_as_reading_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = bus.send("bob", "Hello").message.id
    read_long_ago(bus, sent)

    bus.read([sent], agent="bob")

    with refused(bus, "timeout"):
        bus.wait(agent="bob", timeout=0)
