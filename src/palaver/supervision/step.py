"""A step of the patrol: what is done, for which agent, and why. A value; nothing is done yet."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

from palaver.model.deadlines import StepMark, qualified_rule
from palaver.model.limits import PATROL_NAMED


class StepRule(StrEnum):
    """Every rule that a step can follow."""

    #: Wake an agent that has work and does nothing.
    NUDGE = "nudge"
    #: Kill the program of an agent that stayed silent.
    KILL = "kill"
    #: Take a task from an agent, so that another can have it.
    RELEASE = "release"
    #: Give a task to another agent.
    REASSIGN = "reassign"
    #: Tell an agent what was done.
    TOLD = "told"
    #: Remind an agent of what others wait for.
    REMIND = "remind"
    #: Bring something to the agent that can decide.
    ESCALATE = "escalate"
    #: Ask a supervisor for a sign of life.
    PING = "ping"
    #: Wake a worker of an office.
    WAKE = "wake"
    #: Warn an agent that its lease is about to expire.
    WARN = "warn"
    #: End an expired lease.
    LEASE = "lease"
    #: Withdraw a message that is no longer true.
    WITHDRAW = "withdraw"


#: The act of the message that a step sends, by rule; of the others it is `inform`.
_ACTS: Final = {
    StepRule.NUDGE: "nudge",
    StepRule.WAKE: "nudge",
    StepRule.REMIND: "nudge",
    StepRule.RELEASE: "release",
    StepRule.REASSIGN: "assign",
    StepRule.ESCALATE: "escalate",
    StepRule.PING: "ping",
}
#: The tag that only repeats what the act of a nudge says: an office's own word for it.
PLAIN: Final = "WAKE"
#: The tag of an escalation about a worker of an office that claims nothing; its office reads it too.
IDLE_REPORT: Final = "IDLE_REPORT"
#: The tag of what is said when the watchdog of a pair has killed one of them.
WATCHDOG: Final = "watchdog"

#: The fields that programs see.
_SHOWN: Final = (
    "rule", "agent", "sender", "to", "act", "task", "tag", "run", "since", "n", "message", "why", "body",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cause:
    """What a step is about: the event since which something lasts, and the agent that should have acted."""

    since: int
    agent: str
    #: How many times the step was taken for it, with this one.
    n: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One step."""

    rule: StepRule
    since: int
    agent: str
    why: str
    _: KW_ONLY
    n: int = 1
    to: tuple[str, ...] = ()
    body: str = ""
    task: str = ""
    tag: str = ""
    fence: int = 0
    run: str = ""
    message: str = ""
    #: The further things that the same message is about.
    also: tuple[Cause, ...] = ()
    #: The agent in whose name it is said; empty for the bus itself (`senders.py`).
    sender: str = ""

    @property
    def act(self) -> str:
        """Return the act of the message that this step sends."""
        return "escalate" if self.tag == IDLE_REPORT else _ACTS.get(self.rule, "inform")

    @property
    def subject(self) -> str:
        """Return what sets apart several steps of one rule: each task is released by itself."""
        return self.task or self.tag

    def encoded_marks(self) -> list[str]:
        """Return the marks by which the view knows that this step was taken."""
        rule = qualified_rule(self.rule, self.subject)
        causes = (Cause(self.since, self.agent, self.n), *self.also)
        return [StepMark(each.since, rule, each.agent, each.n).encode() for each in causes]

    def key(self, cause: str) -> str:
        """Return the idempotency key: however many patrols take this step, it is logged once."""
        return f"{cause}:{qualified_rule(self.rule, self.subject)}.{self.agent}:{self.n}"

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {name: getattr(self, name) for name in _SHOWN} | {"rule": self.rule.value, "to": list(self.to)}


def escalate(
    since: int,
    agent: str,
    to: tuple[str, ...],
    why: str,
    *,
    body: str = "",
    tag: str = "",
    also: tuple[Cause, ...] = (),
) -> Iterator[Step]:
    """Yield an escalation, if there is an agent that can decide; its body is the reason by default."""
    if to:
        yield Step(StepRule.ESCALATE, since, agent, why, to=to, tag=tag, body=body or why, also=also)


def spell_names(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = len(names) - PATROL_NAMED
    return ", ".join(names[:PATROL_NAMED]) + (f" and {more} more" if more > 0 else "")
