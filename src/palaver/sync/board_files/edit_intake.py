"""Intake of a file that shows the board: the edits that others made in it, as events."""

import os
from dataclasses import replace

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.tasks.consequences import settle
from palaver.model.board_files import AssignmentEdit, IllegibleError, TaskEdit
from palaver.model.event import Draft, Event
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import AT_WORK, ENDED
from palaver.sync import foreign_file
from palaver.sync.intake.file_events import FilePlace, IntakeBatch, LineNote, draft, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.mount_intake import MountIntake
from palaver.sync.intake.resolver import Resolver
from palaver.sync.mount_names import MountNames
from palaver.views.agents.policy import Policy
from palaver.views.agents.power import UNPROVED
from palaver.views.tasks import assignments
from palaver.views.tasks.assignments import Assignment
from palaver.views.tasks.board import Card

# The mark of a file that does not exist any more.
_GONE = "gone"


class _UnknownAgentError(Exception):
    """Raised for the assignment of an agent that is not known yet: it waits in its file."""


def take_board_file(intake: MountIntake, file: str, path: str) -> bool:
    """Take in the edits of a file; content that the log has, or that the bus wrote, is no edit.

    Return False if the next pass must read it again: it seems to be incomplete, or its agent is unknown.
    """
    found = _read_new(intake, file, path)
    if found is None:
        return True
    content, place = found
    batch = IntakeBatch()
    try:
        _take(intake, place, content, batch)
    except _UnknownAgentError:
        return False
    except IllegibleError as fault:
        if fault.may_grow and not foreign_file.is_quiet(os.stat(path)):
            intake.report.unsettled = True
            return False
        reason = (fault.code, fault.why)
        batch.drafts += intake.quarantine(place, (0, len(content)), content, reason)
    intake.batch.add(batch.drafts, batch.messages)
    return True


def _read_new(intake: MountIntake, file: str, path: str) -> tuple[bytes, FilePlace] | None:
    """Return the content of a file, None if it is as it was, or as the bus wrote it."""
    fd, found = foreign_file.open_to_read(path)
    try:
        mark = f"{found.st_ino}:{found.st_mtime_ns}"
        source = intake.sources.get(file)
        if source is not None and source.mark == mark:
            return None
        content = os.pread(fd, LINE_BYTES + 1, 0)
        sha = hashed(content)
        if source is not None and source.gen and source.sha == sha and source.mark != _GONE:
            return None
        gen = source.gen + 1 if source else 1
        place = FilePlace(mount=intake.mounted.name, file=file, gen=gen, mark=mark, history=intake.history)
        os.fdatasync(fd)
        if source is None or source.intent != sha:
            return content, place
        intake.batch.drafts.append(draft("file.kept", {}, place.src(0, found.st_size, sha)))
        intake.report.confirmed += 1
        return None
    finally:
        os.close(fd)


def take_removals(intake: MountIntake) -> None:
    """Take in that files were removed, where that has the same effect as emptying them."""
    mounted = intake.mounted
    for file, source in intake.sources.items():
        codec = mounted.dialect.board_files.codec(file)
        if codec is None or not codec.is_cleared_by_removal or not source.length or source.mark == _GONE:
            continue
        path = mounted.full(file)
        if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
            place = FilePlace(mount=mounted.name, file=file, gen=source.gen + 1, mark=_GONE)
            _take(intake, place, b"", intake.batch)


def _take(intake: MountIntake, place: FilePlace, content: bytes, batch: IntakeBatch) -> None:
    codec = intake.mounted.dialect.board_files.codec(place.file)
    assert codec is not None, "only files of a codec are read as a whole"
    edits = codec.read(place.file, content[:LINE_BYTES], intake.mounted.mount)
    notes = _edit_tasks(intake, place, [each for each in edits if isinstance(each, TaskEdit)], batch)
    for each in edits:
        if isinstance(each, AssignmentEdit):
            batch.drafts += _assign(intake, place, each, notes)
    kind = codec.kind if content.strip() else "blank"
    recorded = draft("file.recorded", {"kind": kind}, place.src(0, len(content), hashed(content)))
    intake.resolver.findings.attach(recorded, notes, content)
    batch.drafts.append(recorded)


def _edit_tasks(
    intake: MountIntake, place: FilePlace, edits: list[TaskEdit], batch: IntakeBatch
) -> list[LineNote]:
    """Add the events of edits of tasks; return what of them has no effect."""
    notes: list[LineNote] = []
    if not edits:
        return notes
    intake.flush()
    # Messages of the same pass count already: an approval in a log, and the card that shows it.
    intake.session.view.current()
    known = Known(intake.session)
    known.cards = intake.known.cards if intake.history else {}
    resolver = Resolver(intake.mounted, intake.roster, known, intake.lines_read)
    for count, each in enumerate(edits):
        drafts, odd = resolver.edit(place, each, place.src(count, 0, ""))
        batch.drafts += drafts
        notes += odd
    return notes


