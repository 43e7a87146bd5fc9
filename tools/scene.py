"""A bus in the middle of a working day: what the screenshots show, and what the page's tests look at.

    python tools/scene.py FOLDER      make it there

Everything is written through the log as it would have been, with the times of a day that ends now.
"""

import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from palaver.bus.api import Bus
from palaver.bus.desk import draft
from palaver.bus.sending import mail_sent
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.wiring import begin, open_bus

AGENTS = (
    ("lead", "lead", "plans, splits the work, decides"),
    ("parser", "workers", "owns the five grammars"),
    ("views", "workers", "owns inbox and board"),
    ("docs", "workers", "tutorial and reference"),
    ("qa", "qa", "tries to break it"),
    ("scout", "research", "reads what others built"),
)
# Minutes ago, who, to whom, act, subject, words, task, which one it answers (by its place in this list).
TALK: tuple[tuple[float, str, str, str, str, str, str, int], ...] = (
    (412, "you", "lead", "assign", "Release 0.2", "Get the dashboard and the live files out this week.", "release-0.2", 0),
    (405, "lead", "you", "ack", "", "Mine. I split it into four.", "release-0.2", 1),
    (400, "lead", "parser", "assign", "Streaming intake", "Read a growing chat.log without re-reading what was read. "
     "The cursor is the log itself.\n\nDone when a torn last line costs nothing.", "intake", 0),
    (398, "lead", "views", "assign", "Board over all dialects", "One kanban for tasks of every team.", "board", 0),
    (395, "lead", "docs", "assign", "Tutorial: live files", "Start from an empty folder, end with two agents that talk.",
     "tutorial", 0),
    (390, "parser", "lead", "claim", "", "I take intake.", "intake", 3),
    (388, "lead", "parser", "approve", "", "Go.", "intake", 6),
    (371, "scout", "@all", "report", "How peers keep cursors", "Four of six keep a cursor file, and all four have an open "
     "bug about it. Notes: https://example.org/cursors", "", 0),
    (340, "views", "parser", "ask", "Ids of office tasks", "Is `task-1` the same as `task-001`? The board shows both.",
     "board", 0),
    (331, "parser", "views", "answer", "Re: Ids of office tasks", "Yes. The number counts, not how it is written.",
     "board", 9),
    (240, "parser", "lead", "report", "", "Half of it stands; 300 of 512 cases are green.", "intake", 0),
    (182, "qa", "parser", "rework", "Torn tail after CRLF", "Cut the file between \\r and \\n, then append:\n\n"
     "    printf 'a\\r' >> chat.log; sleep 3; printf '\\nb\\n' >> chat.log\n\nThe second line is taken twice.", "intake", 0),
    (150, "parser", "qa", "answer", "Re: Torn tail after CRLF", "Good catch. A lone \\r now waits like any unfinished line.",
     "intake", 12),
    (121, "docs", "lead", "deliver", "Tutorial is ready", "It runs as a test now, every block of it.", "tutorial", 5),
    (96, "lead", "docs", "accept", "", "Merged. Thank you!", "tutorial", 14),
    (64, "views", "lead", "block", "Board needs a decision", "Two claims in the same second: show the loser, or hide it?",
     "board", 4),
    (41, "scout", "lead", "inform", "Queue depths", "Nothing new since noon.", "", 0),
    (33, "parser", "qa", "deliver", "Intake, second try", "All 512 cases; the torn tail is case 513.", "intake", 12),
    (21, "qa", "you", "ask", "May I use the big machine tonight?", "The power-cut campaign wants four hours of a quiet disk.",
     "", 0),
    (12, "lead", "you", "claim", "Tag 0.2 on Friday", "All green by then, if the board is decided today.", "release-0.2", 1),
    (7, "docs", "reviewers", "ask", "Who reads the upgrade notes?", "Ten minutes, before Friday.", "", 0),
    (3, "parser", "@all", "inform", "Heads-up", "I rename `cursor` to `place` in ten minutes.", "", 0),
    (1, "scout", "lead", "report", "", "Two more peers read; both keep offsets in the log, as we do.", "", 0),
)  # fmt: skip
# Which of these were read, and after how many minutes; and acknowledged.
READ = {1: 2, 2: 1, 3: 3, 4: 6, 5: 2, 6: 1, 7: 1, 8: 9, 9: 4, 10: 2, 11: 15, 12: 9, 13: 12, 14: 8, 15: 3, 16: 20, 17: 5}
ACKNOWLEDGED = (3, 4, 5, 8, 11, 13, 15, 17)


