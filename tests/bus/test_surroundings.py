"""Whatever lies where a file of the bus was, every method answers or refuses, and none hangs."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from palaver import Bus, Message, Refusal
from tests.bus.scene import bodies, bus_in

PARTS = (
    "log",
    "view",
    "bell",
    "roster",
    "pulse",
    "view.lock",
    "log.lock",
    "config.toml",
    ".git",
    "quarantine",
)
KINDS = ("gone", "file", "folder", "fifo")
SEGMENT = "log/000000000001.jsonl"


def replaced(path: Path, kind: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if kind == "file":
        path.write_text("not what it was\n")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)


def calls(bus: Bus, message: Message) -> list[Callable[[], object]]:
    """Return a call of every method that touches the disk."""
    return [
        lambda: bus.send("bob", "x"),
        lambda: bus.send("bob", "x", key="k"),
        lambda: bus.send_many([Message(sender="ada", to=["bob"], body="x")]),
        lambda: bus.reply(message.id, "x", sender="bob"),
        lambda: bus.inbox("bob"),
        lambda: bus.read([message.id], agent="bob"),
        lambda: bus.ack([message.id], agent="bob"),
        lambda: bus.archive([message.id], agent="bob"),
        lambda: bus.withdraw(message.id),
        lambda: bus.wait(agent="ada", timeout=0),
        lambda: bus.wait_for(message.id, "injected", timeout=0),
        lambda: bus.thread(message.id),
        lambda: bus.search("word"),
        lambda: bus.event("1"),
        lambda: bus.event("evt-x"),
        lambda: bus.events(),
        lambda: list(bus.follow(0, timeout=0)),
        lambda: bus.agents(),
        lambda: bus.add_agent("carol"),
        lambda: bus.retire_agent("carol"),
        lambda: bus.set_list("crew", ["bob"]),
        lambda: bus.verify(),
        lambda: bus.quarantine(),
        lambda: bus.snapshot(),
        lambda: bus.redact(message.seq),
        lambda: bus.rebuild(),
        lambda: [check.plain() for check in bus.doctor()],
    ]


def assert_answers_or_refuses(bus: Bus, message: Message) -> None:
    for call in calls(bus, message):
        try:
            call()
        except Refusal as refused:
            assert_well_spoken(refused)


def assert_well_spoken(refused: Refusal) -> None:
    assert str(refused).isprintable()
    assert refused.code


def lived_in(folder: Path) -> tuple[Bus, Message]:
    bus = bus_in(folder, "bob")
    message = bus.send("bob", "a word").message
    bus.inbox("bob")
    bus.search("word")
    bus.snapshot()
    return bus, message


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        *((part, kind) for part in PARTS for kind in KINDS),
        *((SEGMENT, kind) for kind in KINDS),
    ],
)
def test_every_method_answers_or_refuses(tmp_path: Path, part: str, kind: str) -> None:
    bus, message = lived_in(tmp_path)
    path = Path(bus.root.path) / part

    replaced(path, kind)
    assert_answers_or_refuses(bus, message)

    replaced(path, kind)
    try:
        fresh = Bus(str(tmp_path), agent="ada")
    except Refusal as refused:
        assert_well_spoken(refused)
    else:
        assert_answers_or_refuses(fresh, message)


@pytest.mark.parametrize(
    "part", ["view", "bell", "roster", "pulse", "view.lock", "log.lock", ".git", "quarantine"]
)
def test_what_can_be_made_again_is_made_again_and_nothing_is_missed(tmp_path: Path, part: str) -> None:
    bus, _ = lived_in(tmp_path)

    replaced(Path(bus.root.path) / part, "gone")
    after = Bus(str(tmp_path), agent="ada")
    after.send("bob", "and another")

    assert bodies(after, "bob") == ["a word", "and another"]
    assert after.send("ghost", "x", allow_unknown=True).unknown
    assert [message.body for message in after.search("another")] == ["and another"]
    assert after.verify().good