# --- assignments ---


def _assign(
    intake: MountIntake, place: FilePlace, edit: AssignmentEdit, notes: list[LineNote]
) -> list[Draft]:
    """Return the events of an assignment, or note that it counts for nothing.

    A work order does not take the place of other work.
    """
    # Messages of the same pass count already: work that was delivered is no assignment any more.
    intake.flush()
    settle(intake.session)
    agent = _agent(intake, edit.agent)
    held = assignments.assignment(intake.session.view.current(), agent)
    is_changed = bool(agent) and (held.line if held else "") != (edit.line if edit.ref_type else "")
    if is_changed and not place.history and _is_strict(intake, place):
        said = f"the assignment of {agent} is not changed: {UNPROVED}"
        fix = "use co assignment inside a run of the agent that assigns"
        return _refuse(intake, notes, LineNote(code="assignment", said=said, fix=fix))
    if not edit.ref_type:
        cleared: dict[str, object] = {"agent": agent, "previous_ref": held.line if held else ""}
        return [draft("assignment.cleared", cleared)] if held else []
    if not agent:
        raise _UnknownAgentError
    known = Known(intake.session)
    card = known.card(edit.ref_id.lower()) if edit.ref_type == "work_order" else None
    is_missing = card is None if edit.ref_type == "work_order" else _is_lost_mail(known, edit)
    if is_missing and not place.history:
        first = "open" if edit.ref_type == "work_order" else "send"
        fix = f"{first} it first, then write the line to {place.file} again"
        said = f"{edit.line} is not assigned to {agent}: there is no {edit.ref_id}"
        return _refuse(intake, notes, LineNote(code="assignment", said=said, fix=fix))
    if why := _objection(held, edit, card, agent, is_new=place.history):
        fix = f"finish that first, or empty {place.file} to clear it; then write the line again"
        fix = fix if held else "assign another work order"
        note = LineNote(code="assignment", said=f"{edit.line} is not assigned to {agent}: {why}", fix=fix)
        return _refuse(intake, notes, note.by((card.task.owner if card else "") or agent))
    drafts = intake.resolver.register(agent)
    if held is None or held.line != edit.line:
        given: dict[str, object] = {"agent": agent, "ref_type": edit.ref_type, "ref_id": edit.ref_id}
        drafts.append(draft("assignment.set", {**given, "replace": True} if held else given))
    return drafts + _hand_over(intake, place, agent, card)


def _is_strict(intake: MountIntake, place: FilePlace) -> bool:
    """Return True if nothing that is written into the files of this mount is proof."""
    return Policy(intake.roster).text("identity", Event({"src": place.src(0, 0, "")})) == "strict"


def _objection(
    held: Assignment | None, edit: AssignmentEdit, card: Card | None, agent: str, *, is_new: bool
) -> str:
    """Return why a work order is not assigned; of a new mount, what the file says counts."""
    if edit.ref_type != "work_order" or (held and held.line == edit.line):
        return ""
    if held:
        # Other work comes first. Mail may interrupt it.
        return f"it has {held.line}"
    if card and card.waits_for:
        return f"{card.task.id} waits for {', '.join(card.waits_for)}"
    if card is None or is_new:
        return ""
    if card.task.state in ENDED:
        return f"{card.task.id} is {card.task.state}"
    is_taken = card.task.state in AT_WORK and card.task.holder != agent
    return f"{card.task.holder} has it" if is_taken else ""


def _is_lost_mail(known: Known, edit: AssignmentEdit) -> bool:
    return edit.ref_type == "mail" and known.message(edit.ref_id) is None


def _refuse(intake: MountIntake, notes: list[LineNote], note: LineNote) -> list[Draft]:
    """Note that an assignment counts for nothing; without an author the lead is told of it."""
    notes.append(replace(note if note.author else note.by(intake.resolver.caretaker), wrong=note.said))
    return []


def _hand_over(intake: MountIntake, place: FilePlace, agent: str, card: Card | None) -> list[Draft]:
    """Return the move that gives an agent a task that has no holder."""
    if card is None or card.task.state != "open":
        return []
    task = card.task
    owner = task.owner or BUS
    is_own = owner == agent
    message = Message(
        sender=owner,
        to=[] if is_own else [agent],
        act="claim" if is_own else "assign",
        task=task.id,
        body=task.title or f"{task.id} is yours.",
    )
    moved = mail_sent(message)
    moved.src = place.src(0, 0, "") | ({"history": 1} if intake.history else {})
    return [moved]


def _agent(intake: MountIntake, written: str) -> str:
    """Return the agent that a file name means, with `-` for `/`; empty if none is known."""
    names = MountNames(intake.mounted, intake.roster)
    home = intake.mounted.name
    agents = intake.roster.agents.values()
    alike = [agent for agent in agents if names.shown(agent.id).replace("/", "-") == written]
    return min(alike, key=lambda agent: (home not in agent.homes, agent.id)).id if alike else ""
