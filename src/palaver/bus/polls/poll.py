"""One poll in an office: a worker or a lead asks what is new and what to do next.

An office counts polls. A worker that has waited for an approval for three of them is told to release its
claim; a worker that was silent for three polls of the lead should lose its task. Items are in the order of
the office's handbook, each with the line or the command that does it. What one poll has told as news the
next one does not repeat, and what is settled is no news. A poll without power only shows the news: nothing is
recorded, so the next one shows them again.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.mail import mailbox, send
from palaver.bus.mail.mailbox import Mail
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key, Speaker
from palaver.bus.operations.operation import operation, writes
from palaver.bus.operations.result import PlainFields
from palaver.bus.polls.home_files import HomeFiles, home_files
from palaver.bus.polls.lead_items import lead_items
from palaver.bus.polls.poll_item import PollItem
from palaver.bus.polls.worker_items import worker_items
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.model.event import Event
from palaver.model.message import Message
from palaver.model.task import AT_WORK, TASK_ACTS
from palaver.views.agents import polls
from palaver.views.agents.policy import Policy
from palaver.views.query import Query
from palaver.views.supervision.activity import is_stopped
from palaver.views.tasks import board
from palaver.views.tasks.board import Card
from palaver.views.tasks.move_check import MISFILED

Lead = Annotated[bool, Meta(description="as the lead: claims, approvals, deliveries, questions")]


@dataclass(frozen=True, slots=True)
class PollResult(PlainFields):
    """What is new for an agent, and what it should do."""

    agent: str
    news: list[Mail]
    items: list[PollItem]
    lead: bool
    #: The news as the files of the agent have them; empty where they have none.
    lines: list[str]


@operation(writes)
def poll(session: Session, agent: Speaker = "", *, lead: Lead = False, key: Key = "") -> PollResult:
    """Return what is new for a worker or a lead, and what to do next."""
    agent = session.speaker(agent)
    moves.refuse_nobody(session.view.current().roster(), agent)
    cards = moves.list_tasks(session) if lead else moves.list_tasks(session, states=AT_WORK, holder=agent)
    data: dict[str, object] = {"agent": agent, **({"lead": True} if lead else {})}
    files = home_files(session.view.roster(), agent)
    polled = polls.LAST
    if _has_power(session, agent):
        polled = keys.append(session, draft("agent.polled", agent, data, key=key)).seq
        if not lead:
            _heartbeat(session, files, cards, key and f"{key}/report")
    db = session.view.current()
    before = polls.last(db, agent, lead=lead, before=polled)
    items = lead_items(session, files, cards, before) if lead else worker_items(session, files, cards)
    arrived = mailbox.arrived_mail(session, agent, after=before, until=polled)
    news = _news([each for each in arrived if not _is_misfiled(db, each.message)], lead=lead)
    return PollResult(agent, news, items, lead, [files.news(mail.message) for mail in news])


def _has_power(session: Session, agent: str) -> bool:
    """Return True if a poll in this name counts; note why not."""
    event = Event({"actor": agent, "auth": session.proof(agent), "inside": session.inside, "data": {}})
    why = Policy(session.view.roster()).powerless("poll", event)
    if why:
        session.view.note(f"this poll does not count: {why}")
    return not why


def _news(mail: list[Mail], *, lead: bool) -> list[Mail]:
    """Return the mail that tells something new: not what the items say, and of a task the last move only."""
    last = {each.message.task: each for each in mail if _is_move(each.message)}
    if lead:
        # Moves, questions and signs of life are items, or settled.
        return [
            each
            for each in mail
            if not (_is_move(each.message) or each.message.act == "ask" or _is_heartbeat(each.message))
        ]
    return [each for each in mail if not _is_move(each.message) or last[each.message.task] is each]


def _is_move(message: Message) -> bool:
    return message.task != "" and message.act in TASK_ACTS


def _is_misfiled(db: Query, message: Message) -> bool:
    """Return True if a message is in the file of another agent, and so moves no task: a notice says so."""
    tried = board.attempt(db, message.seq) if _is_move(message) else None
    return tried is not None and tried.why == MISFILED


def _is_heartbeat(message: Message) -> bool:
    return message.act == "report" and "status" in message.meta


def _heartbeat(session: Session, files: HomeFiles, mine: list[Card], key: str) -> None:
    """Report to the leads that the worker is alive, and its state; that also renews its lease."""
    agent = files.agent
    if key and keys.find(session, agent, key):
        # Its state may have changed since; it reported with this poll all the same.
        return
    if is_stopped(session.view.current(), agent):
        return
    policy = Policy(session.view.roster())
    leads = sorted((policy.leads() | policy.heads(agent)) - {agent})
    states = [(card.task.state, card.task.id, card.task.owner) for card in mine[:1]]
    for state, task, owner in states or [("idle", "", "")]:
        to = leads or [owner] * (owner not in ("", agent))
        if to:
            word = {"claimed": "waiting", "blocked": "blocked", "idle": "waiting"}.get(state, "working")
            body = f"{word} {'for' if word == 'waiting' else 'on'} {files.called(task) if task else 'a task'}"
            message = Message(sender=agent, to=to, act="report", task=task, body=body, meta={"status": word})
            send.send(session, message, key=key, allow_unknown=True)
