"""What a poll tells a lead to do, in the order in which the handbook of an office deals with it."""

from palaver.bus.mail import send
from palaver.bus.polls.home_files import HomeFiles
from palaver.bus.polls.poll_item import PATIENCE, PollItem
from palaver.bus.session import Session
from palaver.bus.tasks.wait_list import list_waits
from palaver.model.errors import NotFound
from palaver.model.event import text
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import is_repeat, with_names
from palaver.views.agents import polls
from palaver.views.tasks import board
from palaver.views.tasks.board import Card
from palaver.views.tasks.move_check import MISFILED


def lead_items(session: Session, files: HomeFiles, cards: list[Card], before: int) -> list[PollItem]:
    """Return what has come in, given all tasks and the event of the last poll."""
    return [
        *_without_effect(session, files, before, claims=True),
        *_claims(files, cards),
        *_deliveries(session, files, cards),
        *_blocked(files, cards),
        *_questions(session, files),
        *_silent(session, files, cards),
        *_anomalies(session, files, cards),
        *_without_effect(session, files, before, claims=False),
        *_ready(files, cards),
    ]


def _without_effect(session: Session, files: HomeFiles, before: int, *, claims: bool) -> list[PollItem]:
    """Return the moves since the last poll that had no effect: claims that came second, or violations."""
    db = session.view.current()
    rows = db.execute(
        "select seq, task, actor, act, before, why from task_move "
        "where seq > ? and why <> '' and actor <> ? order by seq",
        (before, BUS),
    )
    part = "conflicts" if claims else "violations"
    found = [
        PollItem(
            part,
            f"{_blamed(session, seq, actor, why)}: {act} {files.called(task)} had no effect: "
            f"{with_names(why, files.called)}",
            f"palaver task show {task}" if board.task(db, task) else "",
            task,
        )
        for seq, task, actor, act, state, why in rows
        if (act in ("claim", "ack") and why != MISFILED) == claims and not is_repeat(act, state, why)
    ]
    # What was tried again in vain is said once.
    return list(dict.fromkeys(found))


def _blamed(session: Session, seq: int, actor: str, why: str) -> str:
    """Return the agent that tried a move; of a line in the wrong file only the file is certain."""
    event = session.log.event(seq) if why == MISFILED else None
    return f"a line by {actor} in {text(event.src or {}, 'file')}" if event else actor


def _claims(files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    return [
        PollItem(
            "approvals",
            f"{task.holder} wants {files.called(task.id)}",
            f"palaver task approve {task.id}",
            task.id,
            files.move("approve", task, to=task.holder),
        )
        for task in (card.task for card in cards if card.task.state == "claimed")
    ]


def _deliveries(session: Session, files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    return [
        PollItem(
            "deliveries",
            f"{task.holder} delivered {files.called(task.id)}: {_result(session, task.id)}",
            f"palaver task accept {task.id}",
            task.id,
            files.move("accept", task, to=task.holder),
        )
        for task in (card.task for card in cards if card.task.state in ("delivered", "checking"))
    ]


def _result(session: Session, task_id: str) -> str:
    """Return the words and the files of the last delivery of a task."""
    tried = board.tried(session.view.current(), task_id)
    delivered = [each.message for each in tried if each.act == "deliver" and not each.why]
    message = _find(session, delivered[-1]) if delivered else None
    if message is None:
        return ""
    paths = ", ".join(str(each.get("path", "")) for each in message.files)
    return " ".join(filter(None, [message.body, f"({paths})" if paths else ""]))


def _find(session: Session, message_id: str) -> Message | None:
    try:
        return send.find(session, message_id)
    except NotFound:
        return None


def _blocked(files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    return [
        PollItem(
            "blocked",
            f"{task.holder} is blocked on {files.called(task.id)}: {task.reason}",
            f"palaver task unblock {task.id}",
            task.id,
            files.line(Message(sender=files.agent, to=[task.holder], act="answer", body="<help>")),
        )
        for task in (card.task for card in cards if card.task.state == "blocked")
    ]


def _questions(session: Session, files: HomeFiles) -> list[PollItem]:
    found = []
    for wait in list_waits(session).waits:
        if wait.kind != "ask" or files.agent not in wait.movers:
            continue
        asked = _find(session, wait.message)
        words = f"{wait.waiter} asks: {asked.body if asked else wait.gist}"
        answer = Message(sender=files.agent, to=[wait.waiter], act="answer", body="<answer>")
        command = f"palaver reply {wait.message} -m ANSWER"
        found.append(PollItem("questions", words, command, wait.task, files.line(answer)))
    return found


def _silent(session: Session, files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    """Return the workers that have work and were silent for several polls of the lead."""
    db, roster = session.view.current(), session.view.roster()
    found = []
    for card in cards:
        task = card.task
        holder = roster.agents.get(task.holder)
        if holder is None or holder.id == files.agent or task.state not in ("working", "rework", "assigned"):
            continue
        heard = max(holder.seq, task.seq, polls.last(db, holder.id))
        # The first poll found the last sign of life.
        missed = polls.since(db, files.agent, heard, lead=True) - 1
        if missed >= PATIENCE:
            words = f"{holder.id} was silent for {missed} polls: take {files.called(task.id)} back"
            inactive = f"marked inactive after {missed} missed heartbeats"
            line = files.move("release", task, to=holder.id, body=inactive, tag="ABANDON")
            found.append(PollItem("idle", words, f"palaver task release {task.id}", task.id, line))
        elif missed > 0:
            words = f"{holder.id} was silent for {missed} {'poll' if missed == 1 else 'polls'}: wake it"
            wake = Message(sender=files.agent, to=[holder.id], act="nudge", body="say how it goes.")
            command = f"palaver send {holder.id} --act nudge"
            found.append(PollItem("idle", words, command, task.id, files.line(wake)))
    return found


def _anomalies(session: Session, files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    found = [
        PollItem("anomalies", f"they wait for each other: {' → '.join(cycle)}", "palaver waiting")
        for cycle in list_waits(session).cycles
    ]
    for card in cards:
        dead = [needed for needed, state in card.needs.items() if state in ("", "cancelled")]
        if card.task.state == "open" and dead:
            named = ", ".join(map(files.called, dead))
            words = f"{files.called(card.task.id)} can never be ready: {named} is cancelled or unknown"
            command = f"palaver task change {card.task.id} --needs-not {dead[0]}"
            found.append(PollItem("anomalies", words, command, card.task.id))
    return found


def _ready(files: HomeFiles, cards: list[Card]) -> list[PollItem]:
    names = [files.called(card.task.id) for card in cards if card.ready]
    return [PollItem("announce", f"ready: {', '.join(names)}")] if names else []
