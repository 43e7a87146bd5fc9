"""The customs of each dialect: how its teams take, check, hand on and lead work, and how they are watched.

What is asked about a mount is asked here, by the name of what differs; nobody needs to know which dialect
that is. How its files are read and written is not a custom: that is the dialect itself (`dialects/`).

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from palaver.model.event import text
from palaver.model.names import OFFICE_MANAGER


class Custom:
    """What is customary in the teams of one dialect; by itself, what is so everywhere else."""

    __slots__ = (
        "answers_mentions",
        "approves",
        "checks",
        "lead",
        "mannerly",
        "pairs",
        "passes_on",
        "pen",
        "rounds",
        "usual_lead",
    )

    def __init__(
        self,
        *,
        approves: bool = False,
        checks: bool = False,
        passes_on: bool = False,
        mannerly: bool = False,
        rounds: bool = False,
        pairs: bool = False,
        answers_mentions: bool = False,
        pen: str = "",
        lead: tuple[str, str] = ("", ""),
    ) -> None:
        """Take what differs."""
        # Of tasks that its files are the first to name: claims wait for approval, finished work for a check.
        self.approves = approves
        self.checks = checks
        # To hand on is to pass on what is finished, not to give the task away.
        self.passes_on = passes_on
        # A task at the wrong time is refused, not only reported.
        self.mannerly = mannerly
        # Silence is counted in rounds of who leads, not in minutes.
        self.rounds = rounds
        # Two work together, and each watches the other: `a` and `b` of the mount.
        self.pairs = pairs
        # Whom a text mentions is expected to acknowledge it.
        self.answers_mentions = answers_mentions
        # The file of each writer, where its folder is shared out: what another one writes there has no power.
        self.pen = pen
        # Which setting of a mount names who leads there, and who does where it is not set.
        self.lead, self.usual_lead = lead


CUSTOMS = {
    "office": Custom(
        approves=True,
        checks=True,
        rounds=True,
        pen="messages/employee-{}.log",
        lead=("manager", OFFICE_MANAGER),
    ),
    "vermas": Custom(checks=True),
    "swarm": Custom(checks=True, passes_on=True, answers_mentions=True, lead=("director", "td")),
    "runbus": Custom(),
    "collab": Custom(mannerly=True, pairs=True),
}
_NONE = Custom()


def custom(mount: dict[str, object]) -> Custom:
    """Return the customs of a mount, by its settings; of none, those of what is said by command."""
    return CUSTOMS.get(text(mount, "dialect"), _NONE)


def head(mount: dict[str, object]) -> str:
    """Return who leads in a mount, as the whole bus calls him; nothing where nobody does."""
    customs = custom(mount)
    found = (customs.lead and text(mount, customs.lead).lower()) or customs.usual_lead
    prefix = text(mount, "prefix").lower()
    return f"{prefix}/{found}" if prefix and found else found
