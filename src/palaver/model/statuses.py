"""How others call the states of a task: A2A, and each dialect, both ways.

Whoever tells fewer states apart than we do says the same word for several, and each of his words is read
as the state that says it best; so a word that was read is written again as it was.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

# A2A's task states, both ways; what A2A tells apart and we do not is read as the nearest.
A2A = {
    "open": "submitted",
    "claimed": "submitted",
    "assigned": "submitted",
    "handed": "submitted",
    "working": "working",
    "blocked": "input-required",
    "delivered": "working",
    "checking": "working",
    "rework": "working",
    "done": "completed",
    "cancelled": "canceled",
}
FROM_A2A = {
    "submitted": "open",
    "working": "working",
    "input-required": "blocked",
    "auth-required": "blocked",
    "completed": "done",
    "canceled": "cancelled",
    "failed": "cancelled",
    "rejected": "cancelled",
    "unknown": "open",
}


class Custom:
    """The statuses of a dialect."""

    __slots__ = ("read", "said", "waits")

    def __init__(self, said: dict[str, str], read: dict[str, str], waits: str = "") -> None:
        """Take its word for each state, the state for each word, and the word for open but not ready."""
        self.said = said
        self.read = read
        self.waits = waits


def _words(**groups: str) -> dict[str, str]:
    """Return the word for each state, from the states of each word."""
    return {
        state: word.replace("_", " ") if word[:1].isupper() and word != word.upper() else word
        for word, states in groups.items()
        for state in states.split()
    }


_BUSY = "assigned working blocked delivered checking handed"
CUSTOMS = {
    "office": Custom(
        _words(Ready="open claimed", In_Progress=_BUSY, Rework="rework", Done="done cancelled"),
        {
            "New": "open",
            "Decomposing": "open",
            "Ready": "open",
            "In Progress": "working",
            "Rework": "rework",
            "Done": "done",
        },
        waits="New",
    ),
    "vermas": Custom(
        _words(
            open="open",
            assigned="claimed assigned handed",
            in_progress="working blocked delivered checking rework",
            closed="done cancelled",
        ),
        {
            "open": "open",
            "assigned": "assigned",
            "in_progress": "working",
            "closed": "done",
            "ready_for_review": "checking",
            "merged": "done",
            "failed": "blocked",
        },
    ),
    "swarm": Custom(
        _words(
            pending="open claimed assigned handed",
            in_progress="working blocked delivered checking rework",
            completed="done cancelled",
        ),
        {"pending": "open", "in_progress": "working", "completed": "done"},
    ),
    "runbus": Custom(
        _words(
            TASK="open claimed assigned handed",
            PROGRESS="working rework",
            ERROR="blocked",
            REVIEW="delivered checking",
            COMPLETE="done cancelled",
        ),
        {"TASK": "open", "PROGRESS": "working", "ERROR": "blocked", "REVIEW": "checking", "COMPLETE": "done"},
    ),
    "collab": Custom(
        _words(
            TASK="open claimed assigned",
            ACK="working rework",
            BLOCKED="blocked",
            DONE="delivered checking done",
            HANDOFF="handed",
            SKIP="cancelled",
        ),
        {
            "TASK": "open",
            "ACK": "working",
            "BLOCKED": "blocked",
            "DONE": "done",
            "HANDOFF": "handed",
            "SKIP": "cancelled",
        },
    ),
}


def status(dialect: str, state: str, *, ready: bool = True) -> str:
    """Return a dialect's word for a state."""
    custom = CUSTOMS[dialect]
    return custom.waits if custom.waits and state == "open" and not ready else custom.said[state]


def state_of(dialect: str, word: str) -> str:
    """Return the state that a dialect's word means, nothing if it is none of its words."""
    return CUSTOMS[dialect].read.get(word, "")
