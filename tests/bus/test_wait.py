"""Waiting: woken by whoever writes, by every address that means the one who waits."""

import os
from pathlib import Path

import pytest

from palaver import Bus, Refusal
from palaver.log.lock import Lock
from palaver.model.message import STAGES
from tests.bus.scene import Other, bus_in, other, refused, stage
from tests.patience import PATIENCE

ADDRESSES = (
    "team/bob", "TEAM/BOB", "bob", "@bob", "qa", "@qa", "crew", "inner", "boss", "@boss", "team", "@all",
)  # fmt: skip
WAITING = """
listing = bus.wait(timeout=40)
say([mail.message.body for mail in listing.mail])
"""


def crew(folder: Path) -> Bus:
    """Make a bus where bob can be written to in every way."""
    bus = bus_in(folder, "carol")
    bus.add_agent("team/bob", handle="@qa")
    bus.set_list("crew", ["inner", "carol"])
    bus.set_list("inner", ["team/bob"])
    config = Path(bus.root.config)
    config.write_text(config.read_text().replace("[alias]", '[alias]\nboss = "team/bob"'))
    bus.agents()
    return bus


@pytest.mark.on_disk("other processes use the log")
@pytest.mark.parametrize("address", ADDRESSES)
def test_who_waits_is_woken_by_every_address_that_means_him(tmp_path: Path, address: str) -> None:
    bus = crew(tmp_path)
    with other(bus, "team/bob", WAITING) as waiter:
        waiter.go()

        bus.send(address, f"by {address}")

        assert waiter.heard() == [f"by {address}"]


def test_each_address_rings_a_bell_that_he_has_hung_and_no_other_does(tmp_path: Path) -> None:
    bus = crew(tmp_path)
    bus.inbox("carol")
    hung = [Path(path) for path in bus.session.wakeups.hang(bus.session.view.roster().bells("team/bob"))]

    def rung(address: str) -> bool:
        for path in hung:
            os.utime(path, (0, 0))
        bus.send(address, "Hello", allow_unknown=True)
        return any(path.stat().st_mtime for path in hung)

    assert [address for address in ADDRESSES if not rung(address)] == []
    assert [address for address in ("carol", "@carol", "ada", "ghost") if rung(address)] == []


def test_mail_that_is_there_already_is_given_at_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = bus.send("bob", "Hello").message.id

    listing = bus.wait(agent="bob", timeout=0)

    assert [mail.message.id for mail in listing.mail] == [sent]
    assert stage(bus, sent, "bob") == "notified"
    assert len(bus.events(event_type="mail.delivered")) == 1
    bus.wait(agent="bob", timeout=0)
    assert len(bus.events(event_type="mail.delivered")) == 1


