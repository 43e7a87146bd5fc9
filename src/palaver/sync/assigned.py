"""`.work/.assignment-<agent>`: what waits for an agent, in one line. The bus writes it, and others may.

What is written by hand sets the assignment, and a work order that nobody has is that agent's from then on; an
empty file, or none, clears it. What the bus gives or takes is written there, moved into place as a whole.
"""

import os
from typing import Final

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session
from palaver.dialects.vermas.grammar import ASSIGNMENTS
from palaver.dialects.vermas.layout import assignment_file
from palaver.dialects.vermas.values import Assignment
from palaver.model.dialect import Kind, Source
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.names import Names
from palaver.sync.render.small_files import GONE, Placing, news
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import assignments

FOLDER: Final = ".work"


# --- what others write ---


def take_assignment(intake: Intake, file: str, path: str) -> None:
    """Take in an assignment file; one that says what it said, or what we put there, is no news."""
    found = news(intake, file, path)
    if found is not None:
        batch = Batch()
        _read(intake, found[1], found[0], batch)
        intake.put_soon(batch)


def take_missing(intake: Intake) -> None:
    """Take in that an assignment file is gone: whoever took it away has cleared it."""
    if not os.path.isdir(intake.mounted.full(FOLDER)):
        return
    for file, source in intake.sources.items():
        is_one = file.startswith(ASSIGNMENTS) and source.length and source.mark != GONE
        if is_one and not os.path.lexists(intake.mounted.full(file)):
            place = Place(mount=intake.mounted.name, file=file, gen=source.gen + 1, mark=GONE)
            batch = Batch()
            _cleared(intake, place, batch)
            intake.core.log.append(batch.drafts)
            intake.report.taken(intake.mounted.name, batch)


def _read(intake: Intake, place: Place, content: bytes, batch: Batch) -> None:
    """Make events of what a file says."""
    mounted = intake.mounted
    parsed = mounted.dialect.parse(Source(path=place.file, content=content, mount=mounted.mount))
    if not parsed.pieces or parsed.pieces[0].kind is Kind.BLANK:
        _cleared(intake, place, batch, len(content))
        return
    src = place.src(0, len(content), hashed(content))
    value = parsed.pieces[0].values[0] if parsed.pieces[0].values else None
    if not isinstance(value, Assignment):
        why = parsed.findings[0].message if parsed.findings else "it cannot be read"
        reason = (parsed.pieces[0].reason, why)
        batch.drafts.append(intake.quarantine(place, (0, len(content)), content, reason, []))
        return
    agent = _agent(intake, place.file)
    batch.drafts += intake.resolver.register(agent)
    given: dict[str, object] = {"agent": agent, "ref_type": value.ref_type, "ref_id": value.ref_id}
    batch.drafts.append(draft("assignment.set", {**given, "replace": True}))
    if value.ref_type == "work_order":
        batch.drafts += _handed_over(intake, place, agent, value.ref_id)
    batch.drafts.append(draft("file.recorded", {"kind": "Assignment", "value": given}, src))


def _cleared(intake: Intake, place: Place, batch: Batch, length: int = 0) -> None:
    agent = _agent(intake, place.file)
    held = assignments.assignment(intake.db, agent)
    if held is not None:
        said: dict[str, object] = {"agent": agent, "previous_ref": held.line}
        batch.drafts.append(draft("assignment.cleared", said))
    batch.drafts.append(draft("file.recorded", {"kind": "blank"}, place.src(0, length, hashed(b""))))


def _handed_over(intake: Intake, place: Place, agent: str, ref: str) -> list[Draft]:
    """Return the move that gives an agent a work order that nobody has."""
    card = intake.known.card(ref.lower())
    if card is None or card.task.state != "open":
        return []
    task = card.task
    message = Message(
        sender=task.owner or BUS,
        to=[agent],
        act="assign",
        task=task.id,
        body=task.title or f"{task.id} is yours.",
        subject=task.title,
    )
    if message.sender == agent:
        message.act = "claim"
        message.to = []
    moved = mail_sent(message)
    moved.src = place.src(0, 0, "", history=1) if intake.history else place.src(0, 0, "")
    return [moved]


def _agent(intake: Intake, file: str) -> str:
    """Return whose file it is: `/` is written as `-` there, so only who is known can be told for certain."""
    mounted = intake.mounted
    names = Names(mounted, intake.roster)
    alike = [
        agent for agent in intake.roster.agents.values() if assignment_file(names.shown(agent.id)) == file
    ]
    if alike:
        return min(alike, key=lambda agent: (mounted.name not in agent.homes, agent.id)).id
    written = file.removeprefix(ASSIGNMENTS)
    try:
        return names.speaker(written)
    except Refusal:
        return written.lower()


# --- what we write ---


def project_assignments(
    core: Session, db: Query, mounted: MountPoint, roster: Roster, report: Report
) -> None:
    """Let every assignment file say what waits for its agent."""
    names = Names(mounted, roster)
    wanted: dict[str, str] = {}
    for each in assignments.assignments(db):
        if _concerns(roster, mounted, each.agent):
            wanted.setdefault(assignment_file(names.shown(each.agent)), each.line)
    known = sources.sources(db, mounted.name)
    for file in known:
        if file.startswith(ASSIGNMENTS) and os.path.lexists(mounted.full(file)):
            wanted.setdefault(file, "")
    placing = Placing(core, mounted, report)
    for file, line in wanted.items():
        source = known.get(file)
        found = placing.standing(file, source)
        if found is None or found[0].strip() == line.encode():
            continue
        if line or not (source is not None and source.quarantined):
            placing.put(file, f"{line}\n".encode() if line else b"", found)


def _concerns(roster: Roster, mounted: MountPoint, agent: str) -> bool:
    """Tell whether an agent looks for its assignment here: where it lives, if that is a company."""
    known = roster.agents.get(agent)
    homes = known.homes if known is not None else ()
    companies = [home for home in homes if roster.mounts.get(home, {}).get("dialect") == "vermas"]
    return not companies or mounted.name in companies
