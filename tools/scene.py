"""A bus in the middle of a working day, for the screenshots and the tests of the dashboard.

    python tools/scene.py FOLDER      create it there

Every event is appended to the log as in real life, with the times of a day that ends now.
"""

import random
import sys
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from palaver.api import Bus
from palaver.bus.mail.plain_send import mail_sent, stamp
from palaver.bus.writer import draft
from palaver.log.clock import letters, now
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.wiring import begin
from tools import scene_work

AGENTS = (
    ("lead", "lead", "plans, splits the work, decides"),
    ("parser", "workers", "owns the five grammars"),
    ("views", "workers", "owns inbox and board"),
    ("docs", "workers", "tutorial and reference"),
    ("qa", "qa", "tries to break it"),
    ("scout", "research", "reads what others built"),
)
PAIRS = (("ask", "answer"), ("assign", "ack"), ("deliver", "accept"), ("report", "ack"), ("claim", "approve"))
REMARKS = ("see the notes", "before noon", "as agreed", "small thing")
TALK = Path(__file__).with_suffix(".toml")


def make(folder: str, *, days: int = 6, seed: int = 7) -> Bus:
    """Make a bus with a day of talk, after some days of lighter traffic."""
    begin(folder, "you")
    bus = Bus(folder, agent="you")
    for name, role, about in AGENTS:
        bus.add_agent(name, role=role, about=about)
    now = datetime.now(UTC).replace(microsecond=0)
    said: list[Message] = []
    events = [*_before(now - timedelta(hours=8), days, random.Random(seed)), *scene_work.events(now)]
    for place, row in enumerate(tomllib.loads(TALK.read_text(encoding="utf-8"))["said"], start=1):
        at = now - timedelta(minutes=row["ago"])
        events.append((at, _sent(row, at, said)))
        if "read" in row:
            later = at + timedelta(minutes=row["read"], seconds=(place * 7) % 60)
            events += _read(said[-1], later, acknowledged=row.get("acknowledged", False))
    events.sort(key=lambda pair: pair[0])
    bus.session.log.append([event for _, event in events])
    bus.picture()
    return bus


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _dated(event: Draft, at: datetime) -> Draft:
    event.timestamp = _stamp(at)
    return event


def _sent(row: Mapping[str, Any], at: datetime, said: list[Message]) -> Draft:
    """Return the event of a message, and note the message for those that answer it."""
    message = Message(
        sender=row["from"],
        to=[row["to"]],
        act=row["act"],
        subject=row.get("subject", ""),
        body=row["body"],
        task=row.get("task", ""),
        priority="urgent" if row["act"] == "block" else "normal",
    )
    parent = row.get("answers", 0)
    cause = said[parent - 1] if parent else None
    if cause is not None:
        message = message.replace(reply_to=cause.id, thread=cause.thread, hops=cause.hops + 1)
    message = stamp(message, letters(), now())
    event = mail_sent(message, caused_by=cause.event_id if cause is not None else "")
    said.append(message)
    return _dated(event, at)


def _read(message: Message, at: datetime, *, acknowledged: bool) -> list[tuple[datetime, Draft]]:
    about = {"correlation_id": message.thread, "caused_by": message.event_id}
    events = []
    for reader in _readers(message):
        told: dict[str, object] = {"recipient": reader, "stage": "injected", "message_ids": [message.id]}
        told["chars"] = len(message.body)
        events.append((at, _dated(draft("mail.delivered", BUS, told, **about), at)))
        fields: dict[str, object] = {"message_ids": [message.id], "reader": reader, "read_at": _stamp(at)}
        events.append((at, _dated(draft("mail.read", reader, fields, **about), at)))
        if acknowledged:
            later = at + timedelta(seconds=20)
            taken: dict[str, object] = {"message_ids": [message.id], "by": reader}
            events.append((later, _dated(draft("mail.acknowledged", reader, taken, **about), later)))
    return events


def _readers(message: Message) -> list[str]:
    everyone = [name for name, _, _ in AGENTS if name != message.sender]
    return everyone if message.to == ["@all"] else message.to


def _before(until: datetime, days: int, chance: random.Random) -> list[tuple[datetime, Draft]]:
    """Return the days before: questions with answers, work handed in and taken."""
    names = [name for name, _, _ in AGENTS]
    events: list[tuple[datetime, Draft]] = []
    for place in range(days * 22):
        at = until - timedelta(minutes=chance.randrange(days * 24 * 60))
        first, second = chance.sample(names, 2)
        opening, closing = chance.choice(PAIRS)
        said: list[Message] = []
        words = f"{opening} {place}: {chance.choice(REMARKS)}"
        row: dict[str, Any] = {"from": first, "to": second, "act": opening, "body": words}
        events.append((at, _sent(row, at, said)))
        read = at + timedelta(seconds=int(chance.lognormvariate(4.5, 1.6)))
        events += _read(said[0], read, acknowledged=True)
        then = read + timedelta(seconds=int(chance.lognormvariate(5.5, 1.4)))
        row = {"from": second, "to": first, "act": closing, "body": "Done.", "answers": 1}
        events.append((then, _sent(row, then, said)))
        last = then + timedelta(seconds=int(chance.lognormvariate(4, 1.2)))
        events += _read(said[1], last, acknowledged=True)
    return [(at, event) for at, event in events if at < until]


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(make(sys.argv[1]).root.path)
