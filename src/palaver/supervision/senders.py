"""In whose name a step is said, so that a team hears it as its own protocol has it.

    office    WAKE, WAKE_FINAL, IDLE_WARNING, IDLE_REPORT, ABANDON    the manager
    vermas    NUDGE                                                   the supervisor of the factory
              SUPERVISOR_PING                                         operations
              ESCALATION                                              the supervisor, then operations
    collab    that the watchdog has killed one of the pair            the system

Everything else the bus says in its own name. The actor of the event is always `palaver`: that the bus speaks
in the name of an agent makes that agent neither active nor its questions answered.
"""

from typing import Final

from palaver.supervision.facts import Facts
from palaver.supervision.step import WATCHDOG, Step, StepRule

#: What only a manager says, in an office.
_OFFICE: Final = ("WAKE", "WAKE_FINAL", "IDLE_WARNING", "IDLE_REPORT", "ABANDON")
_SYSTEM: Final = "system"


def choose_sender(facts: Facts, step: Step) -> str:
    """Return the agent in whose name a step is said; empty for the bus itself."""
    name = _protocol_sender(facts, step)
    return name if name == _SYSTEM or (name in facts.team.live and name not in step.to) else ""


def _protocol_sender(facts: Facts, step: Step) -> str:
    team = facts.team
    if step.tag in _OFFICE and step.to == (step.agent,):
        return team.managers.get(step.agent, "")
    if step.tag == WATCHDOG:
        return _SYSTEM
    if step.rule is StepRule.NUDGE:
        return team.managers.get(step.agent) or team.supervisor(step.agent)
    if step.rule is StepRule.PING:
        return next(iter(team.operations), "")
    if step.rule is StepRule.ESCALATE and step.to == team.operations:
        return team.supervisor(step.agent)
    if step.rule is StepRule.ESCALATE and step.to == team.ceo and step.agent in team.operations:
        return step.agent
    return ""