def test_where_no_mail_comes_the_wait_ends_with_a_refusal(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("ada", "not for bob", sender="ada")

    with refused(bus, "timeout") as caught:
        bus.wait(agent="bob", timeout=0.05)

    assert caught.value.exit == 1


@pytest.mark.on_disk("other processes use the log")
def test_mail_for_others_does_not_end_the_wait(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    with other(bus, "bob", WAITING) as waiter:
        waiter.go()
        for number in range(20):
            bus.send("carol", f"not for bob {number}")
        bus.send("bob", "for bob")

        assert waiter.heard() == ["for bob"]


@pytest.mark.on_disk("other processes use the log")
def test_many_who_wait_are_all_woken(tmp_path: Path) -> None:
    names = [f"slot{number}" for number in range(10)]
    bus = bus_in(tmp_path, *names)
    waiters = [Other(bus, name, WAITING) for name in names]
    try:
        for waiter in waiters:
            waiter.go()

        bus.send("@all", "everyone")

        assert [waiter.heard() for waiter in waiters] == [["everyone"]] * 10
    finally:
        for waiter in waiters:
            waiter.kill()


@pytest.mark.on_disk("other processes use the log")
def test_mail_that_comes_while_the_view_is_busy_is_not_slept_through(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    lock = Lock(bus.root.view_lock)
    with other(bus, "bob", "say('waiting')\n" + WAITING) as waiter:
        waiter.go()
        assert waiter.heard() == "waiting"
        assert lock.acquire(PATIENCE)
        bus.send("bob", "the only one")
        # Longer than a waiter waits for its turn: it has looked by now, into a view that is behind.
        with pytest.raises(Refusal):
            bus.wait(agent="ada", timeout=0.8)
        lock.release()

        assert waiter.heard() == ["the only one"]


def test_an_agent_that_nobody_knows_cannot_wait(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    with refused(bus, "not-found"):
        bus.wait(agent="nobody", timeout=0)


@pytest.mark.on_disk("other processes use the log")
@pytest.mark.parametrize(
    ("wanted", "steps"),
    [
        ("stored", ""),
        ("notified", "bus.wait(timeout=0)"),
        ("injected", ""),
        ("read", "bus.read([words[0]])"),
        ("acknowledged", "bus.ack([words[0]])"),
        ("answered", "bus.reply(words[0], 'Yes')"),
    ],
)
def test_a_sender_can_wait_for_every_stage(tmp_path: Path, wanted: str, steps: str) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id
    if wanted == "injected":
        # Whoever puts mail before an agent's own eyes says so in the same words.
        steps = (
            "from palaver.bus.session import draft\n"
            "bus.session.log.append([draft('mail.delivered', 'palaver', "
            "{'recipient': 'bob', 'stage': 'injected', 'message_ids': words, 'chars': 5})])"
        )
    with other(bus, "bob", steps + "\nsay('done')", message_id) as reader:
        reader.go()

        bus.wait_for(message_id, wanted, timeout=40)

        assert reader.heard() == "done"
    assert STAGES.index(stage(bus, message_id, "bob")) >= STAGES.index(wanted)
    bus.wait_for(message_id, wanted, timeout=0)


def test_a_stage_is_reached_when_all_have_reached_it(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    message_id = bus.send(["bob", "carol"], "Hello").message.id
    bus.read([message_id], agent="bob")

    with refused(bus, "timeout") as caught:
        bus.wait_for(message_id, "read", timeout=0.05)
    assert "carol" in str(caught.value)
    assert "bob" not in str(caught.value)

    bus.ack([message_id], agent="carol")
    bus.wait_for(message_id, "read", timeout=0)


def test_of_a_role_one_is_enough_and_what_was_withdrawn_is_not_waited_for(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "team/bob", "team/carol")
    taken = bus.send("team", "Who?").message.id
    bus.ack([taken], agent="team/bob")
    gone = bus.send("team/bob", "Never mind").message.id
    bus.withdraw(gone)

    bus.wait_for(taken, "acknowledged", timeout=0)
    bus.wait_for(gone, "read", timeout=0)


def test_nobody_waits_for_mail_that_reached_nobody(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)
    message_id = bus.send("ghost", "Hello", allow_unknown=True).message.id

    with refused(bus, "not-found") as caught:
        bus.wait_for(message_id, "read", timeout=5)

    assert "palaver resend" in str(caught.value)


@pytest.mark.parametrize("wanted", ["", "seen", "READ", "withdrawn"])
def test_there_are_no_other_stages(tmp_path: Path, wanted: str) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "Hello").message.id

    with refused(bus, "bad-arguments"):
        bus.wait_for(message_id, wanted, timeout=0)


@pytest.mark.on_disk("other processes use the log")
def test_events_can_be_followed_as_they_come(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    following = "for event in bus.follow(int(words[0]), timeout=40): say([event.seq, event.event_type])"
    with other(bus, "bob", following, str(bus.session.log.last_seq())) as follower:
        follower.go()
        first = bus.send("bob", "one").message
        bus.read([first.id], agent="bob")

        assert [follower.heard() for _ in range(2)] == [
            [first.seq, "mail.sent"],
            [first.seq + 1, "mail.read"],
        ]
