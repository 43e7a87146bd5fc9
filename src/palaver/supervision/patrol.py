"""One patrol: facts in, steps out. Pure: no clock, no disk, no randomness.

An agent that has work and does nothing is nudged; then its program is killed and its work is released. What
nobody answers is reminded of, given to another agent, or escalated. Each step says why. The view knows the
steps that were taken, so a repeated patrol takes none twice; and because the key of a step is made from its
cause, neither do two patrols that know nothing of each other.
"""

from collections.abc import Iterator
from dataclasses import replace

from palaver.supervision.facts import Facts
from palaver.supervision.idle_agents import handle_idle_agents
from palaver.supervision.notice_follow_up import follow_up_notices
from palaver.supervision.office_polls import handle_office_polls
from palaver.supervision.reminders import hand_over_blocked_tasks, remind
from palaver.supervision.senders import choose_sender
from palaver.supervision.stalls import (
    end_leases,
    escalate_cycles,
    escalate_orphans,
    ping_supervisors,
    report_silent_programs,
    report_stray_assignments,
)
from palaver.supervision.step import Step

#: What a patrol looks for, in this order. Each yields the steps that should have been taken by now.
CHECKS = (
    handle_idle_agents,
    handle_office_polls,
    end_leases,
    hand_over_blocked_tasks,
    escalate_orphans,
    report_silent_programs,
    ping_supervisors,
    report_stray_assignments,
    escalate_cycles,
    remind,
    follow_up_notices,
)


def patrol(facts: Facts) -> list[Step]:
    """Return the steps that are due."""
    return [replace(step, sender=choose_sender(facts, step)) for step in _due(facts)]


def _due(facts: Facts) -> Iterator[Step]:
    for check in CHECKS:
        for step in check(facts):
            if facts.taken(step.rule, step.since, step.agent, step.subject).times < step.n:
                yield step
