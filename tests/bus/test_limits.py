"""Bounds: one step beyond each is refused with a clear code, and nothing is written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from palaver import Bus, Message
from palaver.model import limits
from tests.bus.scene import bodies, bus_in, refused

Call = Callable[[Bus], object]
# What is tried at the bound, what one step beyond it, and the code of the refusal.
BOUNDS: dict[str, tuple[Call, Call, str]] = {
    "RECIPIENTS": (
        lambda bus: bus.send(["bob"] * limits.RECIPIENTS, "x"),
        lambda bus: bus.send(["bob"] * (limits.RECIPIENTS + 1), "x"),
        "too-large",
    ),
    "NAME_CHARS": (
        lambda bus: bus.add_agent("a" * limits.NAME_CHARS),
        lambda bus: bus.add_agent("a" * (limits.NAME_CHARS + 1)),
        "bad-name",
    ),
    "NAME_SEGMENTS": (
        lambda bus: bus.add_agent("/".join("a" * limits.NAME_SEGMENTS)),
        lambda bus: bus.add_agent("/".join("a" * (limits.NAME_SEGMENTS + 1))),
        "bad-name",
    ),
    "SUBJECT_CHARS": (
        lambda bus: bus.send("bob", "x", subject="s" * limits.SUBJECT_CHARS),
        lambda bus: bus.send("bob", "x", subject="s" * (limits.SUBJECT_CHARS + 1)),
        "too-large",
    ),
    "KEY_CHARS": (
        lambda bus: bus.send("bob", "x", key="k" * limits.KEY_CHARS),
        lambda bus: bus.send("bob", "x", key="k" * (limits.KEY_CHARS + 1)),
        "bad-arguments",
    ),
    "META_FIELDS": (
        lambda bus: bus.send("bob", "x", meta={f"f{n}": "v" for n in range(limits.META_FIELDS)}),
        lambda bus: bus.send("bob", "x", meta={f"f{n}": "v" for n in range(limits.META_FIELDS + 1)}),
        "too-large",
    ),
    "META_CHARS": (
        lambda bus: bus.send("bob", "x", meta={"f": "v" * (limits.META_CHARS - 1)}),
        lambda bus: bus.send("bob", "x", meta={"f": "v" * limits.META_CHARS}),
        "too-large",
    ),
    "META_CHARS inside": (
        lambda bus: bus.send("bob", "x", meta={"f": ["v" * 1_000] * 4}),
        lambda bus: bus.send("bob", "x", meta={"f": ["v" * 1_000] * 5}),
        "too-large",
    ),
    "DEPTH": (
        lambda bus: bus.send("bob", "x", meta={"f": nested(limits.DEPTH)}),
        lambda bus: bus.send("bob", "x", meta={"f": nested(limits.DEPTH + 1)}),
        "too-large",
    ),
    "FILES": (
        lambda bus: bus.send("bob", "x", files=[{"path": "p"}] * limits.FILES),
        lambda bus: bus.send("bob", "x", files=[{"path": "p"}] * limits.FILES, artifacts=["a"]),
        "too-large",
    ),
    "IDS": (
        lambda bus: bus.ack([bus.send("bob", "x").message.id] * limits.IDS, agent="bob"),
        lambda bus: bus.ack(["msg-x"] * (limits.IDS + 1), agent="bob"),
        "bad-arguments",
    ),
    "ROWS of an inbox": (
        lambda bus: bus.inbox("bob", limit=limits.ROWS),
        lambda bus: bus.inbox("bob", limit=limits.ROWS + 1),
        "bad-arguments",
    ),
    "ROWS of events": (
        lambda bus: bus.events(limit=limits.ROWS),
        lambda bus: bus.events(limit=limits.ROWS + 1),
        "bad-arguments",
    ),
    "ROWS of a search": (
        lambda bus: bus.search("x", limit=limits.ROWS),
        lambda bus: bus.search("x", limit=limits.ROWS + 1),
        "bad-arguments",
    ),
    "LINE_BYTES": (
        lambda bus: bus.send("bob", "x" * (limits.LINE_BYTES - 1_000)),
        lambda bus: bus.send("bob", "x" * limits.LINE_BYTES),
        "too-large",
    ),
    "LINE_BYTES of what was escaped": (
        lambda bus: bus.send("bob", "\u200b" * (limits.LINE_BYTES // 6 - 1_000)),
        lambda bus: bus.send("bob", "\u200b" * (limits.LINE_BYTES // 6)),
        "too-large",
    ),
    "LINE_BYTES of many": (
        lambda bus: bus.send_many([said("x"), said("y" * (limits.LINE_BYTES - 1_000))]),
        lambda bus: bus.send_many([said("x"), said("y" * limits.LINE_BYTES)]),
        "too-large",
    ),
    "LINE_BYTES of an agent": (
        lambda bus: bus.add_agent("carol", about="x" * 10_000),
        lambda bus: bus.add_agent("carol", about="x" * limits.LINE_BYTES),
        "too-large",
    ),
    "WAIT_SECONDS": (
        lambda bus: bus.wait_for(bus.send("bob", "x").message.id, "stored", timeout=limits.WAIT_SECONDS),
        lambda bus: bus.wait(agent="bob", timeout=limits.WAIT_SECONDS + 1),
        "bad-arguments",
    ),
}


def nested(depth: int) -> object:
    value: object = "v"
    for _ in range(depth - 1):
        value = [value]
    return value


def said(body: str) -> Message:
    return Message(sender="ada", to=["bob"], body=body)


@pytest.mark.parametrize("bound", BOUNDS)
def test_at_the_bound_it_works_and_one_step_beyond_it_is_refused(tmp_path: Path, bound: str) -> None:
    within, beyond, code = BOUNDS[bound]
    bus = bus_in(tmp_path, "bob")

    within(bus)
    with refused(bus, code) as caught:
        beyond(bus)

    assert caught.value.exit == 2
    assert caught.value.way_out


@pytest.mark.parametrize("timeout", [-1.0, float("nan"), float("inf"), 1e9])
def test_nobody_waits_for_ever(tmp_path: Path, timeout: float) -> None:
    bus = bus_in(tmp_path, "bob")
    message_id = bus.send("bob", "x").message.id

    with refused(bus, "bad-arguments"):
        bus.wait(agent="bob", timeout=timeout)
    with refused(bus, "bad-arguments"):
        bus.wait_for(message_id, "read", timeout=timeout)


@pytest.mark.parametrize("body", ["", " ", "\n\t ", "\u3000"])
def test_words_are_needed_where_the_act_does_not_speak_for_itself(tmp_path: Path, body: str) -> None:
    bus = bus_in(tmp_path, "bob")

    with refused(bus, "empty-body"):
        bus.send("bob", body)

    assert bus.send("bob", body, act="ack").fresh


@pytest.mark.parametrize(
    ("field", "value"), [("act", "shout"), ("act", ""), ("priority", "now"), ("priority", "URGENT")]
)
def test_acts_and_priorities_are_closed_lists(tmp_path: Path, field: str, value: str) -> None:
    bus = bus_in(tmp_path, "bob")

    with refused(bus, "bad-arguments") as caught:
        if field == "act":
            bus.send("bob", "x", act=value)
        else:
            bus.send("bob", "x", priority=value)

    assert caught.value.way_out


def test_of_many_messages_none_is_sent_if_one_is_refused(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    ghost = Message(sender="ada", to=["ghost"], body="unknown, so that all go the long way")

    for bad, code in (
        (Message(sender="ada", to=["bob"], body="sk-ant-" + "a" * 40), "secret"),
        (Message(sender="ada", to=["bob"], body=""), "empty-body"),
        (Message(sender="ada", to=["../x"], body="x"), "bad-name"),
        (Message(sender="palaver", to=["bob"], body="x"), "bad-name"),
        (Message(sender="", to=["bob"], body="x"), "bad-name"),
        (Message(sender="ada", to=[], body="x"), "bad-arguments"),
    ):
        with refused(bus, code):
            bus.send_many([ghost, bad])
        with refused(bus, code):
            bus.send_many([said("good"), bad])


def test_many_messages_are_sent_in_order_and_under_ids_of_their_own(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    received = bus.send("bob", "original").message

    sent = bus.send_many([Message(sender="ADA", to=["BOB"], body=f"m{n}") for n in range(5)])
    bus.send_many([received])

    assert [each.message.seq for each in sent] == list(range(sent[0].message.seq, sent[0].message.seq + 5))
    assert {each.message.sender for each in sent} == {"ada"}
    assert bodies(bus, "bob") == ["original", "m0", "m1", "m2", "m3", "m4", "original"]
    assert bus.send_many([]) == []


def test_one_message_cannot_be_sent_twice_in_one_call(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    message = said("Hello")

    with refused(bus, "bad-arguments"):
        bus.send_many([message, message])
