"""Work follows its owner: what is said about a task belongs to the run of the task, and reaches its owner."""

from palaver.model.message import Message
from palaver.model.task import GIVING, TASK_ACTS
from palaver.sync.intake.known_messages import Known
from palaver.sync.mount_names import MountNames


def with_task(message: Message, known: Known, names: MountNames) -> Message:
    """Return a message about a task with the run in which it was given, and for its owner too."""
    owner = _unreached_owner(message, known, names)
    to = [*message.to, owner] if owner else message.to
    return message.replace(run=message.run or known.run(message.task), to=to)


def _unreached_owner(message: Message, known: Known, names: MountNames) -> str:
    """Return the agent that must hear of a task and would not: the one that gave it, or its owner.

    A move of a task is for the owner, whoever was told of it, unless its recipient is the agent that gets the
    task. What else is said about a task is for the giver only if the line names no recipient.
    """
    is_open = names.names_nobody(message)
    is_move = message.act in TASK_ACTS - GIVING
    if not is_open and not is_move:
        return ""
    owner = known.giver(message.task, message.sender) or (known.owner(message.task) if is_move else "")
    if not owner or owner == message.sender or owner in names.agents(message.to):
        return ""
    # An agent of this mount reads it here, unless it is a line to the lead alone.
    is_read_here = not is_open or message.to[0].startswith("@")
    if is_read_here and names.lives_here(owner):
        return ""
    # The owner may be gone; that is no reason to bounce the message.
    return owner if names.agents([owner]) else ""
