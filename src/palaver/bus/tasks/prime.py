"""What to do now: the one question of an agent that starts.

Its assignment comes first, and is to be executed at once: no confirmation, no questions, no waiting. Then
other work that it holds, then urgent mail, then the rest of the mail, oldest first. Low mail is not announced
while there is work. If there is nothing at all: await instructions.
"""

from palaver.bus.mail import mailbox, send
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import Session
from palaver.bus.tasks import assignment as assigning
from palaver.bus.tasks import moves
from palaver.model.errors import NotFound
from palaver.model.limits import ROWS
from palaver.model.message import Message, priority_of
from palaver.views.tasks.assignments import Assignment
from palaver.views.tasks.board import Card


class Prime:
    """What an agent has to do, the first thing first."""

    __slots__ = ("agent", "assignment", "letter", "mail", "order", "work")

    def __init__(self, agent: str) -> None:
        """Start with nothing to do."""
        self.agent = agent
        self.assignment: Assignment | None = None
        # What the assignment is about: a work order, or the mail itself.
        self.order: Card | None = None
        self.letter: Message | None = None
        self.work: list[Card] = []
        self.mail: list[Mail] = []

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
        return {
            "agent": self.agent,
            "next": self.next,
            "assignment": self.assignment.plain() if self.assignment else None,
            "order": self.order.plain() if self.order else None,
            "letter": self.letter.plain() if self.letter else None,
            "work": [card.plain() for card in self.work],
            "mail": [mail.plain() for mail in self.mail],
        }


def prime(session: Session, agent: str, *, key: str = "") -> Prime:
    """Tell an agent what to do now, and record that it asked."""
    found = Prime(agent)
    cards = moves.list_tasks(session, states=moves.AT_WORK, holder=agent)
    found.assignment = assigning.check(session, agent, key=key)
    if found.assignment is not None:
        _explain(session, found, found.assignment)
    about = found.order.task.id if found.order else ""
    found.work = [card for card in cards if card.task.id != about]
    if session.view.current().execute("select 1 from agent where id = ?", (agent,)):
        listing = mailbox.list_inbox(session, agent, scope="open", limit=ROWS)
        idle = found.assignment is None and not found.work
        letter = found.letter.id if found.letter else ""
        found.mail = [
            mail
            for mail in listing.mail
            if (idle or priority_of(mail.message.priority).interrupts)
            and mail.message.id != letter
            # The mail that gave the assignment says nothing that was not said.
            and not (mail.message.act == "assign" and about and mail.message.task == about)
        ]
    return found


def _explain(session: Session, found: Prime, assignment: Assignment) -> None:
    """Look up what an assignment is about; what cannot be found is still to be executed."""
    try:
        if assignment.kind == "work_order":
            found.order = moves.task_card(session, assignment.ref)
        elif assignment.kind == "mail":
            found.letter = send.find(session, assignment.ref)
        else:
            steps = [
                card for card in moves.list_tasks(session) if card.task.id.startswith(f"{assignment.ref}.")
            ]
            mine = [card for card in steps if card.task.holder == found.agent or card.ready]
            found.order = mine[0] if mine else None
    except NotFound:
        return
