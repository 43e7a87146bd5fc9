"""Assignments that files make, as events. A task that has no holder gets one by its assignment."""

from palaver.bus.mail.plain_send import mail_sent
from palaver.model.board_files import AssignmentEdit
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.sync.intake.file_events import FilePlace, draft
from palaver.sync.intake.mount_intake import MountIntake
from palaver.sync.mount_names import MountNames
from palaver.views.tasks import assignments


def assignment_drafts(intake: MountIntake, place: FilePlace, edit: AssignmentEdit) -> list[Draft]:
    """Return the events of an edit."""
    agent = _agent(intake, edit.agent)
    if not edit.ref_type:
        held = assignments.assignment(intake.db, agent)
        cleared: dict[str, object] = {"agent": agent, "previous_ref": held.line if held else ""}
        return [draft("assignment.cleared", cleared)] if held else []
    given = {"agent": agent, "ref_type": edit.ref_type, "ref_id": edit.ref_id}
    drafts = [*intake.resolver.register(agent), draft("assignment.set", {**given, "replace": True})]
    if edit.ref_type == "work_order":
        drafts += _handed_over(intake, place, agent, edit.ref_id)
    return drafts


def _handed_over(intake: MountIntake, place: FilePlace, agent: str, ref: str) -> list[Draft]:
    """Return the move that gives an agent a task that nobody has."""
    card = intake.known.card(ref.lower())
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
        subject=task.title,
    )
    moved = mail_sent(message)
    moved.src = place.src(0, 0, "") | ({"history": 1} if intake.history else {})
    return [moved]


def _agent(intake: MountIntake, written: str) -> str:
    """Return the agent that a file name means: with `-` for `/`, only a known agent is certain."""
    names = MountNames(intake.mounted, intake.roster)
    home = intake.mounted.name
    agents = intake.roster.agents.values()
    alike = [agent for agent in agents if names.shown(agent.id).replace("/", "-") == written]
    if alike:
        return min(alike, key=lambda agent: (home not in agent.homes, agent.id)).id
    try:
        return names.speaker(written)
    except Refusal:
        return written.lower()
