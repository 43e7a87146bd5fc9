"""What an agent has to do now, for an agent that starts.

Its assignment comes first, and is to be executed at once: no confirmation, no questions, no waiting. Then
other work that it holds, then urgent mail, then the rest of the mail, oldest first. Low mail is not announced
while there is work. If there is nothing at all: await instructions.
"""

from dataclasses import dataclass

from palaver.bus.mail import mailbox, send
from palaver.bus.mail.mailbox import Mail
from palaver.bus.operations.fields import Key, Speaker
from palaver.bus.operations.operation import operation, writes
from palaver.bus.operations.result import PlainFields
from palaver.bus.session import Session
from palaver.bus.tasks import assignment as assigning
from palaver.bus.tasks import moves
from palaver.model.errors import NotFound
from palaver.model.limits import ROWS
from palaver.model.message import Message, priority_of
from palaver.model.task import AT_WORK
from palaver.views.tasks.assignments import Assignment
from palaver.views.tasks.board import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Prime(PlainFields):
    """What an agent has to do, the most important first."""

    agent: str
    assignment: Assignment | None
    #: What the assignment is about: a work order, or a message.
    order: Card | None
    letter: Message | None
    work: list[Card]
    mail: list[Mail]

    @property
    def next(self) -> str:
        """Return in one word what to do now."""
        if self.assignment is not None:
            return "execute"
        if self.work:
            return "work"
        return "read" if self.mail else "await"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {**PlainFields.plain(self), "next": self.next}


@operation(writes)
def prime(session: Session, agent: Speaker = "", *, key: Key = "") -> Prime:
    """Return what an agent has to do now, and record that it asked."""
    agent = session.speaker(agent)
    cards = moves.list_tasks(session, states=AT_WORK, holder=agent)
    assignment = assigning.check(session, agent, key=key)
    order, letter = _look_up(session, agent, assignment) if assignment else (None, None)
    about = order.task.id if order else ""
    work = [card for card in cards if card.task.id != about]
    mail: list[Mail] = []
    if session.view.current().execute("select 1 from agent where id = ?", (agent,)):
        is_idle = assignment is None and not work
        mail = [
            each
            for each in mailbox.list_inbox(session, agent, limit=ROWS).mail
            if (is_idle or priority_of(each.message.priority).interrupts)
            and (letter is None or each.message.id != letter.id)
            # The mail that gave the assignment says nothing new.
            and not (each.message.act == "assign" and about and each.message.task == about)
        ]
    return Prime(agent=agent, assignment=assignment, order=order, letter=letter, work=work, mail=mail)


def _look_up(session: Session, agent: str, assignment: Assignment) -> tuple[Card | None, Message | None]:
    """Return the work order or message of an assignment; one that is not found is still to be executed."""
    try:
        if assignment.kind == "work_order":
            return moves.task_card(session, assignment.ref), None
        if assignment.kind == "mail":
            return None, send.find(session, assignment.ref)
    except NotFound:
        return None, None
    steps = [card for card in moves.list_tasks(session) if card.task.id.startswith(f"{assignment.ref}.")]
    return next((card for card in steps if card.task.holder == agent or card.ready), None), None
