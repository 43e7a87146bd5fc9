"""Work through the API: tasks, their moves, the board, who waits, and the files that are watched.

What moves a task is an event with the name of the person and `auth: token`, like all that he does here.
"""

from typing import Annotated, Final

import msgspec

from palaver.bus.operations import task_operations as work
from palaver.model.errors import TaskTaken
from palaver.model.task import STATES
from palaver.sync.accounts import accounts
from palaver.views.files import findings, outstanding
from palaver.web.calls import Asked, Call, Number, Word
from palaver.web.saying import Line, Text

Ids = Annotated[list[Line], msgspec.Meta(max_length=100)]
Rank = Annotated[int, msgspec.Meta(ge=0, le=2_147_483_647)]
_TASK: Final = Word(name="id", about="the id of the task")


class NewTask(msgspec.Struct, kw_only=True):
    """A task to be opened; only the title is wanted."""

    title: Line
    task: Line = ""
    about: Text = ""
    needs: Ids = []
    kind: Line = ""
    owner: Line = ""
    restricted: Line = ""
    priority: Rank | None = None
    difficulty: Rank | None = None
    lease: Rank | None = None
    approval: bool | None = None
    check: bool | None = None


class TaskChange(msgspec.Struct, kw_only=True):
    """What a task shall say of itself from now on; what is not given stays."""

    task: Line
    title: Line | None = None
    about: Text | None = None
    needs: Ids | None = None
    needs_not: Ids | None = None
    kind: Line | None = None
    owner: Line | None = None
    restricted: Line | None = None
    priority: Rank | None = None
    difficulty: Rank | None = None
    lease: Rank | None = None
    approval: bool | None = None
    check: bool | None = None


class TaskMove(msgspec.Struct, kw_only=True):
    """A move of a task by an act; `to` names whom it is given to, or who shall hear of it."""

    task: Line
    act: Line
    body: Text = ""
    to: Ids = []
    fence: Rank = 0
    lease: Rank = 0
    finished: bool = False
    parallel: bool = False
    allow_secret: bool = False


def board(asked: Asked) -> object:
    """Return every column of the board with its tasks; of those that have ended, the newest."""
    return asked.bus.board()


def tasks(asked: Asked) -> object:
    """Return the tasks that fit, the most urgent first."""
    state = asked.word("state")
    found = asked.bus.tasks(
        states=(state,) if state else (),
        holder=asked.word("holder"),
        owner=asked.word("owner"),
        ready=asked.word("ready") == "yes",
    )
    return {"tasks": [card.plain() for card in found[: asked.number("limit")]], "total": len(found)}


def task(asked: Asked) -> object:
    """Return all about one task: every move that was tried, what was said, who waits, what you may do."""
    return asked.bus.life(asked.word("id"))


def waiting(asked: Asked) -> object:
    """Return all that somebody waits for, oldest first, and who waits for whom in a circle."""
    return asked.bus.waiting().plain()


def status(asked: Asked) -> object:
    """Return what the bytes of every watched file are, what is still to be written, and what was found."""
    bus = asked.bus
    bus.session.sync.catch_up()
    mounts, found = accounts(bus.session)
    db = bus.session.view.current()
    settings = bus.session.view.roster().mounts
    return {
        "mounts": [
            {"name": each.name, "dialect": str(settings.get(each.name, {}).get("dialect", ""))}
            for each in mounts
        ],
        "files": [each.plain() for each in found],
        "outstanding": outstanding.waiting(db),
        "findings": findings.findings(db, asked.number("findings")),
        "behind": bus.session.sync.late,
    }


def open_task(asked: Asked) -> object:
    """Open a task as the person; he owns it unless another is named."""
    wanted = asked.body
    assert isinstance(wanted, NewTask)
    fields = _given(wanted)
    return work.open_task.perform(asked.bus.session, fields).plain()


def change_task(asked: Asked) -> object:
    """Change what a task says of itself."""
    wanted = asked.body
    assert isinstance(wanted, TaskChange)
    return work.change_task.perform(asked.bus.session, _given(wanted)).plain()


def move(asked: Asked) -> object:
    """Move a task as the person; a move that lost a race is refused, and stands in the log without effect."""
    wanted = asked.body
    assert isinstance(wanted, TaskMove)
    moved = asked.bus.move(
        wanted.task,
        wanted.act,
        wanted.body,
        to=wanted.to,
        fence=wanted.fence,
        lease=wanted.lease,
        finished=wanted.finished,
        parallel=wanted.parallel,
        key=asked.key,
        allow_secret=wanted.allow_secret,
    )
    if not moved.effect:
        raise TaskTaken(f"{moved.card.task.id}: somebody was faster", moved.tried.why, "choose another")
    return moved.plain()


def _given(wanted: msgspec.Struct, *without: str) -> dict[str, object]:
    """Return the fields that say something."""
    values = msgspec.structs.asdict(wanted)
    return {
        name: value for name, value in values.items() if name not in without and value not in (None, "", [])
    }


CALLS: Final = (
    Call(method="GET", path="/api/board", about=board.__doc__ or "", answer=board),
    Call(
        method="GET", path="/api/tasks", about=tasks.__doc__ or "", answer=tasks,
        parameters=(
            Word(name="state", about="only this state", choices=("", *STATES)),
            Word(name="holder", about="only what this agent holds"),
            Word(name="owner", about="only what this agent owns"),
            Word(name="ready", about="only what can be claimed now", choices=("", "yes")),
            Number(name="limit", about="how many", default=500, least=1, most=10_000),
        ),
    ),
    Call(method="GET", path="/api/task", about=task.__doc__ or "", answer=task, parameters=(_TASK,)),
    Call(method="GET", path="/api/waiting", about=waiting.__doc__ or "", answer=waiting),
    Call(
        method="GET", path="/api/status", about=status.__doc__ or "", answer=status,
        parameters=(Number(name="findings", about="how many findings", default=50, least=1, most=1_000),),
    ),
    Call(
        method="POST", path="/api/tasks", about=open_task.__doc__ or "", answer=open_task, body=NewTask,
        status=201,
    ),
    Call(
        method="POST", path="/api/tasks/change", about=change_task.__doc__ or "", answer=change_task,
        body=TaskChange,
    ),
    Call(method="POST", path="/api/moves", about=move.__doc__ or "", answer=move, body=TaskMove, status=201),
)  # fmt: skip
