"""Every deadline in one table: what may last how long, whose it is, and which step follows.

Each is a key under `[deadlines]` in the config; the reference page is generated from this table. Seconds are
seconds that were patrolled (docs/adr/0020); rounds are polls of the manager of an office.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from palaver.model.event import table
from palaver.model.plain import loads

#: No deadline is longer than a year.
MOST: Final = 31_536_000


class Unit(Enum):
    """What a deadline counts; the value is its suffix."""

    SECONDS = " s"
    ROUNDS = " rounds"
    TIMES = ""


@dataclass(frozen=True, slots=True)
class Deadline:
    """One row of the table."""

    key: str
    default: int
    #: What lasts so long, the agent whose deadline it is, and the step that follows.
    what: str
    whose: str
    step: str
    unit: Unit = Unit.SECONDS


DEADLINES: Final = (
    # The patrol itself.
    Deadline("patrol", 30, "no patrol has run", "palaver up", "one pass"),
    Deadline("gap", 120, "no patrol has run", "the patrol", "time beyond this counts for no deadline"),
    # Idle agents.
    Deadline("nudge", 300, "an agent with work is idle", "the agent", "NUDGE, to the agent"),
    Deadline("kill", 900, "it is still idle", "the agent",
             "its program is killed, its work is released, and the agent that gave the work is told"),
    Deadline("escalate", 1_800, "nobody has taken the work, or nobody answers", "the agent that must act",
             "ESCALATION, to operations"),
    Deadline("ceo", 900, "operations has not dealt with an escalation", "operations",
             "ESCALATION, to the CEO"),
    Deadline("grace", 300, "a program has just started", "the agent", "added to all of the above"),
    Deadline("crash", 60, "a program has crashed and its agent holds work", "the agent",
             "its work is released, and the agent that gave it is told"),
    Deadline("stall", 600, "a program prints nothing, and its agent is silent", "the agent",
             "its supervisor is told"),
    Deadline("watchdog", 900, "one agent of a collab has work and is idle", "the agent",
             "its program is killed; the other agent and the CEO are told; it keeps its work"),
    Deadline("ping", 900, "a supervisor is silent while its workers have work", "the supervisor",
             "SUPERVISOR_PING"),
    Deadline("pong", 300, "it does not answer that", "the supervisor", "ESCALATION, to operations"),
    # Waits.
    Deadline("question", 600, "a question is unanswered", "the agent that was asked", "a reminder"),
    Deadline("mention", 600, "a mention is not acknowledged", "the agent that was mentioned", "a reminder"),
    Deadline("shutdown", 300, "a shutdown request is not confirmed", "the agent that was asked",
             "a reminder"),
    Deadline("claim", 600, "a claim is not approved", "the owner, or the leads", "a reminder"),
    Deadline("start", 600, "an assigned task is not started", "its holder", "a reminder"),
    Deadline("handoff", 600, "a handoff is not taken", "its holder", "a reminder"),
    Deadline("reassign", 1_800, "it is still not taken", "its holder",
             "a handoff goes back to its giver; an assigned task is open again, and its owner is told"),
    Deadline("delivery", 600, "a delivery is not checked", "its checkers", "a reminder"),
    Deadline("block", 600, "a task is blocked", "the owner, or the leads", "a reminder"),
    Deadline("report", 3_600, "a task is neither delivered nor blocked nor reported on", "its holder",
             "a reminder"),
    Deadline("circle", 300, "agents wait for each other in a cycle", "all of them",
             "ESCALATION, to operations"),
    Deadline("closed", 60, "an assignment is for finished or unknown work", "the agent that gave it",
             "it is reported"),
    # Reminders.
    Deadline("cooldown", 600, "an agent was reminded", "the agent", "no other reminder before"),
    Deadline("reminders", 3, "reminders of one wait", "the agent", "no more of them", Unit.TIMES),
    Deadline("cap", 20, "reminders to one agent in a day", "the agent", "no more of them", Unit.TIMES),
    # Offices count rounds of their manager.
    Deadline("wake", 1, "a worker with work was silent", "the worker", "WAKE", Unit.ROUNDS),
    Deadline("wake_final", 2, "the same", "the worker", "WAKE_FINAL", Unit.ROUNDS),
    Deadline("abandon", 3, "the same", "the worker", "ABANDON: its work is released, and the manager is told",
             Unit.ROUNDS),
    Deadline("idle_warning", 3, "a worker without work claims none of the open tasks", "the worker",
             "IDLE_WARNING", Unit.ROUNDS),
    Deadline("idle_report", 4, "the same", "the worker", "IDLE_REPORT, to the lead", Unit.ROUNDS),
    Deadline("claim_rounds", 3, "a claim is not approved in so many rounds of its worker", "the manager",
             "TIMEOUT: the claim is released", Unit.ROUNDS),
    # What leaves the machine.
    Deadline("notify", 10, "the command of `notify.command` runs", "the command", "it is killed"),
)  # fmt: skip
DEFAULTS: Final[Mapping[str, float]] = {row.key: float(row.default) for row in DEADLINES}


def in_force(settings: str) -> dict[str, float]:
    """Return every deadline, as the settings of a roster say, or else its default."""
    found = loads(settings) if settings else {}
    written = table(found if type(found) is dict else {}, "deadlines")
    numbers = {key: float(value) for key, value in written.items() if isinstance(value, int | float)}
    return {key: numbers.get(key, default) for key, default in DEFAULTS.items()}
