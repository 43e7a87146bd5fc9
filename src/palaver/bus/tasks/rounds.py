"""One round: a worker or a lead looks, and is told what is new and what to do next.

The office's clock counts rounds. A worker who waits for an approval for three of them is told to let go; who
is not heard of during three rounds of the lead is to be taken off his work. What there is to do comes in the
order of the office's handbook, each with the command that does it.
"""

from dataclasses import dataclass

from palaver.bus.mail import mailbox, send
from palaver.bus.mail.mailbox import Mail
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.wait_list import list_waits
from palaver.model.event import Event
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views.agents import polls
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.tasks.board import Card
from palaver.views.tasks.move_check import Judge

# How many rounds a claim waits for its approval, and a silent worker keeps his work.
PATIENCE = 3


@dataclass(frozen=True, slots=True)
class RoundItem:
    """One thing to do, or to know."""

    part: str
    words: str
    command: str = ""
    task: str = ""

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Round:
    """What somebody is told who looks."""

    agent: str
    news: list[Mail]
    items: list[RoundItem]
    lead: bool

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "agent": self.agent,
            "lead": self.lead,
            "news": [mail.plain() for mail in self.news],
            "items": [item.plain() for item in self.items],
        }


def worker_round(session: Session, agent: str, *, key: str = "") -> Round:
    """Tell a worker what is new and what to do next; that he looked is recorded, and his lead hears it."""
    mine = moves.list_tasks(session, states=moves.AT_WORK, holder=agent)
    keys.append(session, draft("agent.polled", agent, {"agent": agent}, key=key))
    _heartbeat(session, agent, mine)
    db = session.view.current()
    items = [_own(card, polls.since(db, agent, card.task.seq)) for card in mine]
    if not mine:
        items = _claimable(session, agent)
    return Round(agent, _news(session, agent), items, lead=False)


def lead_round(session: Session, agent: str, *, key: str = "") -> Round:
    """Tell a lead what has come in, in the order in which it is to be dealt with."""
    cards = moves.list_tasks(session)
    db = session.view.current()
    before = polls.last(db, agent, lead=True)
    keys.append(session, draft("agent.polled", agent, {"agent": agent, "lead": True}, key=key))
    roster = session.view.roster()
    items = [
        *_without_effect(session, before, claims=True),
        *_to_judge(cards, "claimed", "approvals", "approve"),
        *_to_judge(cards, "delivered", "deliveries", "accept"),
        *_to_judge(cards, "checking", "deliveries", "accept"),
        *_questions(session, agent),
        *_silent(session, agent, cards, roster),
        *_anomalies(session, cards),
        *_without_effect(session, before, claims=False),
        *_ready(cards),
    ]
    return Round(agent, _news(session, agent), items, lead=True)


# --- the worker ---


def _heartbeat(session: Session, agent: str, mine: list[Card]) -> None:
    """Let whoever leads hear that the worker lives, and how it stands; it keeps his claim alive too."""
    policy = Policy(session.view.roster())
    leads = sorted((policy.leads() | policy.heads(agent)) - {agent})
    states = [(card.task.state, card.task.id, card.task.owner) for card in mine[:1]]
    for state, task, owner in states or [("idle", "", "")]:
        to = leads or [owner] * (owner not in ("", agent))
        if to:
            word = {"claimed": "waiting", "blocked": "blocked", "idle": "waiting"}.get(state, "working")
            body = f"{word} {task}".strip()
            message = Message(sender=agent, to=to, act="report", task=task, body=body, meta={"status": word})
            send.send(session, message)


def _own(card: Card, rounds: int) -> RoundItem:
    """Return what to do with a task that one has."""
    task = card.task
    deliver = f"palaver task deliver {task.id} -m RESULT"
    start = f"palaver task start {task.id}"
    advice = {
        "assigned": (f"{task.id} is given to you: take it", start),
        "handed": (f"{task.giver} hands {task.id} to you: take it", start),
        "claimed": (f"your claim of {task.id} waits for approval, round {rounds} of {PATIENCE}", ""),
        "working": (f"{task.id} is yours: go on, then deliver", deliver),
        "blocked": (f"{task.id} is blocked: {task.reason}", f"palaver task unblock {task.id}"),
        "rework": (f"{task.id} is to be done again: {task.reason}", deliver),
    }
    words, command = advice[task.state]
    if task.state == "claimed" and rounds >= PATIENCE:
        words = f"nobody approved your claim of {task.id} in {PATIENCE} rounds: let it go and claim another"
        command = f"palaver task release {task.id}"
    return RoundItem("mine", words, command, task.id)


