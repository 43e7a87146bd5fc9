"""In whose name a step is said, so that a team hears it as its own protocol has it.

    office    WAKE, WAKE_FINAL, IDLE_WARNING, IDLE_REPORT, ABANDON    the manager
    vermas    NUDGE                                                   the supervisor of the factory
              SUPERVISOR_PING                                         operations
              ESCALATION                                              the supervisor, then operations
    collab    that the watchdog has ended somebody                    the system

Everything else the bus says in its own name. The event is `palaver`'s in any case, so nobody counts as
active, and nothing counts as answered, because the bus spoke for him.
"""

from typing import Final

from palaver.supervision.facts import Facts
from palaver.supervision.step import WATCHDOG, Step

#: What only a manager says, in an office.
OFFICE: Final = ("WAKE", "WAKE_FINAL", "IDLE_WARNING", "IDLE_REPORT", "ABANDON")
_SYSTEM: Final = "system"


def voice(facts: Facts, step: Step) -> str:
    """Return in whose name a step is said; nothing if it is in the bus's own."""
    name = _named(facts, step)
    return name if name == _SYSTEM or (name in facts.live and name not in step.to) else ""


def _named(facts: Facts, step: Step) -> str:
    if step.tag in OFFICE and step.to == (step.agent,):
        return facts.heads.get(step.agent, "")
    if step.tag == WATCHDOG:
        return _SYSTEM
    if step.rule == "nudge":
        return facts.heads.get(step.agent) or facts.supervisor(step.agent)
    if step.rule == "ping":
        return next(iter(facts.operations), "")
    if step.rule == "escalate" and step.to == facts.operations:
        return facts.supervisor(step.agent)
    if step.rule == "escalate" and step.to == facts.ceo and step.agent in facts.operations:
        return step.agent
    return ""
