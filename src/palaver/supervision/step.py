"""A step of the patrol: what is done, for whom, because of what. A value; nothing is done yet."""

from typing import Final

#: Every rule that a step can follow, with what it does.
RULES: Final = {
    "nudge": "wakes an agent that has work and does nothing",
    "kill": "ends the program of an agent that stayed silent",
    "release": "takes a task from an agent, so that another can have it",
    "reassign": "gives a task to another agent",
    "told": "lets somebody know what was done",
    "remind": "reminds an agent of what others wait for",
    "escalate": "brings something to who can decide",
    "ping": "asks a supervisor for a sign of life",
    "wake": "wakes a worker of an office",
    "warn": "tells an agent that its claim soon ends",
    "lease": "ends a claim of which nothing was heard",
    "withdraw": "takes back what is no longer true",
}
#: The word of a step that its act says already: an office's own word for a nudge.
PLAIN: Final = "WAKE"
#: The tag of what is said when the watchdog of two has ended one of them.
WATCHDOG: Final = "watchdog"


class Step:
    """One step."""

    __slots__ = (
        "act", "agent", "also", "body", "fence", "message", "n", "rule", "run", "sender", "since", "tag",
        "task", "to", "why",
    )  # fmt: skip

    def __init__(
        self,
        rule: str,
        *,
        since: int,
        agent: str,
        why: str,
        n: int = 1,
        to: tuple[str, ...] = (),
        act: str = "inform",
        body: str = "",
        task: str = "",
        tag: str = "",
        fence: int = 0,
        run: str = "",
        message: str = "",
        also: tuple[tuple[int, str, int], ...] = (),
    ) -> None:
        """Take the rule, the event since which something lasts, who should have moved, and why; and the rest.

        `also` are further things that the same message is about: since when, who, the how-manieth time.
        """
        assert rule in RULES, rule
        self.rule = rule
        self.since = since
        self.agent = agent
        self.why = why
        self.n = n
        self.to = to
        self.act = act
        self.body = body
        self.task = task
        self.tag = tag
        self.fence = fence
        self.run = run
        self.message = message
        self.also = also
        # In whose name it is said, if not in the bus's own; the patrol fills it in (`voices.py`).
        self.sender = ""

    def taken(self) -> list[str]:
        """Return the lines by which the view knows that this was done."""
        first = f"{self.since} {self.marked} {self.agent} {self.n}"
        return [first, *(f"{since} {self.marked} {agent} {n}" for since, agent, n in self.also)]

    @property
    def marked(self) -> str:
        """Return the rule as the view keeps it; of several releases each is its own, and so is each tag."""
        return f"{self.rule}.{self.task or self.tag}" if self.task or self.tag else self.rule

    def key(self, cause: str) -> str:
        """Return the key under which this stands in the log once, whoever does it."""
        return f"{cause}:{self.marked}.{self.agent}:{self.n}"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        names = (
            "rule",
            "agent",
            "sender",
            "to",
            "act",
            "task",
            "tag",
            "run",
            "since",
            "n",
            "message",
            "why",
            "body",
        )
        return {
            name: list(value) if name == "to" else value for name in names for value in [getattr(self, name)]
        }
