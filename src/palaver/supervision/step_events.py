"""The events that a step of the patrol is."""

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import draft
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.runs import kill
from palaver.supervision.facts import Facts
from palaver.supervision.step import PLAIN, Step, StepRule

#: How each run of an agent ended.
RunEnds = dict[str, str]
# Of several runs of one agent, the hardest end is named.
_HARDEST = (kill.MADE, kill.ASKED, kill.ELSEWHERE, kill.GONE)


def draft_events(facts: Facts, step: Step, cause: str, ends: RunEnds) -> list[Draft]:
    """Return the events of a step, given the id of the event that caused it and how programs ended for it."""
    key = step.key(cause)
    caused_by = cause if cause.startswith("evt-") else ""
    match step.rule:
        case StepRule.LEASE | StepRule.WARN:
            return [facts.leases[step.task].draft_due(step.rule)]
        case StepRule.WITHDRAW:
            data: dict[str, object] = {"message_id": step.message, "by": BUS}
            return [
                draft("mail.withdrawn", BUS, data, key=key, caused_by=caused_by, correlation_id=step.message)
            ]
        case StepRule.KILL:
            how = next((how for how in _HARDEST if how in ends.values()), "none")
            data = {"agent": step.agent, "run": step.run, "why": step.why, "steps": step.encoded_marks()}
            return [
                draft("agent.killed", BUS, {**data, "how": how, "runs": ends}, key=key, caused_by=caused_by)
            ]
        case StepRule.NUDGE:
            mail = _mail(step, key, caused_by)
            data = {"agent": step.agent, "message_id": mail.data["message_id"], "why": step.why}
            return [mail, draft("agent.nudged", BUS, data, key=f"{key}:event", caused_by=caused_by)]
        case _:
            return [_mail(step, key, caused_by)]


def _mail(step: Step, key: str, caused_by: str) -> Draft:
    meta: dict[str, object] = {"rule": step.rule.value, "steps": step.encoded_marks()}
    if step.fence:
        meta["fence"] = step.fence
    message = Message(
        sender=step.sender or BUS,
        to=list(step.to),
        act=step.act,
        body=step.body,
        task=step.task,
        priority="urgent" if step.rule is StepRule.ESCALATE else "normal",
        tag=step.tag if step.tag.isupper() and step.tag != PLAIN else "",
        meta=meta,
        auth="token",
    )
    mail = mail_sent(message, key=key, caused_by=caused_by)
    # Whatever the name of the sender, it is the bus that speaks.
    mail.actor = BUS
    return mail
