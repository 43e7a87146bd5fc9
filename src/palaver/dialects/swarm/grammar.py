"""The words of swarm: its types, its templates, its handles, and the codes of what can be wrong.

The protocol's own text stands above what was made of it.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.message import ACTS

#: "Shared channel … Append-only JSON Lines format. All agents read and write to same file."
FILE = "channel.jsonl"

#: "ts | Yes", "from | Yes", "to | No", "type | Yes", "reasoning | Yes", "content | Yes", in this order.
SIX = ("ts", "from", "to", "type", "reasoning", "content")

#: "reasoning: Why this action/message." What is required and absent is written so, and read as none.
ABSENT = "-"

#: "message: General communication", "decision: Announcing a choice", "task: Task-related action", "status:
#: Progress update", "request: Asking for approval/input", "autonomy: Autonomy level change", "system: System
#: events". What each says when its content has no word of its own; the director's `task` is an assign.
BARE = {
    "message": "inform",
    "decision": "decide",
    "task": "report",
    "status": "report",
    "request": "ask",
    "autonomy": "autonomy",
    "system": "inform",
}

#: How `to` named nobody. In `meta`, since everyone of the channel is not everyone: only `@all` leaves it.
UNNAMED = ("null", "absent")

#: Words at the start of a content, by type: "ACK: Claimed task #2.", "BLOCKED: Task #2 needs …", "HANDOFF:
#: Auth module complete.", "SHUTDOWN_REQUEST: Please complete …", "SHUTDOWN_ACK: Ready for shutdown."
WORDS = {
    "task": {"ACK": "ack", "BLOCKED": "block", "HANDOFF": "handoff"},
    "status": {"BLOCKED": "block"},
    "system": {"SHUTDOWN_REQUEST": "shutdown", "SHUTDOWN_ACK": "leave"},
}
#: The longest word, with its colon.
WORD_CHARS = 1 + max(len(word) for words in WORDS.values() for word in words)

#: Every word of the protocol → the types that carry it. Elsewhere it is only a text, but one that misleads.
CARRIERS = {
    "ACK": ("task",),
    "BLOCKED": ("status", "task"),
    "HANDOFF": ("task",),
    "SHUTDOWN_REQUEST": ("system",),
    "SHUTDOWN_ACK": ("system",),
    "AUTONOMY_UPDATE": ("autonomy",),
}
#: How a text starts that could be taken for one of them.
OPENINGS = tuple(f"{word}:" for word in CARRIERS)

#: The type in which we write each act; what is not named here is a `message`.
OWN = dict.fromkeys(ACTS, "message") | {
    "ask": "request",
    "decide": "decision",
    "report": "status",
    "health": "system",
    "assign": "task",
    "claim": "task",
    "ack": "task",
    "block": "status",
    "deliver": "task",
    "handoff": "task",
    "escalate": "system",
    "autonomy": "autonomy",
    "shutdown": "system",
    "leave": "system",
}
#: The word with which we write an act, in its own type.
WORD = {act: f"{word}:" for words in WORDS.values() for word, act in words.items()}

#: `autonomous`: no approval; `supervised`: reports, the director may step in; `gated`: needs approval.
LEVELS = ("autonomous", "supervised", "gated")

#: Acts that are about the task that their text names, if they name none otherwise.
ABOUT_TASKS = frozenset(
    ["report", "review", "assign", "claim", "ack", "approve", "refuse", "block", "resume", "deliver", "ready",
     "accept", "rework", "handoff", "release", "cancel"]
)  # fmt: skip

#: "`@td` Technical Director (leader)" …: the table of handles.
HANDLES = (
    "td", "architect", "programmer", "qa", "critic", "security", "redteam", "network", "hardware", "cti",
    "data", "gm",
)  # fmt: skip
#: Who leads, unless the mount says otherwise.
DIRECTOR = "td"
#: "Security Engineer agent", "Red Team Operator agent", "Game-Master agent", …: titles used as handles.
ALIASES = {
    "technical-director": "td",
    "qa-engineer": "qa",
    "security-engineer": "security",
    "red-team": "redteam",
    "red-team-operator": "redteam",
    "network-engineer": "network",
    "hardware-engineer": "hardware",
    "cti-agent": "cti",
    "data-engineer": "data",
    "game-master": "gm",
}

#: Every code, with one line each. Up to SWA019: why bytes are quarantined; up to SWA029: what is odd about a
#: line that was read; from SWA101 on: the rules.
CODES = {
    "SWA001": "the line is not UTF-8",
    "SWA002": "the line is not one JSON object",
    "SWA003": "the line is part of an object that was printed over several lines",
    "SWA004": "the line is a conflict marker of git",
    "SWA005": "the line is too long",
    "SWA006": "two readers would not agree on what the JSON says",
    "SWA007": "the line lacks a sender or a content, or one of the six fields is of the wrong type",
    "SWA008": "a name could leave its folder or fool a reader",
    "SWA009": "the recipients are nobody, too many, or no list",
    "SWA010": "the type is none of the seven",
    "SWA011": "a torn record stands in front of a whole one",
    "SWA021": "the line has no time",
    "SWA022": "the time is impossible",
    "SWA023": "the time has no zone, or an unlikely year",
    "SWA024": "the line has no type",
    "SWA025": "a handle is not written as the protocol writes it",
    "SWA101": "a message gives no reasoning",
    "SWA102": "somebody else than the director changes an agent's autonomy",
    "SWA103": "a change of autonomy does not say whose, or to which level",
    "SWA104": "a task was assigned and never acknowledged",
    "SWA105": "a blocked agent tells nobody in particular",
    "SWA106": "somebody else than the director asks for a shutdown",
    "SWA107": "a request to shut down was never answered",
    "SWA108": "a word of the protocol stands in a type that does not carry it",
    "SWA109": "a handle is neither in the table nor heard in the channel",
    "SWA110": "a handoff names nobody who takes over",
}
