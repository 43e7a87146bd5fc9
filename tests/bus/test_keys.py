"""Idempotency: a key stands for one message of one sender, for the life of the log."""

from collections.abc import Callable
from pathlib import Path

import pytest

from palaver import Bus
from palaver.model.limits import KEY_CHARS
from tests.bus.scene import bodies, bus_in, ids, race, refused
from tests.views.dumps import dump, rebuilt


def test_a_message_sent_again_with_its_key_stands_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    first = bus.send("bob", "Hello", key="k1")
    again = bus.send("bob", "Hello", key="k1")
    elsewhere = Bus(str(tmp_path), agent="ada").send("bob", "Hello", key="k1")

    assert (first.fresh, again.fresh, elsewhere.fresh) == (True, False, False)
    assert {first.message.id, again.message.id, elsewhere.message.id} == {first.message.id}
    assert (again.message.seq, again.message.body) == (first.message.seq, "Hello")
    assert ids(bus, "bob") == [first.message.id]


@pytest.mark.parametrize("how", ["rebuilt", "view gone", "many events later"])
def test_a_key_is_known_whatever_has_happened_since(tmp_path: Path, how: str) -> None:
    bus = bus_in(tmp_path, "bob")
    first = bus.send("bob", "Hello", key="k1")
    if how == "rebuilt":
        bus.rebuild()
    elif how == "view gone":
        for each in Path(bus.root.view).iterdir():
            each.unlink()
    else:
        for number in range(300):
            bus.send("bob", f"message {number}")

    again = bus.send("bob", "Hello", key="k1")

    assert (again.fresh, again.message.id) == (False, first.message.id)


def test_the_same_key_with_another_message_is_a_conflict(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    first = bus.send("bob", "Hello", key="k1").message.id

    calls: list[Callable[[], object]] = [
        lambda: bus.send("bob", "Goodbye", key="k1"),
        lambda: bus.send("carol", "Hello", key="k1"),
        lambda: bus.send("bob", "Hello", key="k1", priority="urgent"),
        lambda: bus.send("bob", "Hello", key="k1", meta={"a": "b"}),
    ]
    for call in calls:
        with refused(bus, "key-conflict") as caught:
            call()
        assert caught.value.exit == 5
        assert first in str(caught.value)


def test_a_key_belongs_to_its_sender(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")

    bus.send("bob", "from ada", key="k1")
    bus.send("bob", "from carol", key="k1", sender="carol")

    assert bodies(bus, "bob") == ["from ada", "from carol"]


def test_a_reply_with_a_key_stands_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    asked = bus.send("bob", "Ready?", act="ask").message.id

    first = bus.reply(asked, "Yes", sender="bob", key="r1")
    again = bus.reply(asked, "Yes", sender="bob", key="r1")

    assert (again.fresh, again.message.id) == (False, first.message.id)
    assert bodies(bus, "ada") == ["Yes"]


def test_mail_to_an_unknown_name_with_a_key_stands_once_and_is_undeliverable_both_times(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path)

    first = bus.send("ghost", "Hello", key="k1", allow_unknown=True)
    again = bus.send("ghost", "Hello", key="k1", allow_unknown=True)

    assert (again.fresh, again.message.id) == (False, first.message.id)
    assert [address for address, _, _ in again.unknown] == ["ghost"]


def test_a_message_that_was_delivered_is_not_refused_with_its_key_when_its_recipient_has_left(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path, "bob")
    first = bus.send("bob", "Hello", key="k1")
    bus.retire_agent("bob")

    again = bus.send("bob", "Hello", key="k1")

    assert (again.fresh, again.message.id) == (False, first.message.id)


def test_a_message_that_was_redacted_can_still_be_sent_again_with_its_key(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    first = bus.send("bob", "the secret word", key="k1")
    bus.redact(first.message.seq)

    again = bus.send("bob", "the secret word", key="k1")

    assert (again.fresh, again.message.id) == (False, first.message.id)


@pytest.mark.on_disk("other processes use the log")
def test_keyed_sends_of_eight_processes_at_once_stand_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    said = race(
        bus, ["ada"] * 8, 'sent = bus.send("bob", "Hello", key="k1"); say([sent.message.id, sent.fresh])'
    )

    [message_id] = ids(bus, "bob")
    assert sorted(map(repr, said)) == [repr([message_id, False])] * 7 + [repr([message_id, True])]
    assert len(bus.events(event_type="mail.sent")) == 1


@pytest.mark.on_disk("other processes use the log")
def test_keyed_sends_of_many_keys_from_many_processes_stand_once_each(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    race(
        bus,
        ["ada"] * 6,
        """
for number in range(25):
    bus.send("bob", f"message {number}", key=f"k{number}")
say("done")
""",
    )

    assert sorted(bodies(bus, "bob")) == sorted(f"message {number}" for number in range(25))
    live = dump(bus)
    assert live == rebuilt(bus)


@pytest.mark.on_disk("other processes use the log")
def test_of_eight_who_use_one_key_for_different_messages_one_is_heard_and_the_rest_are_told(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path, "bob")

    said = race(
        bus,
        ["ada"] * 8,
        """
try:
    say(["sent", bus.send("bob", f"from {os.getpid()}", key="k1").fresh])
except Refusal as refused:
    say([refused.code, refused.exit])
""",
    )

    assert sorted(map(repr, said)) == [repr(["key-conflict", 5])] * 7 + [repr(["sent", True])]
    assert len(ids(bus, "bob")) == 1


def test_a_key_is_an_id_and_not_a_text(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    bus.send("bob", "Hello", key="k" * KEY_CHARS)
    with refused(bus, "bad-arguments"):
        bus.send("bob", "Hello", key="k" * (KEY_CHARS + 1))


@pytest.mark.parametrize("key", ["ключ", 'a"b', "a\\b", "\0", "\u2028", "🔑", "key", '"key":"k1"'])
def test_any_text_can_be_a_key(tmp_path: Path, key: str) -> None:
    bus = bus_in(tmp_path, "bob")

    first = bus.send("bob", "Hello", key=key)
    again = bus.send("bob", "Hello", key=key)

    assert (first.fresh, again.fresh, again.message.id) == (True, False, first.message.id)
