"""The part of the bus that is about work: everything that may be asked of tasks, one method each."""

from palaver.bus.session import Session
from palaver.bus.tasks import assignment as assigning
from palaver.bus.tasks import board_view, moves, rounds
from palaver.bus.tasks import prime as priming
from palaver.bus.tasks.moves import MoveResult
from palaver.bus.tasks.prime import Prime
from palaver.bus.tasks.rounds import Round
from palaver.bus.tasks.wait_list import WaitList, list_waits
from palaver.model.event import Event
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.task import Task
from palaver.views.tasks.assignments import Assignment
from palaver.views.tasks.board import Card, Tried


class Work(Session):
    """One bus, and the tasks on it."""

    __slots__ = ()

    def open_task(
        self,
        title: str,
        *,
        task: str = "",
        about: str = "",
        needs: list[str] | None = None,
        by: str = "",
        fields: dict[str, object] | None = None,
    ) -> Card:
        """Open a task; `fields` may say more of it: see `moves.FIELDS`."""
        self.sync.catch_up()
        said: dict[str, object] = {"about": about, "needs": needs or []}
        given = {**{name: value for name, value in said.items() if value}, **(fields or {})}
        found = moves.open_task(self, self.speaker(by), title, task_id=task, fields=given)
        self.sync.write_on()
        return found

    def change_task(self, task: str, fields: dict[str, object], *, by: str = "") -> Card:
        """Change what a task says of itself: see `moves.FIELDS`."""
        self.sync.catch_up()
        found = moves.change_task(self, self.speaker(by), task, fields)
        self.sync.write_on()
        return found

    def move(
        self,
        task: str,
        act: str,
        body: str = "",
        *,
        by: str = "",
        to: str | list[str] = "",
        fence: int = 0,
        lease: int = 0,
        finished: bool = False,
        parallel: bool = False,
        files: list[dict[str, object]] | None = None,
        reasoning: str = "",
        key: str = "",
        allow_secret: bool = False,
    ) -> MoveResult:
        """Move a task by an act; where nobody is named, those whom it concerns are told."""
        self.sync.catch_up()
        given: dict[str, object] = {"fence": fence, "lease": lease, "finished": finished}
        given["parallel"] = parallel
        message = Message(
            sender=self.speaker(by),
            to=[to] if isinstance(to, str) and to else list(to),
            body=body,
            act=act,
            task=task,
            files=files,
            reasoning=reasoning,
            meta={name: value for name, value in given.items() if value},
        )
        found = moves.move(self, message, key=key, allow_secret=allow_secret)
        self.sync.write_on()
        return found

    def claim(self, task: str, *, by: str = "", lease: int = 0, key: str = "") -> MoveResult:
        """Want a task; `effect` tells whether it is yours, and `card.task.holder` whose it is."""
        return self.move(task, "claim", by=by, lease=lease, key=key)

    def deliver(self, task: str, result: str, *, by: str = "", fence: int = 0, key: str = "") -> MoveResult:
        """Hand in work, with its result."""
        return self.move(task, "deliver", result, by=by, fence=fence, key=key)

    def task(self, task: str) -> Card:
        """Return a task, with what it waits for."""
        self.sync.catch_up()
        return moves.task_card(self, task)

    def tried(self, task: str) -> list[Tried]:
        """Return every move that was tried on a task, with what came of it."""
        self.sync.catch_up()
        return moves.tried_on(self, task)

    def tasks(
        self, *, states: tuple[str, ...] = (), holder: str = "", owner: str = "", ready: bool = False
    ) -> list[Card]:
        """Return the tasks that fit, the most urgent first."""
        self.sync.catch_up()
        return moves.list_tasks(self, states=states, holder=holder, owner=owner, ready=ready)

    def tasks_with(self, words: str, *, limit: int = ROWS_DEFAULT) -> list[Task]:
        """Return the tasks whose id and title have all the words, or pieces of them."""
        self.sync.catch_up()
        return board_view.with_words(self, words, limit)

    def board(self) -> dict[str, object]:
        """Return every column of the board with its tasks."""
        self.sync.catch_up()
        return board_view.columns(self)

    def cards_changed(self, events: list[Event]) -> list[dict[str, object]]:
        """Return the cards of the board that some events may have changed."""
        return board_view.changed(self, events)

    def life(self, task: str, *, agent: str = "") -> dict[str, object]:
        """Return all about one task, and what an agent may do with it."""
        self.sync.catch_up()
        return board_view.life(self, task, self.speaker(agent))

    def waiting(self) -> WaitList:
        """Return everything that somebody waits for, and the agents that wait for each other in a cycle."""
        self.sync.catch_up()
        return list_waits(self)

    def assignment(self, *, agent: str = "") -> Assignment | None:
        """Return what waits for an agent."""
        self.sync.catch_up()
        return assigning.current(self, self.speaker(agent))

    def assign(self, agent: str, ref: str, *, by: str = "", replace: bool = False) -> Assignment:
        """Give an agent `work_order:ID`, `mail:ID` or `process:ID`; it has one at a time."""
        self.sync.catch_up()
        found = assigning.assign(self, self.speaker(by), agent, ref, replace=replace)
        self.sync.write_on()
        return found

    def clear_assignment(self, *, agent: str = "", by: str = "") -> str:
        """Empty an agent's assignment; return what it was."""
        self.sync.catch_up()
        found = assigning.clear(self, self.speaker(by), self.speaker(agent))
        self.sync.write_on()
        return found

    def dispatch(self, task: str, factory: str, *, by: str = "") -> Assignment:
        """Give a work order to a free worker of a factory."""
        self.sync.catch_up()
        found = assigning.dispatch(self, self.speaker(by), task, factory)
        self.sync.write_on()
        return found

    def handoff(self, body: str, *, to: str = "", by: str = "") -> Message:
        """Leave word for the next session, as its assignment."""
        self.sync.catch_up()
        found = assigning.handoff(self, self.speaker(by), body, to=to)
        self.sync.write_on()
        return found

    def prime(self, *, agent: str = "") -> Prime:
        """Return what an agent is to do now, and record that it asked."""
        self.sync.catch_up()
        found = priming.prime(self, self.speaker(agent))
        self.sync.write_on()
        return found

    def round(self, *, agent: str = "", lead: bool = False) -> Round:
        """Look as a worker, or as who leads: what is new, and what to do next."""
        self.sync.catch_up()
        look = rounds.lead_round if lead else rounds.worker_round
        found = look(self, self.speaker(agent))
        self.sync.write_on()
        return found
