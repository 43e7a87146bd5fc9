"""The vocabulary of swarm: its types, keywords, handles and codes.

Comments quote the protocol's own text above the table made of it.
"""

import re
from typing import Final

from palaver.model.message import ACTS

#: "Shared channel … Append-only JSON Lines format. All agents read and write to same file."
FILE: Final = "channel.jsonl"

#: "ts | Yes", "from | Yes", "to | No", "type | Yes", "reasoning | Yes", "content | Yes", in this order.
SIX: Final = ("ts", "from", "to", "type", "reasoning", "content")

#: "Every agent MUST include `reasoning`": what we write for a message that has none.
NO_REASON: Final = "The sender gave no reason."
#: What is read as no reasoning.
ABSENT: Final = ("-", NO_REASON)

#: "message: General communication", "decision: Announcing a choice", "task: Task-related action", "status:
#: Progress update", "request: Asking for approval/input", "autonomy: Autonomy level change", "system: System
#: events". The act of each type when its content has no keyword; a `task` from the director is an assign.
BARE: Final = {
    "message": "inform",
    "decision": "decide",
    "task": "report",
    "status": "report",
    "request": "ask",
    "autonomy": "autonomy",
    "system": "inform",
}

#: How `to` can name nobody. Kept in `meta`: everyone in the channel is not everyone on the bus, as `@all` is.
UNNAMED: Final = ("null", "absent", "empty")

#: Keywords at the start of a content, by type: "ACK: Claimed task #2.", "BLOCKED: Task #2 needs …", "HANDOFF:
#: Auth module complete.", "SHUTDOWN_REQUEST: Please complete …", "SHUTDOWN_ACK: Ready for shutdown."
WORDS: Final = {
    "task": {"ACK": "ack", "BLOCKED": "block", "HANDOFF": "handoff"},
    "status": {"BLOCKED": "block"},
    "system": {"SHUTDOWN_REQUEST": "shutdown", "SHUTDOWN_ACK": "leave"},
}
#: The longest keyword with its colon.
WORD_CHARS: Final = 1 + max(len(word) for words in WORDS.values() for word in words)

#: Keyword → the types in which it has its meaning. In other types it is plain text, and misleading.
CARRIERS: Final = {
    **{
        word: sorted(kind for kind in WORDS if word in WORDS[kind])
        for words in WORDS.values()
        for word in words
    },
    "AUTONOMY_UPDATE": ["autonomy"],
}

#: The type in which each act is written; `message` unless listed here.
OWN: Final = dict.fromkeys(ACTS, "message") | {
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
#: The keyword with which an act is written, in its own type.
WORD: Final = {act: f"{word}:" for words in WORDS.values() for word, act in words.items()}

#: `autonomous`: no approval; `supervised`: reports, the director may step in; `gated`: needs approval.
LEVELS: Final = ("autonomous", "supervised", "gated")

#: Acts that are about the task their text names, if they have no other.
ABOUT_TASKS: Final = frozenset(
    ["report", "review", "assign", "claim", "ack", "approve", "refuse", "block", "resume", "deliver", "ready",
     "accept", "rework", "handoff", "release", "cancel"]
)  # fmt: skip

#: "task: Claiming, completing, blocking". Phrases that open a `task`; they remain in the body.
PHRASE: Final = re.compile(r"(?:((?:I(?:'m| am)? )?claim(?:ed|ing)?:? task)|completed)\b", re.I)
#: How the director decides in plain words, by act; they remain in the body.
VERDICTS: Final = {
    "approve": re.compile(r"(?:yes[,.!:]? +)?(?:approved|i approve)\b", re.I),
    "refuse": re.compile(r"(?:no[,.!:]? +)?(?:denied|rejected|not approved|not accepted)\b", re.I),
    "accept": re.compile(r"(?:yes[,.!:]? +)?(?:accepted|i accept)\b", re.I),
}
VERDICT_TYPES: Final = ("message", "decision", "task")
#: How the director approves without the word. In a `task` it may give one: "Go ahead with task #2."
GO_AHEAD: Final = re.compile(r"(?:(?:yes|ok|okay|sure)[,.!:]? +)?(?:please )?go ahead\b", re.I)
GO_AHEAD_TYPES: Final = ("message", "decision")
#: "AUTONOMY_UPDATE: programmer → autonomous. Continue without approval for implementation tasks." The arrow
#: may be in ASCII, or garbled: its UTF-8 bytes, read as CP1252 or Latin-1.
UPDATE: Final = re.compile(
    r"AUTONOMY_UPDATE: *@?([A-Z0-9][A-Z0-9._/-]*?) *(?:→|->|=>|\xe2\u2020\u2019|\xe2\x86\x92) *"
    r"(autonomous|supervised|gated)\b(?:\. ?| |(?=\W)|\Z)(.*)\Z",
    re.S | re.I,
)
#: "ACK: Claimed task #2." An act about tasks that has no task of its own is about the one its text names.
TASK: Final = re.compile(r"\b[Tt]ask #([A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*)")
#: "@qa ready for test suite." A handle in a text.
MENTION: Final = re.compile(r"(?<![A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9_/-]|\.(?=[A-Za-z0-9]))*)")

#: "`@td` Technical Director (leader)" …: the table of handles.
HANDLES: Final = (
    "td", "architect", "programmer", "qa", "critic", "security", "redteam", "network", "hardware", "cti",
    "data", "gm",
)  # fmt: skip
#: The handle of the director, unless the mount sets another.
DIRECTOR: Final = "td"
#: "Security Engineer agent", "Red Team Operator agent", "Game-Master agent", …: titles used as handles.
ALIASES: Final = {
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

#: Every code of the parser in one line. Up to SWA019: why bytes are quarantined; from SWA021: what is odd
#: about a line that was read. The codes of rules are in `rules/`, from SWA101 on.
CODES: Final = {
    "SWA001": "the line is not UTF-8",
    "SWA002": "the line is not one JSON object",
    "SWA003": "the line is part of an object that was printed over several lines",
    "SWA004": "the line is a git conflict marker",
    "SWA005": "the line is too long",
    "SWA006": "the JSON is ambiguous: a repeated key, NaN, a large number, a lone surrogate, or too deep",
    "SWA007": "the sender or the content is missing, or one of the six fields has the wrong type",
    "SWA008": "a name could leave its folder or mislead a reader",
    "SWA009": "the recipients are not a list of handles, or there are too many",
    "SWA010": "the type is not one of the seven",
    "SWA011": "a torn record precedes a complete one",
    "SWA021": "the line has no time",
    "SWA022": "the time is impossible",
    "SWA023": "the time has no zone, or an implausible year",
    "SWA024": "the line has no type",
    "SWA025": "a handle is not written as the protocol writes it",
}