def make(folder: str, *, days: int = 6, seed: int = 7) -> Bus:
    """Make a bus with a day of talk, after some days of lighter traffic."""
    begin(folder, "you")
    bus = open_bus(folder, agent="you")
    for name, role, about in AGENTS:
        bus.add_agent(name, role=role, about=about)
    now = datetime.now(UTC).replace(microsecond=0)
    _before(bus, now - timedelta(hours=8), days, random.Random(seed))
    said: list[Message] = []
    events: list[tuple[datetime, Draft]] = []
    for place, row in enumerate(TALK, start=1):
        at = now - timedelta(minutes=row[0])
        events.append((at, _sent(row, at, said)))
        if place in READ:
            later = at + timedelta(minutes=READ[place], seconds=(place * 7) % 60)
            events += _read(said[-1], later, acknowledged=place in ACKNOWLEDGED)
    events.sort(key=lambda pair: pair[0])
    bus.log.append([event for _, event in events])
    bus.picture()
    return bus


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _dated(event: Draft, at: datetime) -> Draft:
    event.timestamp = _stamp(at)
    return event


def _sent(row: Sequence[object], at: datetime, said: list[Message]) -> Draft:
    _, sender, to, act, subject, body, task, parent = row
    assert isinstance(parent, int)
    message = Message(
        sender=str(sender),
        to=[str(to)],
        act=str(act),
        subject=str(subject),
        body=str(body),
        task=str(task),
        priority="urgent" if act == "block" else "normal",
    )
    cause = said[parent - 1] if parent else None
    if cause is not None:
        message.reply_to, message.thread, message.hops = cause.id, cause.thread, cause.hops + 1
    event = mail_sent(message, caused_by=cause.event_id if cause is not None else "")
    said.append(message)
    return _dated(event, at)


def _read(message: Message, at: datetime, *, acknowledged: bool) -> list[tuple[datetime, Draft]]:
    about = {"correlation_id": message.thread, "caused_by": message.event_id}
    events = []
    for reader in _readers(message):
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


def _before(bus: Bus, until: datetime, days: int, chance: random.Random) -> None:
    """Write the days before: questions with answers, work handed in and taken."""
    names = [name for name, _, _ in AGENTS]
    pairs = (("ask", "answer"), ("assign", "ack"), ("deliver", "accept"), ("report", "ack"), ("claim", "approve"))
    events: list[tuple[datetime, Draft]] = []
    for place in range(days * 22):
        at = until - timedelta(minutes=chance.randrange(days * 24 * 60))
        first, second = chance.sample(names, 2)
        opening, closing = chance.choice(pairs)
        said: list[Message] = []
        task = chance.choice(("release-0.1", "intake", "board", ""))
        words = f"{opening} {place}: {chance.choice(('see the notes', 'before noon', 'as agreed', 'small thing'))}"
        events.append((at, _sent((0, first, second, opening, "", words, task, 0), at, said)))
        read = at + timedelta(seconds=int(chance.lognormvariate(4.5, 1.6)))
        events += _read(said[0], read, acknowledged=True)
        then = read + timedelta(seconds=int(chance.lognormvariate(5.5, 1.4)))
        events.append((then, _sent((0, second, first, closing, "", "Done." if closing != "answer" else "Yes.", task, 1), then, said)))
        events += _read(said[1], then + timedelta(seconds=int(chance.lognormvariate(4, 1.2))), acknowledged=True)
    events.sort(key=lambda pair: pair[0])
    bus.log.append([event for at, event in events if at < until])


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(make(sys.argv[1]).root.path)
