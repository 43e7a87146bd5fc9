"""What the author of a move without effect is told: the move that has one now, or what else to do."""

from dataclasses import replace

from palaver.bus.session import Session
from palaver.bus.tasks.line_notices import cause_of, corrected, written
from palaver.bus.tasks.offered_line import offered_line, words_of_move
from palaver.dialects import spec
from palaver.model.event import Event
from palaver.model.message import Message
from palaver.model.mounted_files import content_id
from palaver.model.names import EVERYONE
from palaver.model.spec import Verdict, local_name
from palaver.model.task import with_names
from palaver.views.agents.policy import Policy
from palaver.views.tasks import board
from palaver.views.tasks.board import Consequence
from palaver.views.tasks.move_check import Judge
from palaver.views.tasks.next_move import NextMove, NextMoves


def advice(session: Session, row: Consequence) -> str:
    """Return what to do instead of a move without effect, as a sentence without its full stop."""
    event = cause_of(session, row)
    return _in_words(session, row, _next_move(session, event)) if event is not None else ""


def instead(session: Session, row: Consequence, event: Event, verdict: Verdict) -> str:
    """Return the move that would have an effect now, as a line, or else what to do."""
    found = _next_move(session, event)
    # A notice about a line that names no task lists the tasks itself.
    said = _in_words(session, row, found) if row.rule != "which-task" else ""
    line = _move_line(session, found, verdict) if found.act else corrected(verdict)
    return (f" {said}." if said else "") + written("Write", line)


def _next_move(session: Session, event: Event) -> NextMove:
    return NextMoves(Judge(session.view, session.view.roster()), event).find()


def _in_words(session: Session, row: Consequence, move: NextMove) -> str:
    policy = Policy(session.view.roster())
    return policy.with_spellings(row.recipient, with_names(move.advice, policy.called(row.recipient)))


def _move_line(session: Session, move: NextMove, verdict: Verdict) -> str:
    """Return the line of a move; the words of the author are kept if only the task was wrong."""
    tried, task = verdict.message, board.task(session.view, move.task)
    if tried is None or task is None:
        return ""
    mount, dialect = verdict.mount, spec(verdict.mount.dialect)
    # The owner of a task is told of every move, so a line to the whole mount is enough.
    is_open = not {mount.name, f"@{mount.name}"}.isdisjoint(move.to)
    fields: dict[str, object] = {**dialect.conventions.move_fields(move.act, task)}
    message = Message(
        sender=verdict.author,
        to=[EVERYONE] if is_open else [local_name(mount.settings, each) for each in move.to],
        act=move.act,
        task=move.task,
        run=tried.run,
        body=words_of_move(move.act),
        subject=task.title,
        meta=fields,
        at=verdict.at,
        id=content_id(tried.replace(body=f"{move.act} {move.task} {tried.body}")),
    )
    if move.act == tried.act:
        message = message.replace(body=tried.body, subject=tried.subject, files=tried.files)
    line = corrected(replace(verdict, next_move=message))
    return line or offered_line(dialect, message, mount, verdict.file)
