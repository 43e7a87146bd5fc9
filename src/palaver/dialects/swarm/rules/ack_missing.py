"""SWA104 ack-missing: a task was assigned and never acknowledged, though its recipient wrote later.

Why: an agent that is assigned a task by @mention acknowledges it; otherwise the director cannot know whether the
assignment was seen, and repeats or forgets it. An agent that has not written since may not have read it yet.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"task","reasoning":"Next.","content":"@qa test the parser, task #2."}
    {"ts":"2026-01-25T23:46:00Z","from":"qa","to":["@td"],"type":"status","reasoning":"Progress.","content":"50% complete"}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"task","reasoning":"Next.","content":"@qa test the parser, task #2."}
    {"ts":"2026-01-25T23:46:00Z","from":"qa","to":["@td"],"type":"task","reasoning":"Receipt.","content":"ACK: Claimed task #2. Starting."}
"""

from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Located, Violations
from palaver.dialects.swarm.handles import mentioned_agents
from palaver.model.message import Message
from palaver.model.names import EVERYONE

NEEDS_CONTEXT: Final = True

#: Acts that show that an assignment was seen; a claim and a refusal do as well.
_RECEIPTS: Final = frozenset(["ack", "claim", "refuse"])


def check(file: CheckedFile) -> Violations:
    waiting: dict[str, list[Located]] = {}
    fresh: dict[str, list[Located]] = {}
    silent: dict[tuple[str, int], tuple[Located, int]] = {}
    for each in file.messages():
        sender = each.message.sender
        done = _answered(waiting.get(sender, []), each.message)
        for assignment in fresh.pop(sender, []):
            silent[sender, assignment.place.offset] = assignment, each.place.line
        if done is not None:
            waiting[sender].remove(done)
            silent.pop((sender, done.place.offset), None)
        if each.message.act == "assign":
            for agent in _addressees(each.message):
                waiting.setdefault(agent, []).append(each)
                fresh.setdefault(agent, []).append(each)
    for (agent, _), (assignment, line) in silent.items():
        name = ascii(assignment.message.task)[1:-1][:40]
        task = f"task #{name}" if name else "the task"
        said = f"@{agent} wrote on line {line} but never acknowledged {task}"
        yield assignment.violation(said, "answer with type task: ACK: and the task")


def _addressees(message: Message) -> list[str]:
    """Return the agents that are assigned the task: those in `to`, or those a task for everyone mentions."""
    named = [each for each in message.to if each != EVERYONE] or mentioned_agents(message.body)
    return [agent for agent in dict.fromkeys(named) if agent != message.sender]


def _answered(waiting: list[Located], receipt: Message) -> Located | None:
    """Return the assignment that a receipt is for: the one of its task, or the oldest possible one."""
    if receipt.act not in _RECEIPTS:
        return None
    same = [each for each in waiting if each.message.task == receipt.task]
    loose = [each for each in waiting if not receipt.task or not each.message.task]
    return next(iter(same or loose), None)
