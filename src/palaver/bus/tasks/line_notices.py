"""What the author of a wrong line is told: what was wrong with it, and the line to write instead.

The line comes from the spec of the dialect, in the form that the author should have used.
"""

import re
from functools import partial
from textwrap import indent

from palaver.bus.session import Session
from palaver.dialects import DIALECTS, conventions, spec
from palaver.model.event import Event, original_file, source_of, text
from palaver.model.message import Message, from_event
from palaver.model.mounted_files import Provenance, Source, mount_of
from palaver.model.names import BUS
from palaver.model.plain import numbered, sentence
from palaver.model.spec import AskedQuestion, Verdict, local_name
from palaver.model.task import TO_DO, Task
from palaver.views.files.findings import findings_of
from palaver.views.files.line_notices import LINE_TWICE, backlog, broken_rule
from palaver.views.mail import inbox, open_questions
from palaver.views.tasks import board
from palaver.views.tasks.board import BACKLOG, FINDING, FINDING_SEEN, Consequence
from palaver.views.tasks.etiquette import COUNTED
from palaver.views.tasks.move_check import MISFILED

#: Rules about a move that the board did not take.
MOVE_RULES = ("no-effect", "second-claim", "which-task")
# What a bug in a function of values raises: not a refusal, and no fault of the disk.
_FAULTS = (ValueError, TypeError, LookupError, AttributeError, AssertionError, RecursionError)
# How many tasks of the author the dialect gets to see.
_TASKS = 20


def words(session: Session, row: Consequence) -> str:
    """Return what is said about a line that cannot be read or breaks a rule, or about a new mount."""
    if row.rule == BACKLOG:
        return _summary(session, row.task)
    event = cause_of(session, row)
    if event is None:
        return "A line cannot be read. `palaver quarantine` has it."
    file, found = original_file(text(source_of(event), "file")), _findings(row, event)
    faults = [_fault(each, "" if place else file) for place, each in enumerate(found)]
    if line := offer(session, row):
        return f"{sentence('; '.join(faults))}{line}"
    fixes = dict.fromkeys(text(each, "fix") for each in found)
    if row.rule == FINDING_SEEN and LINE_TWICE in map(broken_rule, found):
        # What to do instead is for its author.
        return sentence("; ".join(faults))
    fix = "; ".join(filter(None, fixes)) or f"it is kept: palaver quarantine show {text(event.data, 'id')}"
    return sentence("; ".join((*faults, fix)))


def _findings(row: Consequence, event: Event) -> list[dict[str, object]]:
    """Return the findings that a notice is about."""
    if row.rule not in (FINDING, FINDING_SEEN):
        return []
    found = findings_of(event)
    return [found[int(place)] for place in row.why.split() if int(place) < len(found)]


def _fault(finding: dict[str, object], file: str) -> str:
    code = text(finding, "code") or text(finding, "reason")
    return f"{code}{f' in {file}' if file else ''}: {text(finding, 'message')}"


def bounce(session: Session, row: Consequence) -> Message:
    """Return the notice to the sender of a line that it reached nobody; the intake has worded it."""
    event = cause_of(session, row)
    said = from_event(event) if event else None
    return Message(
        sender=BUS,
        to=[row.recipient],
        body=(event and text(event.data, "bounce")) or "Your message reached nobody.",
        reply_to=said.id if said else "",
        thread=said.thread if said else "",
        meta={"rule": row.rule},
        auth="token",
    )


def offer(session: Session, row: Consequence) -> str:
    """Return the end of a notice: the line to write instead, or what to do where no line has an effect."""
    event = cause_of(session, row)
    verdict = _verdict(session, row, event) if event is not None else None
    if event is None or verdict is None or verdict.rule in (LINE_TWICE, "secret"):
        # A line that was pasted again by mistake must not be offered a third time; one with a secret counted.
        return ""
    if row.rule in MOVE_RULES:
        # Most lines have their effect, and never need it.
        from palaver.bus.tasks.move_notices import instead

        return instead(session, row, event, verdict)
    corrections = spec(verdict.mount.dialect).corrections
    line = corrected(verdict)
    if row.rule == FINDING_SEEN and line and "\n" not in line:
        return f" {verdict.author} is told to write: {line}"
    if row.rule in COUNTED or (row.rule == FINDING and corrections.has_counted(verdict)):
        return written("It counted; next time write", line)
    # The answer to a move without effect says what to do now.
    return written("Next time write" if _is_refused(session, verdict.message) else "Write", line)


def corrected(verdict: Verdict) -> str:
    """Return the line to write instead of a wrong one; empty if there is none."""
    try:
        return spec(verdict.mount.dialect).corrections.line(verdict)
    except _FAULTS:
        # It is made of whatever an agent has written. The author is told what is wrong, and a bug
        # of ours there does not stop the bus: every command would meet the line again.
        return ""


