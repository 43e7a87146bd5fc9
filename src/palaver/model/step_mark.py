"""The mark that a step of the patrol leaves in the log, by which every later patrol knows it was taken.

    1204 release.t-1 factory/workers/slot0 1

The event since which something lasts, the rule (with its subject, if a rule can apply to several), the agent
that should have acted, and how many times the step was taken. One codec: the patrol writes marks, the view
reads them.
"""

from typing import NamedTuple


class StepMark(NamedTuple):
    """One mark."""

    since: int
    rule: str
    agent: str
    n: int

    def encode(self) -> str:
        """Return the mark as it stands in an event."""
        return f"{self.since} {self.rule} {self.agent} {self.n}"


def qualified_rule(rule: str, subject: str = "") -> str:
    """Return the rule with its subject: each task is released by itself."""
    return f"{rule}.{subject}" if subject else rule


def parse_mark(text: str) -> StepMark | None:
    """Return the mark that a text encodes, or None."""
    match text.split(" "):
        case [since, rule, agent, n] if since.isdecimal() and n.isdecimal():
            return StepMark(int(since[:18]), rule, agent, int(n[:18]))
    return None