def _claimable(session: Session, agent: str) -> list[RoundItem]:
    judge = Judge(session.view.current(), session.view.roster())
    found = []
    for card in moves.list_tasks(session, ready=True):
        data: dict[str, object] = {"act": "claim", "from": agent, "to": []}
        if not judge.check(card.task, Event({"actor": agent, "data": data})).why:
            command = f"palaver task claim {card.task.id}"
            found.append(
                RoundItem("claim", f"{card.task.id} can be claimed: {card.task.title}", command, card.task.id)
            )
    return found or [RoundItem("wait", "there is nothing that you can claim now")]


def _news(session: Session, agent: str) -> list[Mail]:
    if not session.view.current().execute("select 1 from agent where id = ?", (agent,)):
        return []
    return mailbox.list_inbox(session, agent, scope="unread", limit=ROWS_DEFAULT).mail


# --- the lead ---


def _without_effect(session: Session, before: int, *, claims: bool) -> list[RoundItem]:
    """Return the moves since the last round that had no effect: claims that came second, or violations."""
    rows = session.view.current().execute(
        "select task, actor, act, why from task_move where seq > ? and why <> '' and actor <> ? order by seq",
        (before, BUS),
    )
    part = "conflicts" if claims else "violations"
    return [
        RoundItem(part, f"{actor}: {act} {task} had no effect: {why}", f"palaver task show {task}", task)
        for task, actor, act, why in rows
        if (act in ("claim", "ack")) == claims
    ]


def _to_judge(cards: list[Card], state: str, part: str, act: str) -> list[RoundItem]:
    words = {"approvals": "{holder} wants {id}", "deliveries": "{holder} delivered {id}: {result}"}[part]
    return [
        RoundItem(
            part,
            words.format(holder=card.task.holder, id=card.task.id, result=card.task.result),
            f"palaver task {act} {card.task.id}",
            card.task.id,
        )
        for card in cards
        if card.task.state == state
    ]


def _questions(session: Session, agent: str) -> list[RoundItem]:
    return [
        RoundItem(
            "questions",
            f"{wait.waiter} asks: {wait.gist}",
            f"palaver reply {wait.message} -m ANSWER",
            wait.task,
        )
        for wait in list_waits(session).waits
        if wait.kind == "ask" and agent in wait.movers
    ]


def _silent(session: Session, lead: str, cards: list[Card], roster: Roster) -> list[RoundItem]:
    """Return who has work and has not been heard of for some rounds of the lead."""
    db = session.view.current()
    found = []
    for card in cards:
        holder = roster.agents.get(card.task.holder)
        if holder is None or holder.id == lead or card.task.state not in ("working", "rework", "assigned"):
            continue
        heard = max(holder.seq, card.task.seq, polls.last(db, holder.id))
        rounds = polls.since(db, lead, heard, lead=True)
        if rounds >= PATIENCE:
            words = f"{holder.id} was silent for {rounds} rounds: take {card.task.id} back"
            found.append(RoundItem("idle", words, f"palaver task release {card.task.id}", card.task.id))
        elif rounds > 1:
            words = f"{holder.id} was silent for {rounds} rounds: wake it"
            found.append(RoundItem("idle", words, f"palaver send {holder.id} --act nudge", card.task.id))
    return found


def _anomalies(session: Session, cards: list[Card]) -> list[RoundItem]:
    found = [
        RoundItem("anomalies", f"they wait for each other: {' → '.join(cycle)}", "palaver waiting")
        for cycle in list_waits(session).cycles
    ]
    for card in cards:
        dead = [needed for needed, state in card.needs.items() if state in ("", "cancelled")]
        if card.task.state == "open" and dead:
            words = f"{card.task.id} can never be ready: {', '.join(dead)} is cancelled or unknown"
            command = f"palaver task change {card.task.id} --needs-not {dead[0]}"
            found.append(RoundItem("anomalies", words, command, card.task.id))
    return found


def _ready(cards: list[Card]) -> list[RoundItem]:
    names = [card.task.id for card in cards if card.ready]
    return [RoundItem("announce", f"ready: {', '.join(names)}")] if names else []