def written(order: str, line: str) -> str:
    """Return the line to write as the end of a notice; nothing if there is none."""
    if "\n" in line:
        return f"\n\n{order}:\n\n~~~\n{indent(line, '    ')}\n~~~"
    return f" {order}: {line}" if line else ""


def run_and_task(session: Session, row: Consequence) -> tuple[str, str]:
    """Return the run and the task of the line that a notice is about, or of the line to write instead.

    A line to write may name a placeholder, or a part of an id that cannot be: then it has no task.
    """
    event = cause_of(session, row)
    if event is None:
        return "", ""
    message = _message(session, row, event)
    if message is None and (verdict := _verdict(session, row, event)):
        dialect = spec(verdict.mount.dialect)
        line = f"{corrected(verdict)}\n".encode()
        source = Source(path=verdict.file, content=line, mount=verdict.mount, provenance=Provenance.NONE)
        message = next(iter(dialect.parse(source).messages), None)
        if message and not _is_meant(verdict, message.task):
            return message.run, ""
    return (message.run, message.task) if message else ("", "")


def _is_meant(verdict: Verdict, task_id: str) -> bool:
    """Return True if the author of a line means this task: the board has it, or the line names it."""
    named = re.search(rf"(?<![\w/]){re.escape(task_id)}(?![\w/])", verdict.text)
    return named is not None or verdict.find_task(task_id) is not None


def _summary(session: Session, mount: str) -> str:
    """Return the one notice about the lines of a new mount that were wrong before it was mounted."""
    found = backlog(session.view, mount)
    said = [f"{numbered(found.unreadable, 'line')} could not be read (see `palaver quarantine`)"]
    said += [f"{numbered(found.odd, 'line')} broke a rule (see `palaver lint`)"]
    said += [f"{numbered(found.idle, 'line')} had no effect on a task (see `palaver task show`)"]
    counted = [words for words, count in zip(said, found, strict=True) if count]
    return f"The files of {mount} were read for the first time: {', '.join(counted)}."


def cause_of(session: Session, row: Consequence) -> Event | None:
    """Return the event of the line that a notice is about."""
    found = session.log.event(row.seq)
    return found if found and found.event_id == row.cause else None


def _verdict(session: Session, row: Consequence, event: Event) -> Verdict | None:
    """Return what the dialect needs to know; None for a whole file, and for a line of no known dialect."""
    db, src = session.view, source_of(event)
    name = text(src, "mount")
    settings = session.view.roster().mounts.get(name, {})
    if text(settings, "dialect") not in DIALECTS or text(event.data, "about") == "file":
        return None
    local = partial(local_name, settings)
    message, found = _message(session, row, event), _findings(row, event)
    first = found[0] if found else {}
    return Verdict(
        rule=_rule(row, first),
        mount=mount_of(name, settings),
        file=original_file(text(src, "file")),
        text=text(event.data, "text") if found else "",
        message=message and message.replace(sender=local(message.sender), to=[*map(local, message.to)]),
        author=local(text(first, "author") if row.rule == FINDING_SEEN else row.recipient),
        lead=local(conventions(settings).caretaker(settings)),
        at=event.timestamp,
        wrong=text(first, "wrong"),
        meant=text(first, "meant"),
        find_task=partial(_find_task, session, settings),
        find_alike=partial(board.alike, db),
        tasks=tuple(_tasks(session, row.recipient)),
        questions=tuple(
            AskedQuestion(each.id, local(each.asker), each.task)
            for each in open_questions.asked_of(db, row.recipient, name)
        ),
        has_moved=_has_moved(session, message),
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


def _is_refused(session: Session, message: Message | None) -> bool:
    """Return True if a line in its right file tried to move its task, in vain."""
    tried = board.attempt(session.view, message.seq) if message else None
    return tried is not None and tried.why not in ("", MISFILED)


def _rule(row: Consequence, finding: dict[str, object]) -> str:
    """Return the rule that a line breaks, or the code of what is wrong with it."""
    if row.rule == FINDING_SEEN:
        return broken_rule(finding)
    return row.task if row.rule == FINDING else row.rule


def _tasks(session: Session, agent: str) -> list[Task]:
    return board.held(session.view, agent, tuple(TO_DO), _TASKS)


def _message(session: Session, row: Consequence, event: Event) -> Message | None:
    """Return the message of a line, if it was understood."""
    wanted = [text(each, "message_id") for each in _findings(row, event)][:1] or [
        text(event.data, "message_id")
    ]
    if event.event_type == "mail.sent" and wanted == [text(event.data, "message_id")]:
        return from_event(event)
    # A line may be several messages, and its findings name the first.
    message = inbox.found(session.view, wanted[0])
    found = session.said(message) if message else None
    return from_event(found) if found else None
