"""All views of work, folded together: the board, open questions, assignments, rounds and autonomy."""

from collections.abc import Callable
from sqlite3 import Connection

from palaver.model.event import Event, texts
from palaver.views.agents import autonomy, polls
from palaver.views.agents.autonomy import Autonomy
from palaver.views.agents.polls import Polls
from palaver.views.agents.roster import Roster
from palaver.views.mail import questions
from palaver.views.mail.questions import Questions
from palaver.views.query import Query
from palaver.views.tasks import assignments, board
from palaver.views.tasks.assignments import Assignments
from palaver.views.tasks.moves import Moves

TABLES = (*board.TABLES, *questions.TABLES, *assignments.TABLES, *polls.TABLES, *autonomy.TABLES)
INDEXES = board.INDEXES


class Work:
    """What events do to the views of work; asked after the views of mail and people."""

    __slots__ = ("_assignments", "_autonomy", "_db", "_moves", "_questions", "_roster", "apply")

    def __init__(self, db: Connection, roster: Roster) -> None:
        """Start from what the view holds."""
        self._db = db
        self._roster = roster
        self._assignments = Assignments(db)
        self._autonomy = Autonomy(db, roster)
        self._moves = moves = Moves(db, roster, self._assignments)
        self._questions = Questions(db, roster)
        self.apply: dict[str, Callable[[Event], None]] = {
            "mail.acknowledged": self._acknowledged,
            "mail.archived": self._assignments.dealt_with,
            "mail.withdrawn": self._questions.withdrawn,
            "agent.registered": moves.registered,
            "agent.polled": Polls(db).polled,
            "assignment.set": self._assignments.set,
            "assignment.cleared": self._assignments.cleared,
            "process.completed": self._assignments.process_over,
            "process.cancelled": self._assignments.process_over,
            "task.opened": moves.opened,
            "task.changed": moves.changed,
            "task.lease_ended": moves.lease_ended,
        }

    def sent(self, event: Event) -> None:
        """Apply a message."""
        if "task" in event.data:
            self._moves.said(event)
        else:
            self._moves.settled(event)
        act = event.data.get("act")
        if act == "leave" and self._stays(event):
            return
        self._questions.sent(event)
        if act == "autonomy" and (agents := self._autonomy.said(event)):
            from palaver.views.tasks.etiquette import powerless

            powerless(self._db, event, agents)

    def _stays(self, event: Event) -> bool:
        """Tell whether somebody who confirms his end holds work: then whoever asked still waits for it."""
        from palaver.views.tasks.etiquette import leaving

        self._moves.flush()
        asked = Query(lambda question, values: self._db.execute(question, values).fetchall())
        named = [self._roster.meaning(written) for written in texts(event.data, "to")]
        to = [meaning.agents[0] for meaning in named if meaning.kind == "agent"]
        return leaving(self._db, asked, event, to)

    def flush(self) -> None:
        """Write what has changed since the last time."""
        self._moves.flush()

    def _acknowledged(self, event: Event) -> None:
        self._questions.acknowledged(event)
        self._moves.acknowledged(event)
        self._assignments.dealt_with(event)
