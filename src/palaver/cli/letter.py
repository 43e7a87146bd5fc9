"""A message as text: its fields, then its body."""

from palaver.cli.show import block, field_lines, safe
from palaver.model.event import number, text
from palaver.model.message import Message


def _claimed(message: Message) -> str:
    """Return how a sender that nothing proves is marked: inside a run, by the agent that used the name."""
    if message.auth != "claimed":
        return ""
    agent, run = text(message.inside, "agent"), text(message.inside, "run")
    if message.inside and not agent:
        return " (claimed in a run of another bus)"
    return f" (claimed by {agent}, in {run})" if agent and agent != message.sender else " (claimed)"


def letter(message: Message, kind: str = "") -> str:
    """Return a message as lines of text that only print; `kind` is what its protocol calls the act."""
    head = {
        "id": message.id,
        "from": f"{message.sender}{_claimed(message)}",
        "to": ", ".join(message.to),
        "at": message.at,
        "type": kind,
        "act": message.act if message.act != "inform" and not kind else "",
        "priority": message.priority if message.priority != "normal" else "",
        "subject": message.subject,
        "task": message.task,
        "run": message.run,
        "reply to": message.reply_to,
        "reasoning": message.reasoning,
    }
    lines = field_lines(head, 11)
    lines += [
        f"{'file:':<11}{safe(text(file, 'path'))} ({number(file, 'size')} bytes)" for file in message.files
    ]
    lines += [f"{'artifact:':<11}{safe(artifact)}" for artifact in message.artifacts]
    lines += [f"{safe(name) + ':':<11}{safe(str(value))}" for name, value in message.meta.items()]
    words = "(redacted)" if message.redacted else message.body
    return "\n".join(lines) + ("\n\n" + block(words) if words else "")
