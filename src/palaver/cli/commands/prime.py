"""palaver prime: show what to do now."""

from palaver.api import Bus
from palaver.bus.tasks.prime import Prime
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.cards import row
from palaver.cli.context import Context
from palaver.cli.letter import letter
from palaver.cli.show import block, clipped, safe
from palaver.model.message import Message, headline, priority_of

_PRIME = Binding(Bus.prime)
SPEC = Spec(
    "prime",
    "Show what to do now: the first command of an agent that starts.",
    options=_PRIME.options,
    text="""
Your assignment comes first: execute it at once, without confirmation, questions or waiting. Then other work
that you hold, then urgent mail, then the rest, oldest first. Low-priority mail is not announced while you
have work. The log records that you asked, and how long the assignment had waited.
""",
    examples=("palaver prime --as project-a/workers/slot0",),
)


def run(context: Context) -> int:
    """Show it."""
    found = _PRIME.perform(context)
    return context.show(found, prime_text(found))


def prime_text(found: Prime) -> str:
    """Return what to do as text, for an agent or a person."""
    parts = []
    if found.assignment is not None:
        ref = found.assignment.ref if found.assignment.kind == "work_order" else found.assignment.line
        parts.append(f"ASSIGNED: {safe(ref)}\nExecute it now: no confirmation, no questions, no waiting.")
        if found.letter is not None:
            parts.append(letter(found.letter))
        if found.order is not None:
            about = f"\n\n{block(found.order.task.about)}" if found.order.task.about else ""
            parts.append(row(found.order) + about)
    if found.work:
        parts.append("Your work:\n" + "\n".join(f"  {row(card)}" for card in found.work))
    if found.mail:
        head = "Then your mail:" if found.assignment or found.work else "Your mail, in this order:"
        parts.append("\n".join([head, *(_mail(mail.message) for mail in found.mail)]))
    if not parts:
        parts.append("Assignment is empty. No mail. Await instructions.")
    elif found.next == "read":
        parts.insert(0, "Assignment is empty.")
    return "\n\n".join(parts)


def _mail(message: Message) -> str:
    urgent = priority_of(message.priority).mark
    return f"  {urgent} {message.id}  {clipped(message.sender, 24):<14} {clipped(headline(message), 60)}"
