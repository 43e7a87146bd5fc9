"""Every deadline in one table: what may last how long, whose it is, and which step comes then.

Each is a key under `[deadlines]` in the config; the page in the docs is written from this table. Seconds are
seconds that a patrol has watched (docs/adr/0020), rounds are looks of who leads an office.
"""

from typing import Final

from palaver.model.event import table
from palaver.model.plain import loads

SECONDS, ROUNDS, TIMES = "s", "rounds", "times"
#: Nobody waits longer than a year, and nobody counts so far.
MOST: Final = 31_536_000
_ROUNDS: Final = ("wake", "wake_final", "abandon", "idle_warning", "idle_report", "claim_rounds")


class Deadline:
    """One row of the table."""

    __slots__ = ("key", "step", "unit", "usual", "what", "whose")

    def __init__(self, key: str, usual: int, *, unit: str, what: str, whose: str, step: str) -> None:
        """Take the key of the config, the usual value, what lasts too long, whose it is, and what is done."""
        self.key = key
        self.usual = usual
        self.unit = unit
        self.what = what
        self.whose = whose
        self.step = step


def _row(key: str, usual: int, what: str, whose: str, step: str) -> Deadline:
    unit = ROUNDS if key in _ROUNDS else TIMES if key in ("reminders", "cap") else SECONDS
    return Deadline(key, usual, unit=unit, what=what, whose=whose, step=step)


DEADLINES: Final = (
    # How the patrol itself goes.
    _row("patrol", 30, "nobody has patrolled", "palaver up", "one pass"),
    _row("gap", 120, "nobody has patrolled", "the patrol", "time beyond this did not pass for any deadline"),
    # Idle with work.
    _row("nudge", 300, "an agent with work does nothing", "the agent", "NUDGE, to the agent"),
    _row("kill", 900, "it still does nothing", "the agent", "its program is killed, its work released, and "
         "who gave the work is told"),
    _row("escalate", 1_800, "the work is still where it was, or nobody answers", "who must move",
         "ESCALATION, to operations"),
    _row("ceo", 900, "operations has not dealt with an escalation", "operations", "ESCALATION, to the CEO"),
    _row("grace", 300, "a program has just started", "the agent", "so much longer for all of the above"),
    _row("crash", 60, "a program ended with a fault and its agent holds work", "the agent",
         "its work is released, and who gave it is told"),
    _row("stall", 600, "a program writes nothing, and its agent says nothing", "the agent",
         "its supervisor is told"),
    _row("watchdog", 900, "one of two agents of a collab is silent with work", "the agent",
         "its program is killed; the other and the person are told; its work stays its own"),
    _row("ping", 900, "a supervisor of workers at work does nothing", "the supervisor", "SUPERVISOR_PING"),
    _row("pong", 300, "it does not answer that", "the supervisor", "ESCALATION, to operations"),
    # What is waited for.
    _row("question", 600, "a question has no answer", "who was asked", "a reminder"),
    _row("mention", 600, "a mention is not acknowledged", "who was mentioned", "a reminder"),
    _row("shutdown", 300, "a request to end is not confirmed", "who was asked", "a reminder"),
    _row("claim", 600, "a claim is not approved", "the owner, or who leads", "a reminder"),
    _row("start", 600, "a task that was given is not taken", "its holder", "a reminder"),
    _row("handoff", 600, "a handoff is not taken", "its holder", "a reminder"),
    _row("reassign", 1_800, "it is still not taken", "its holder",
         "it goes back to who handed it on; one that was given is open again, and its owner is told"),
    _row("delivery", 600, "a delivery is not checked", "who checks it", "a reminder"),
    _row("block", 600, "a task is blocked", "the owner, or who leads", "a reminder"),
    _row("report", 3_600, "a task has neither DONE nor BLOCKED, nor any word", "its holder", "a reminder"),
    _row("circle", 300, "some wait for each other in a circle", "all of them", "ESCALATION, to operations"),
    _row("closed", 60, "an assignment is for work that is over, or that nobody knows", "who gave it",
         "it is reported"),
    # Reminders.
    _row("cooldown", 600, "an agent was reminded", "the agent", "no other reminder before"),
    _row("reminders", 3, "reminders of one thing", "the agent", "no more of them"),
    _row("cap", 20, "reminders of one agent in a day", "the agent", "no more of them"),
    # An office counts rounds of its manager.
    _row("wake", 1, "a worker with work was not heard of", "the worker", "WAKE"),
    _row("wake_final", 2, "the same", "the worker", "WAKE_FINAL"),
    _row("abandon", 3, "the same", "the worker", "ABANDON: its work is released, and the manager is told"),
    _row("idle_warning", 3, "a worker without work claims nothing that it could", "the worker",
         "IDLE_WARNING"),
    _row("idle_report", 4, "the same", "the worker", "IDLE_REPORT, to who leads"),
    _row("claim_rounds", 3, "a claim is not approved in so many rounds of its worker", "the manager",
         "TIMEOUT: the claim is let go"),
    # What leaves the machine.
    _row("notify", 10, "the command of `notify.command` runs", "the command", "it is ended"),
)  # fmt: skip
USUAL: Final = {row.key: float(row.usual) for row in DEADLINES}


def in_force(settings: str) -> dict[str, float]:
    """Return every deadline, by what the settings of a roster say, else what is usual."""
    found = loads(settings) if settings else {}
    said = table(found if type(found) is dict else {}, "deadlines")
    given = {key: float(value) for key, value in said.items() if isinstance(value, int | float)}
    return {key: given.get(key, usual) for key, usual in USUAL.items()}
