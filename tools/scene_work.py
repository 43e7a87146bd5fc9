"""The work of the scene: tasks as they are opened, claimed, delivered and reviewed, with their times.

One row per move: minutes ago, sender, recipient, act, task, text.
"""

from datetime import datetime, timedelta
from typing import Final

from palaver.bus.mail.plain_send import mail_sent, stamp
from palaver.bus.writer import draft
from palaver.log.clock import letters, now
from palaver.model.event import Draft
from palaver.model.message import Message

#: Minutes ago, owner, id, title, and further fields.
OPENED: Final[tuple[tuple[int, str, str, str, dict[str, object]], ...]] = (
    (413, "you", "release-0.2", "Release 0.2", {"kind": "epic", "priority": 1}),
    (401, "lead", "intake", "Streaming intake", {"priority": 1}),
    (399, "lead", "board", "Board over all dialects", {"priority": 1}),
    (396, "lead", "tutorial", "Tutorial: live files", {}),
    (380, "lead", "migration", "Migration from 0.1", {"needs": ["intake", "board"]}),
    (379, "you", "tag-0.2", "Tag 0.2", {"approval": True, "priority": 0}),
    (378, "you", "announce", "Announce 0.2", {"needs": ["tag-0.2", "tutorial"], "priority": 3}),
    (300, "lead", "phone", "Check every view at phone width", {}),
    (290, "lead", "changelog", "Changelog of 0.2", {"priority": 3}),
    (285, "lead", "power-cut", "Power-cut campaign, four hours", {"kind": "bug", "priority": 0}),
    (280, "lead", "api-page", "Reference of the API", {}),
    (110, "lead", "peers", "Compare cursors of six peers", {}),
)
#: Minutes ago, sender, recipient, act, task, text.
MOVED: Final[tuple[tuple[int, str, str, str, str, str], ...]] = (
    (200, "parser", "qa", "deliver", "intake", "First cut: it streams, and there is no cursor file."),
    (270, "qa", "lead", "claim", "power-cut", "Mine: I have the rig."),
    (262, "docs", "lead", "claim", "api-page", "I take the reference."),
    (255, "views", "lead", "claim", "api-page", "I could do it too."),
    (90, "docs", "lead", "report", "api-page", "Every call has its table; examples are next."),
    (75, "qa", "lead", "report", "power-cut", "Round 61 of 200: nothing lost so far."),
    (30, "lead", "you", "report", "release-0.2", "Two of five are in; the board waits for a decision."),
    (104, "lead", "scout", "assign", "peers", "You have read most of them already."),
)
#: What was done in the days before: id, title, who, minutes ago, and the minutes that each step took:
#: to the claim, to its approval (0: none was wanted), to the delivery, to the rework (0: none), to the end.
PAST: Final[tuple[tuple[str, str, str, int, tuple[int, int, int, int, int]], ...]] = (
    ("log", "The log: append, sync, verify", "parser", 7_600, (4, 2, 310, 0, 45)),
    ("views", "Views that come back the same", "views", 7_200, (9, 6, 420, 60, 80)),
    ("grammars", "Five grammars, read totally", "parser", 5_900, (3, 11, 600, 35, 120)),
    ("refusals", "Refusals name the way out", "docs", 5_300, (20, 25, 95, 0, 15)),
    ("rig", "A rig that cuts the power", "qa", 4_700, (2, 3, 260, 0, 30)),
    ("roles", "Roles, lists and @all", "views", 3_400, (15, 40, 180, 20, 50)),
    ("names", "Names that look alike", "scout", 2_600, (6, 0, 70, 0, 10)),
    ("hot-path", "A send in a few milliseconds", "parser", 2_100, (5, 90, 330, 90, 140)),
)


def events(now: datetime) -> list[tuple[datetime, Draft]]:
    """Return all of it, with its times."""
    found = [_opened(now - timedelta(minutes=row[0]), *row[1:]) for row in OPENED]
    for ago, *row in MOVED:
        found += _moved(now - timedelta(minutes=ago), row)
    for task, title, who, ago, steps in PAST:
        found += _past(now - timedelta(minutes=ago), task, title, who, steps)
    return [pair for pair in found if pair[0] < now]


def _opened(
    at: datetime, owner: str, task: str, title: str, more: dict[str, object]
) -> tuple[datetime, Draft]:
    data: dict[str, object] = {"task": task, "title": title, "lease": 0, **more}
    return at, _dated(draft("task.opened", owner, data), at)


def _moved(at: datetime, row: list[str]) -> list[tuple[datetime, Draft]]:
    """Return a message that moves a task; whoever is given one has not looked yet, others have."""
    who, to, act, task, words = row
    message = stamp(Message(sender=who, to=[to], act=act, task=task, body=words), letters(), now())
    found = [(at, _dated(mail_sent(message), at))]
    if act != "assign":
        seen = at + timedelta(minutes=2)
        data: dict[str, object] = {"message_ids": [message.id], "reader": to, "read_at": _stamp(seen)}
        found.append((seen, _dated(draft("mail.read", to, data, caused_by=message.event_id), seen)))
        taken: dict[str, object] = {"message_ids": [message.id], "by": to}
        found.append((seen, _dated(draft("mail.acknowledged", to, taken, caused_by=message.event_id), seen)))
    return found


def _past(
    at: datetime, task: str, title: str, who: str, steps: tuple[int, int, int, int, int]
) -> list[tuple[datetime, Draft]]:
    claim, approval, deliver, rework, end = steps
    found = [_opened(at, "lead", task, title, {"approval": bool(approval)})]

    def step(minutes: int, sender: str, act: str, words: str) -> None:
        nonlocal at
        at += timedelta(minutes=minutes)
        found.extend(_moved(at, [sender, "lead" if sender == who else who, act, task, words]))

    step(claim, who, "claim", "I take it.")
    if approval:
        step(approval, "lead", "approve", "Go.")
    step(deliver, who, "deliver", "All of it, with its tests.")
    if rework:
        step(rework, "lead", "rework", "One case is missing.")
        step(rework, who, "ack", "Again.")
        step(rework, who, "deliver", "The missing case is there.")
    step(end, "lead", "accept", "Merged.")
    return found


def _dated(event: Draft, at: datetime) -> Draft:
    event.timestamp = _stamp(at)
    return event


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
