"""What the author of a wrong line is told: what was wrong with it, and the line to write instead.

The line comes from the spec of the dialect, in the form that the author should have used.
"""

from functools import partial
from textwrap import indent

from palaver.bus.session import Session
from palaver.dialects import DIALECTS, conventions, spec
from palaver.model.event import Event, source_of, text
from palaver.model.message import Message, from_event
from palaver.model.mounted_files import mount_of
from palaver.model.spec import Verdict, local_name
from palaver.model.task import TO_DO, Task
from palaver.views.files.line_notices import backlog, broken_rule
from palaver.views.mail import inbox, open_questions
from palaver.views.tasks import board
from palaver.views.tasks.board import BACKLOG, FINDING, FINDING_SEEN, Consequence
from palaver.views.tasks.etiquette import COUNTED

# How many tasks of the author the dialect gets to see.
_TASKS = 20


def words(session: Session, row: Consequence) -> str:
    """Return what is said about a line that cannot be read or breaks a rule, or about a new mount."""
    if row.rule == BACKLOG:
        return _summary(session, row.task)
    event = _cause(session, row)
    if event is None:
        return "A line cannot be read. `palaver quarantine` has it."
    data, file = event.data, text(source_of(event), "file")
    what = f"{text(data, 'code') or text(data, 'reason')} in {file}: {text(data, 'message')}"
    if line := offer(session, row):
        return f"{what}.{line}"
    fix = text(data, "fix") or f"it is kept: palaver quarantine show {text(data, 'id')}"
    return f"{what}; {fix}."


def offer(session: Session, row: Consequence) -> str:
    """Return the line to write instead, as the end of a notice; empty if no line would have an effect."""
    event = _cause(session, row)
    verdict = _verdict(session, row, event) if event is not None else None
    line = spec(verdict.mount.dialect).corrections.line(verdict) if verdict else ""
    if "\n" in line:
        return f"\n\nWrite:\n\n~~~\n{indent(line, '    ')}\n~~~"
    if row.rule == FINDING_SEEN and verdict and line:
        return f" {verdict.author} is told to write: {line}"
    has_counted = row.rule in COUNTED or (
        row.rule == FINDING and verdict is not None and _has_moved(session, verdict.message)
    )
    return f" {'It counted; next time write' if has_counted else 'Write'}: {line}" if line else ""


def run_and_task(session: Session, row: Consequence) -> tuple[str, str]:
    """Return the run and the task of the line that a notice is about."""
    event = _cause(session, row)
    message = _message(session, event) if event is not None else None
    return (message.run, message.task) if message else ("", "")


def _summary(session: Session, mount: str) -> str:
    unreadable, odd = backlog(session.view, mount)
    return (
        f"The files of {mount} were read for the first time: {unreadable} lines cannot be read, "
        f"{odd} are odd. `palaver quarantine` and `palaver lint` list them."
    )


def _cause(session: Session, row: Consequence) -> Event | None:
    found = session.log.event(row.seq)
    return found if found and found.event_id == row.cause else None


def _verdict(session: Session, row: Consequence, event: Event) -> Verdict | None:
    """Return what the dialect needs to know; None for a line of no known dialect."""
    db, src = session.view, source_of(event)
    name = text(src, "mount")
    settings = session.view.roster().mounts.get(name, {})
    if text(settings, "dialect") not in DIALECTS:
        return None
    local = partial(local_name, settings)
    message = _message(session, event)
    return Verdict(
        rule=_rule(row, event),
        mount=mount_of(name, settings),
        file=text(src, "file"),
        text=text(event.data, "text"),
        message=message and message.replace(sender=local(message.sender), to=[*map(local, message.to)]),
        author=local(text(event.data, "author") if row.rule == FINDING_SEEN else row.recipient),
        lead=local(conventions(settings).caretaker(settings)),
        find_task=partial(_find_task, session, settings),
        tasks=tuple(_tasks(session, row.recipient)),
        questions=tuple(each.id for each in open_questions.asked_of(db, row.recipient, name)),
    )


def _find_task(session: Session, settings: dict[str, object], task_id: str) -> Task | None:
    """Return the task that an id means in a mount, if the board has it."""
    db = session.view
    found = board.task(db, task_id)
    if found is None and conventions(settings).pads_numbers:
        return board.task(db, board.padded_id(db, task_id))
    return found


def _has_moved(session: Session, message: Message | None) -> bool:
    """Return True if a line moved its task, whatever is wrong with its form."""
    tried = board.attempt(session.view, message.seq) if message else None
    return tried is not None and not tried.why


def _rule(row: Consequence, event: Event) -> str:
    """Return the rule that a line breaks, or the code of what is wrong with it."""
    if row.rule == FINDING_SEEN:
        return broken_rule(event)
    return row.task if row.rule == FINDING else row.rule


def _tasks(session: Session, agent: str) -> list[Task]:
    return board.held(session.view, agent, tuple(TO_DO), _TASKS)


def _message(session: Session, event: Event) -> Message | None:
    """Return the message of a line, if it was understood."""
    if event.event_type == "mail.sent":
        return from_event(event)
    row = inbox.found(session.view, text(event.data, "message_id"))
    found = session.said(row) if row else None
    return from_event(found) if found else None
