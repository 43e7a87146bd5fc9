"""The board as an interface shows it: its columns, what events have changed, and the history of a task."""

from palaver.bus.mail.message_check import encodable
from palaver.bus.operations.fields import Events, Rows, Speaker, TaskId, Words
from palaver.bus.operations.operation import inspects, operation, reads
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.bus.tasks.wait_list import newest_waits
from palaver.log.clock import later
from palaver.model.event import Event, text, texts
from palaver.model.limits import BOARD_DONE, IDS_TOUCHED, ROWS_DEFAULT, TASK_TALK
from palaver.model.task import AT_WORK, ENDED, GIVING, LEASED, NOT_ENDED, Move, Task, canonical_id, judge
from palaver.views.agents.autonomy import level
from palaver.views.agents.roster import Agent
from palaver.views.fold import task_of
from palaver.views.mail import inbox
from palaver.views.mail.threads import glance
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.assignments import assignment
from palaver.views.tasks.board import BOARD, Card
from palaver.views.tasks.move_check import Judge

# The acts that a person is offered, the most common first; and the most common one of each state.
OFFERED = (
    "approve", "claim", "ack", "resume", "deliver", "accept", "rework", "refuse", "assign", "handoff",
    "ready", "block", "release", "cancel",
)  # fmt: skip
USUAL = {
    "open": "claim", "claimed": "approve", "assigned": "ack", "handed": "ack", "working": "deliver",
    "rework": "ack", "blocked": "resume", "delivered": "accept", "checking": "accept", "done": "rework",
    "cancelled": "resume",
}  # fmt: skip
# Acts that are allowed for an open task, but make no sense as its first one.
_ODD_WHEN_OPEN = ("ack", "block", "deliver", "handoff")
# Fields that a tile leaves out.
_SAID = ("about", "result")
# Words of a search; more are ignored.
_WORDS = 16
_HELD = 5


@operation(reads)
def columns(session: Session) -> dict[str, object]:
    """Return every column of the board with its tasks."""
    shown = moves.list_tasks(session, states=NOT_ENDED)
    db = session.view.current()
    with session.view.held():
        seq = db.seq
        shown += [board.card(db, task) for task in board.newest(db, ENDED, BOARD_DONE)]
        [(ended,)] = db.execute("select count(*) from task where state in (?, ?)", ENDED)
    found: dict[str, list[dict[str, object]]] = {name: [] for name in BOARD}
    for card in shown:
        found[card.column].append(tile(card))
    return {"columns": found, "ended": ended, "seq": seq, "behind": session.view.behind}


def tile(card: Card) -> dict[str, object]:
    """Return what a board shows of a task."""
    plain = {name: value for name, value in card.plain().items() if name not in _SAID}
    return {**plain, "column": card.column, "lease_ends": _lease_end(card.task)}


@operation(inspects)
def changed(session: Session, events: Events) -> list[dict[str, object]]:
    """Return the cards of the board that some events may have changed."""
    db = session.view.current()
    names: dict[str, None] = {}
    for event in events:
        named = task_of(event)
        if named:
            names[named] = None
        for message_id in texts(event.data, "message_ids")[:IDS_TOUCHED]:
            row = inbox.found(db, message_id)
            if row is not None and row.task:
                names[canonical_id(row.task)] = None
    for named in list(names):
        names.update(dict.fromkeys(board.needed_by(db, named)))
    found = [board.task(db, named) for named in names]
    return [tile(board.card(db, task)) for task in found if task is not None]


@operation(reads)
def life(session: Session, task: TaskId, *, agent: Speaker = "") -> dict[str, object]:
    """Return the history of a task, and what an agent can do with it."""
    found, agent = moves.find_task(session, task), session.speaker(agent)
    db = session.view
    card = board.card(db, found)
    rows = db.execute(
        "select id from message where task = ? and task <> '' order by seq desc limit ?",
        (found.id, TASK_TALK),
    )
    talk = [row for (message_id,) in reversed(rows) if (row := inbox.found(db, str(message_id))) is not None]
    return {
        **card.plain(),
        "column": card.column,
        "lease_ends": _lease_end(found),
        "moves": [each.plain() for each in board.tried(db, found.id)],
        "messages": [glance(row) for row in talk],
        "needs": [_other(db, needed) for needed in card.needs],
        "needed_by": [_other(db, other) for other in board.needed_by(db, found.id)],
        "waits": [wait.plain() for wait in newest_waits(session).waits if wait.task == found.id],
        "acts": offered(session, found, agent),
        "behind": session.view.behind,
    }


def offered(session: Session, task: Task, agent: str) -> list[str]:
    """Return the acts by which an agent can move a task now, the most common one first."""
    verdicts = Judge(session.view, session.view.roster())
    found = []
    for act in OFFERED:
        data: dict[str, object] = {"act": act, "from": agent, "task": task.id}
        event = Event({"actor": agent, "auth": session.proof(agent), "data": data})
        if act in GIVING:
            # The recipient is chosen later.
            leads = verdicts.policy.leads_for(event) | verdicts.policy.heads(task.holder)
            counts = isinstance(judge(task, act, agent, leads=leads), Move)
        else:
            counts = verdicts.check(task, event).move is not None
        if counts and not (act in _ODD_WHEN_OPEN and task.state == "open"):
            found.append(act)
    return sorted(found, key=lambda act: act != USUAL[task.state])


@operation(reads)
def with_words(session: Session, words: Words, *, limit: Rows = ROWS_DEFAULT) -> list[Task]:
    """Return the tasks whose id or title contains all the words."""
    encodable(words)
    return board.with_words(session.view.current(), words.split()[:_WORDS], limit)


def at_work(db: Query, agent: Agent, mounts: dict[str, dict[str, object]]) -> dict[str, object]:
    """Return the mounts of an agent, its assignment, and the tasks that it holds."""
    given = assignment(db, agent.id)
    held = board.held(db, agent.id, AT_WORK, _HELD)
    return {
        "homes": [
            {"mount": home, "dialect": text(mounts[home], "dialect")}
            for home in agent.homes
            if home in mounts
        ],
        "assignment": given.plain() if given else None,
        "autonomy": level(db, agent.id),
        "holds": [
            {"id": task.id, "title": task.title, "state": task.state, "since": task.since} for task in held
        ],
    }


def _other(db: Query, task_id: str) -> dict[str, object]:
    task = board.task(db, task_id)
    return {"id": task_id, "state": task.state if task else "", "title": task.title if task else ""}


def _lease_end(task: Task) -> str:
    """Return when the lease of a claim expires; empty if it does not."""
    return later(task.touched, task.lease) if task.state in LEASED and task.lease > 0 else ""
