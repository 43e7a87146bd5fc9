"""What a poll tells a worker to do: its own work first, else what it can claim."""

from palaver.bus.polls.home_files import HomeFiles
from palaver.bus.polls.poll_item import PATIENCE, PollItem
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.model.event import Event
from palaver.model.message import Message
from palaver.model.task import Task
from palaver.views.agents import polls
from palaver.views.supervision.activity import is_stopped
from palaver.views.tasks.board import Card
from palaver.views.tasks.move_check import Judge


def worker_items(session: Session, files: HomeFiles, mine: list[Card]) -> list[PollItem]:
    """Return what a worker that holds these tasks should do."""
    db = session.view.current()
    items = [_own(files, card.task, polls.since(db, files.agent, card.task.seq)) for card in mine]
    if not items and is_stopped(db, files.agent):
        farewell = Message(sender=files.agent, to=[files.lead], act="leave", body="Good bye.")
        words = f"{files.lead} asked you to stop: say that you leave, and write nothing more"
        return [PollItem("stop", words, line=files.line(farewell))]
    return items or _claimable(session, files)


def _own(files: HomeFiles, task: Task, waited: int) -> PollItem:
    """Return what to do with a task that the agent holds."""
    called = files.called(task.id)
    if task.state == "claimed" and waited >= PATIENCE:
        words = f"nobody approved your claim of {called} in {PATIENCE} polls: let it go and claim another"
        fields = {"tag": "TIMEOUT", "waited": f"{PATIENCE} rounds", "action": "releasing claim"}
        line = files.move("release", task, **fields)
        return PollItem("mine", words, f"palaver task release {task.id}", task.id, line)
    deliver = f"palaver task deliver {task.id} -m RESULT"
    start = f"palaver task start {task.id}"
    words, command, act = {
        "assigned": (f"{called} is given to you: take it", start, "claim"),
        "handed": (f"{task.giver} hands {called} to you: take it", start, "claim"),
        "claimed": (f"your claim of {called} waits for approval, poll {waited} of {PATIENCE}", "", ""),
        "working": (f"{called} is yours: go on, then deliver", deliver, "deliver"),
        "blocked": (f"{called} is blocked: {task.reason}", f"palaver task unblock {task.id}", "resume"),
        "rework": (f"{called} is to be done again: {task.reason}", deliver, "deliver"),
    }[task.state]
    return PollItem("mine", words, command, task.id, files.move(act, task) if act else "")


def _claimable(session: Session, files: HomeFiles) -> list[PollItem]:
    judge = Judge(session.view.current(), session.view.roster())
    found = []
    for card in moves.list_tasks(session, ready=True):
        task = card.task
        data: dict[str, object] = {"act": "claim", "from": files.agent, "to": []}
        if not judge.check(task, Event({"actor": files.agent, "data": data})).why:
            words = f"{files.called(task.id)} can be claimed: {task.title}"
            command = f"palaver task claim {task.id}"
            found.append(PollItem("claim", words, command, task.id, files.move("claim", task)))
    return found or [PollItem("wait", "there is nothing that you can claim now")]
