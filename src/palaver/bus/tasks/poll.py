"""One poll in an office: a worker or a lead asks what is new and what to do next.

An office counts polls. A worker that has waited for an approval for three of them is told to release its
claim; a worker that was silent for three polls of the lead should lose its task. Items are in the order of
the office's handbook, each with the command that does it.
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
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.wait_list import list_waits
from palaver.model.event import Event
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views.agents import polls
from palaver.views.agents.policy import Policy
from palaver.views.tasks.board import Card
from palaver.views.tasks.move_check import Judge

Lead = Annotated[bool, Meta(description="as the lead: claims, approvals, deliveries, questions")]
# How many polls a claim waits for its approval, and a silent worker keeps its task.
PATIENCE = 3


@dataclass(frozen=True, slots=True)
class PollItem(PlainFields):
    """One thing to do, or to know."""

    part: str
    words: str
    command: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class PollResult(PlainFields):
    """What is new for an agent, and what it should do."""

    agent: str
    news: list[Mail]
    items: list[PollItem]
    lead: bool


@operation(writes)
def poll(session: Session, agent: Speaker = "", *, lead: Lead = False, key: Key = "") -> PollResult:
    """Return what is new for a worker or a lead, and what to do next."""
    agent = session.speaker(agent)
    items = _lead_items(session, agent, key) if lead else _worker_items(session, agent, key)
    news: list[Mail] = []
    if session.view.current().execute("select 1 from agent where id = ?", (agent,)):
        news = mailbox.list_inbox(session, agent, scope="unread").mail
    return PollResult(agent, news, items, lead=lead)


def _worker_items(session: Session, agent: str, key: str) -> list[PollItem]:
    mine = moves.list_tasks(session, states=moves.AT_WORK, holder=agent)
    keys.append(session, draft("agent.polled", agent, {"agent": agent}, key=key))
    _heartbeat(session, agent, mine, key and f"{key}/report")
    db = session.view.current()
    items = [_own(card, polls.since(db, agent, card.task.seq)) for card in mine]
    return items or _claimable(session, agent)


def _lead_items(session: Session, agent: str, key: str) -> list[PollItem]:
    """Return what has come in, in the order in which a lead should deal with it."""
    cards = moves.list_tasks(session)
    before = polls.last(session.view.current(), agent, lead=True)
    keys.append(session, draft("agent.polled", agent, {"agent": agent, "lead": True}, key=key))
    return [
        *_without_effect(session, before, claims=True),
        *_to_judge(cards, "claimed", "approvals", "approve", "{0.holder} wants {0.id}"),
        *_to_judge(cards, "delivered", "deliveries", "accept", "{0.holder} delivered {0.id}: {0.result}"),
        *_to_judge(cards, "checking", "deliveries", "accept", "{0.holder} delivered {0.id}: {0.result}"),
        *_questions(session, agent),
        *_silent(session, agent, cards),
        *_anomalies(session, cards),
        *_without_effect(session, before, claims=False),
        *_ready(cards),
    ]


# --- the worker ---


def _heartbeat(session: Session, agent: str, mine: list[Card], key: str) -> None:
    """Report to the leads that the worker is alive, and its state; that also renews its lease."""
    if key and keys.find(session, agent, key):
        # Its state may have changed since; it reported with this poll all the same.
        return
    policy = Policy(session.view.roster())
    leads = sorted((policy.leads() | policy.heads(agent)) - {agent})
    states = [(card.task.state, card.task.id, card.task.owner) for card in mine[:1]]
    for state, task, owner in states or [("idle", "", "")]:
        to = leads or [owner] * (owner not in ("", agent))
        if to:
            word = {"claimed": "waiting", "blocked": "blocked", "idle": "waiting"}.get(state, "working")
            body = f"{word} {task}".strip()
            message = Message(sender=agent, to=to, act="report", task=task, body=body, meta={"status": word})
            send.send(session, message, key=key)


def _own(card: Card, waited: int) -> PollItem:
    """Return what to do with a task that the agent holds."""
    task = card.task
    deliver = f"palaver task deliver {task.id} -m RESULT"
    start = f"palaver task start {task.id}"
    advice = {
        "assigned": (f"{task.id} is given to you: take it", start),
        "handed": (f"{task.giver} hands {task.id} to you: take it", start),
        "claimed": (f"your claim of {task.id} waits for approval, poll {waited} of {PATIENCE}", ""),
        "working": (f"{task.id} is yours: go on, then deliver", deliver),
        "blocked": (f"{task.id} is blocked: {task.reason}", f"palaver task unblock {task.id}"),
        "rework": (f"{task.id} is to be done again: {task.reason}", deliver),
    }
    words, command = advice[task.state]
    if task.state == "claimed" and waited >= PATIENCE:
        words = f"nobody approved your claim of {task.id} in {PATIENCE} polls: let it go and claim another"
        command = f"palaver task release {task.id}"
    return PollItem("mine", words, command, task.id)


def _claimable(session: Session, agent: str) -> list[PollItem]:
    judge = Judge(session.view.current(), session.view.roster())
    found = []
    for card in moves.list_tasks(session, ready=True):
        data: dict[str, object] = {"act": "claim", "from": agent, "to": []}
        if not judge.check(card.task, Event({"actor": agent, "data": data})).why:
            words = f"{card.task.id} can be claimed: {card.task.title}"
            found.append(PollItem("claim", words, f"palaver task claim {card.task.id}", card.task.id))
    return found or [PollItem("wait", "there is nothing that you can claim now")]


# --- the lead ---


def _without_effect(session: Session, before: int, *, claims: bool) -> list[PollItem]:
    """Return the moves since the last poll that had no effect: claims that came second, or violations."""
    rows = session.view.current().execute(
        "select task, actor, act, why from task_move where seq > ? and why <> '' and actor <> ? order by seq",
        (before, BUS),
    )
    part = "conflicts" if claims else "violations"
    return [
        PollItem(part, f"{actor}: {act} {task} had no effect: {why}", f"palaver task show {task}", task)
        for task, actor, act, why in rows
        if (act in ("claim", "ack")) == claims
    ]


def _to_judge(cards: list[Card], state: str, part: str, act: str, words: str) -> list[PollItem]:
    tasks = [card.task for card in cards if card.task.state == state]
    return [PollItem(part, words.format(task), f"palaver task {act} {task.id}", task.id) for task in tasks]


def _questions(session: Session, agent: str) -> list[PollItem]:
    return [
        PollItem(
            "questions",
            f"{wait.waiter} asks: {wait.gist}",
            f"palaver reply {wait.message} -m ANSWER",
            wait.task,
        )
        for wait in list_waits(session).waits
        if wait.kind == "ask" and agent in wait.movers
    ]


def _silent(session: Session, lead: str, cards: list[Card]) -> list[PollItem]:
    """Return the workers that have work and were silent for several polls of the lead."""
    db, roster = session.view.current(), session.view.roster()
    found = []
    for card in cards:
        holder = roster.agents.get(card.task.holder)
        if holder is None or holder.id == lead or card.task.state not in ("working", "rework", "assigned"):
            continue
        heard = max(holder.seq, card.task.seq, polls.last(db, holder.id))
        missed = polls.since(db, lead, heard, lead=True)
        if missed >= PATIENCE:
            words = f"{holder.id} was silent for {missed} polls: take {card.task.id} back"
            found.append(PollItem("idle", words, f"palaver task release {card.task.id}", card.task.id))
        elif missed > 1:
            words = f"{holder.id} was silent for {missed} polls: wake it"
            found.append(PollItem("idle", words, f"palaver send {holder.id} --act nudge", card.task.id))
    return found


def _anomalies(session: Session, cards: list[Card]) -> list[PollItem]:
    found = [
        PollItem("anomalies", f"they wait for each other: {' → '.join(cycle)}", "palaver waiting")
        for cycle in list_waits(session).cycles
    ]
    for card in cards:
        dead = [needed for needed, state in card.needs.items() if state in ("", "cancelled")]
        if card.task.state == "open" and dead:
            words = f"{card.task.id} can never be ready: {', '.join(dead)} is cancelled or unknown"
            command = f"palaver task change {card.task.id} --needs-not {dead[0]}"
            found.append(PollItem("anomalies", words, command, card.task.id))
    return found


def _ready(cards: list[Card]) -> list[PollItem]:
    names = [card.task.id for card in cards if card.ready]
    return [PollItem("announce", f"ready: {', '.join(names)}")] if names else []
