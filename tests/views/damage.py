"""A bus with something in everything, what it answers, and how to harm its view."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from palaver import Bus
from tests.bus.scene import bus_in
from tests.views.dumps import view_path

AGENTS = ("ada", "bob", "carol")


class Answers(NamedTuple):
    """What a bus says when it is asked for everything."""

    mail: dict[str, list[tuple[str, str]]]
    stages: dict[str, list[tuple[str, bool]]]
    agents: list[str]
    lists: dict[str, list[str]]
    # Mail that is no longer open: a flipped bit may show it again.
    closed: frozenset[tuple[str, str]]


def busy_bus(folder: Path, messages: int = 40) -> Bus:
    """Make a bus where mail of every kind has come every far."""
    bus = bus_in(folder, "bob", "carol")
    bus.set_list("crew", ["bob", "carol"])
    for number in range(messages):
        to = ("bob", "crew", "@all", "ghost")[number % 4]
        priority = ("urgent", "normal", "low")[number % 3]
        message = bus.send(
            to,
            f"message {number}",
            subject=f"subject {number}",
            priority=priority,
            allow_unknown=to == "ghost",
        ).message
        if number % 4 < 3 and number % 5 == 0:
            bus.read([message.id], agent="bob")
        if number % 4 < 3 and number % 7 == 0:
            bus.ack([message.id], agent="bob")
        if number % 4 in (1, 2) and number % 6 == 1:
            bus.reply(message.id, f"reply {number}", sender="carol")
    return bus


def answers(bus: Bus) -> Answers:
    """Ask for everything."""
    listings = {agent: bus.inbox(agent, limit=1_000) for agent in AGENTS}
    everything = {agent: bus.inbox(agent, scope="all", limit=1_000) for agent in AGENTS}
    return Answers(
        mail={
            agent: [(mail.message.id, mail.message.body) for mail in each.mail]
            for agent, each in listings.items()
        },
        stages={
            agent: [(mail.delivery.stage, mail.delivery.redelivered) for mail in each.mail]
            for agent, each in listings.items()
        },
        agents=[agent.id for agent in bus.agents()],
        lists=bus.lists(),
        closed=frozenset(
            (mail.message.id, mail.message.body) for each in everything.values() for mail in each.mail
        ),
    )


def settled(bus: Bus) -> Path:
    """Bring all of the view into its one file, and return that."""
    bus.inbox("ada")
    path = view_path(bus)
    db = sqlite3.connect(path)
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    return path


def flipped(content: bytes, place: int) -> bytes:
    """Return bytes with one bit turned over."""
    changed = bytearray(content)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)
