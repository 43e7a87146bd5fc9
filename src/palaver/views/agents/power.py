"""Power: the acts that decide over the work, mail or programs of others, and the proof that they need.

One table, and one function that decides by it. A command asks before it writes anything, and the folds ask
when the log has decided: a line of a file without power is in the log, has no effect, and its author is told.
`docs/reference/power.md` is generated from the table, and the tests try every cell of it.
"""

from typing import Final, NamedTuple

from palaver.model.event import Event, flag, number, text
from palaver.model.names import BUS
from palaver.model.task import ANYONE, MOVES, TASK_ACTS

#: The ways to act: a command, by itself or run by the daemon; a line of a mounted file; a request over HTTP.
COMMAND, DAEMON, LINE, HTTP = "command", "daemon", "line", "http"
_LEAD: Final = "an agent that leads it, the person, or the agent itself"
_LEADS: Final = "an agent that leads, or the person"


class PowerAct(NamedTuple):
    """One row of the table."""

    about: str
    #: Who may do it, if the policy is strict. Where it is open, the acts on agents and the config are
    #: everybody's.
    who: str
    #: The command, and the ways other than commands.
    command: str
    surfaces: tuple[str, ...] = (HTTP,)


def _on_task(act: str, about: str, verb: str = "") -> PowerAct:
    """Return the row of an act that moves a task: the table of moves says who may.

    `verb` is what the command calls it.
    """
    parties = dict.fromkeys(who for move in MOVES if move.act == act for who in move.who if who != ANYONE)
    return PowerAct(about, f"the {' or '.join(parties)} of the task", f"task {verb or act}", (LINE, HTTP))


POWERS: Final = {
    "approve": _on_task("approve", "let an agent begin a task that it claimed"),
    "refuse": _on_task("refuse", "refuse a claim, a delivery or an assignment"),
    "assign": _on_task("assign", "give a task to an agent"),
    "ready": _on_task("ready", "pass a delivery on to an agent that checks it"),
    "accept": _on_task("accept", "take a task as done"),
    "rework": _on_task("rework", "have a task done again"),
    "handoff": _on_task("handoff", "pass a task to another agent"),
    "release": _on_task("release", "take a task back, or give it back"),
    "cancel": _on_task("cancel", "end a task without a result"),
    "resume": _on_task("resume", "let a blocked task go on, or open a cancelled one again", "unblock"),
    "check": PowerAct(
        "name the agents that check a delivery", "the holder of the task", "send --act deliver", (LINE,)
    ),
    "change": PowerAct(
        "change what a task says of itself", "the owner of the task", "task change", (LINE, HTTP)
    ),
    "ack": PowerAct("acknowledge mail", "the recipient", "ack"),
    "archive": PowerAct("take mail out of an inbox", "the recipient", "archive"),
    "reply": PowerAct("take mail out of an inbox by replying to it", "the recipient", "reply", (LINE, HTTP)),
    "withdraw": PowerAct("withdraw a message", "its sender", "withdraw"),
    "autonomy": PowerAct("set how freely an agent may act", _LEADS, "send --act autonomy", (LINE, HTTP)),
    "shutdown": PowerAct("ask an agent to end", _LEADS, "send --act shutdown", (LINE, HTTP)),
    "poll": PowerAct("poll, by which an office counts time", "the agent that polls", "continue"),
    "assignment": PowerAct(
        "set or clear the assignment of an agent", "any agent", "co assignment set", (LINE, HTTP)
    ),
    "register": PowerAct(
        "give an agent a handle, a role or a level, or bring it back",
        "an agent that leads it, or the person; the agent itself may only come back",
        "agents add --role",
    ),
    "retire": PowerAct("retire an agent", _LEAD, "agents retire"),
    "kill": PowerAct("kill the programs of a run", _LEAD, "runs kill"),
    "redact": PowerAct("remove a text from the log", f"{_LEADS}, or its sender", "redact"),
    "list": PowerAct("change a distribution list", _LEADS, "lists set"),
    "mount": PowerAct("add or remove a mount", _LEADS, "mount add", ()),
}
#: Acts of messages that have power over a task; without a task they only say something.
ON_TASKS: Final = TASK_ACTS & POWERS.keys()
#: Acts that are everybody's where the policy is open, and those of agents that lead where it is strict.
OF_LEADS: Final = frozenset(["register", "retire", "kill", "redact", "list", "mount"])
#: Acts of messages that have power over agents.
ON_AGENTS: Final = frozenset(["autonomy", "shutdown"])
# The acts of events that are not messages. That of a task is judged where its outcome is recorded.
_OF_EVENTS: Final = {
    "mail.acknowledged": "ack",
    "mail.archived": "archive",
    "mail.withdrawn": "withdraw",
    "agent.polled": "poll",
    "assignment.set": "assignment",
    "assignment.cleared": "assignment",
    "agent.retired": "retire",
    "run.killing": "kill",
}

UNPROVED: Final = "the policy is strict, and nothing proves the sender's identity"
#: The agent of a run of another bus: no agent of this one, and no name.
STRANGER: Final = "*"
UNKNOWN_HERE: Final = "it was done inside a run of another bus"


def objection(act: str, *, actor: str, auth: str, inside: str, is_strict: bool) -> str:
    """Return why an act has no power in the name of an agent; empty if it has.

    `inside` is the agent of the run in which it was done. The bus itself acts in whatever process it is.
    """
    if act not in POWERS or actor == BUS:
        return ""
    if inside == STRANGER:
        return UNKNOWN_HERE
    if inside and inside != actor:
        return f"it was done inside a run of {inside}, in the name of {actor or 'nobody'}"
    return UNPROVED if is_strict and auth != "token" else ""


def bearer_of(event: Event) -> str:
    """Return the agent of the run in which an event was appended, empty if that was outside any.

    The run that created this bus is its user: to this bus it is no run.
    """
    if event.inside is None or flag(event.inside, "created"):
        return ""
    return text(event.inside, "agent") or STRANGER


class Showing(NamedTuple):
    """What a process shows when it acts in the name of an agent: one column of the generated table."""

    surface: str
    about: str
    #: What the event records: how the name is known, and the run that the process is inside.
    auth: str = "claimed"
    inside: str = ""
    #: Whether the mount of a line has an `identity` of its own, and which.
    identity: str = ""
    #: Whether the surface itself refuses it, whatever the act is.
    is_refused: bool = False


# In these columns the act is done in the name of `ada`.
_NAME, _OTHER = "ada", "bob"
SHOWINGS: Final = (
    *(
        showing
        for surface in (COMMAND, DAEMON)
        for showing in (
            Showing(surface, "nothing"),
            Showing(surface, "token of another's run", inside=_OTHER),
            Showing(surface, "token of another bus", inside=STRANGER),
            Showing(surface, "token of own run", auth="token", inside=_NAME),
        )
    ),
    Showing(LINE, "mount says nothing"),
    Showing(LINE, "mount says open", identity="open"),
    Showing(LINE, "mount says strict", identity="strict"),
    Showing(HTTP, "nothing", is_refused=True),
    Showing(HTTP, "token of a run", is_refused=True),
    Showing(HTTP, "session of the person", auth="token"),
)


def counts(act: str, showing: Showing, policy: str) -> bool | None:
    """Return whether an act of an agent that may do it counts under a policy; None if it has no such way."""
    if showing.surface not in (COMMAND, DAEMON, *POWERS[act].surfaces):
        return None
    is_strict = (showing.identity or policy) == "strict"
    why = objection(act, actor=_NAME, auth=showing.auth, inside=showing.inside, is_strict=is_strict)
    return not (showing.is_refused or why)


def act_of(event: Event) -> str:
    """Return the act with power that an event other than a message is; empty if it is none."""
    if event.event_type == "agent.registered":
        return "register" if gives_rank(event) else ""
    return _OF_EVENTS.get(event.event_type, "")


def gives_rank(event: Event) -> bool:
    """Return True if an agent is given what brings it the mail or the tasks of others."""
    return bool(text(event.data, "handle") or text(event.data, "role") or number(event.data, "level"))


def target_of(event: Event) -> str:
    """Return the agent that such an event is about: it may do it to itself."""
    return text(event.data, "agent").lower()
