"""The vocabulary of collab: its lines, tags, file names and codes, with the protocol's own text above each.

All expressions take linear time.
"""

import re
from typing import Final

# ---------------------------------------------------------------- lines
#
#     YYYY-MM-DD HH:MM:SS SENDER -> RECEIVER: message
#
#     2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] BTC price
#     2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh

_DATE: Final = r"\d{4}-\d\d-\d\d"
_CLOCK: Final = r"\d\d:\d\d:\d\d"
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._/-]*"
_NAMES: Final = rf"@?{_NAME}(?:,@?{_NAME})*"

#: A line exactly as the protocol writes it, except that a name may be in lower case.
LINE: Final = re.compile(
    rf"({_DATE} {_CLOCK}) (?:(SYSTEM)|(@?{_NAME}) -> ({_NAMES})): (?:\[([A-Z-]+)(?::([^\[\]]+))?\] )?(.*)",
    re.ASCII,
)

#: The head of such a line: date, clock, sender, receivers.
HEAD: Final = re.compile(rf"({_DATE}) ({_CLOCK}) (@?{_NAME}) -> ({_NAMES}): ", re.ASCII)
#: How a line with a time begins, in any form. Such a line never continues another.
STAMPED: Final = re.compile(rb"\[?-?\d{2,6}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d\d")
#: The time at the start of a line, in all forms that occur.
STAMP: Final = re.compile(
    r"\[?(-?\d{2,6})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
    r"(?: ?(Z|z|UTC|[+-]\d\d:?\d\d)(?![ \t]*(?:->|→|:)))?\]?[ \t]+",  # an agent may be called Z
    re.ASCII,
)
#: A complete head inside a line: two writers collided, and the first line was torn.
HEAD_WITHIN: Final = re.compile(
    rf"(?:19|20)\d\d-\d\d-\d\d \d\d:\d\d:\d\d (?:SYSTEM|@?{_NAME} -> {_NAMES}): ", re.ASCII
)
#: A git conflict marker.
CONFLICT: Final = re.compile(rb"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
#: Both occur between sender and receiver; the first is the protocol's.
ARROWS: Final = ("->", "→")
#: Written for a time that is unknown.
NO_TIME: Final = "0000-00-00 00:00:00"

# ---------------------------------------------------------------- names
#
#     A -> B:     primary agent to daemon
#     SYSTEM:     daemon startup/shutdown, cron events
#     JEREMY ->   user message (via Telegram bridge or direct)

TEAM: Final = "TEAM"
SYSTEM: Final = "SYSTEM"
#: Precedes a text of the person that came through the inbox.
USER: Final = "USER"

# ---------------------------------------------------------------- tags
#
#     [TASK:name]      Assign a named task         [STATUS:name]     Mid-task progress update
#     [ACK:name]       Acknowledge receipt         [QUESTION:topic]  Need info to proceed
#     [DONE:name]      Task complete + result      [DEPIN-HEALTH]    Cron health check
#     [BLOCKED:name]   Can't complete + why
#     [HANDOFF:name]   Full ownership transfer

#: Tags with a name → act; read and written.
TAGS: Final = {
    "TASK": "assign",
    "ACK": "ack",
    "DONE": "deliver",
    "BLOCKED": "block",
    "HANDOFF": "handoff",
    "STATUS": "report",
    "QUESTION": "ask",
    "ANSWER": "answer",
    "RETRY": "resume",
    "SKIP": "cancel",
}
#: Act → the tag with which it is written.
WORDS: Final = {act: tag for tag, act in TAGS.items()}
HEALTH: Final = "DEPIN-HEALTH"
#: Tags that are only read; the message keeps them and is rendered with them.
READY: Final = "DEPIN-READY"
AUTHORIZED: Final = "AUTHORIZED"
#: A block by the financial gate names no task: `[BLOCKED:financial-gate:tier3]`.
GATE: Final = "financial-gate"
#: Prefixes with a colon instead of brackets, also only read. ERROR may begin with the name of B instead.
PREFIXES: Final = {"PROPOSE": "ask", "APPROVED": "approve"}
ERROR_SUFFIX: Final = "_ERR"
ERROR: Final = "CLAWDY_ERR"

#: "Banned phrases": two agents that are both standing by do nothing for ever.
BANNED: Final = re.compile(r"\blet me know\b|\bready when you are\b|\bstanding by\b", re.IGNORECASE)

TAG: Final = re.compile(r"\[([A-Za-z][A-Za-z-]*)(?::([^\[\]\n]*))?\](?!\]) ?")
PREFIX: Final = re.compile(r"([A-Z][A-Z0-9_]*): ?")
#: `DONE: the result` or `TASK:name text`: it is plain text, and was meant as a tag.
TAG_WITHOUT_BRACKETS: Final = re.compile(rf"({'|'.join(TAGS)}):([^\s\[\]]*)[ \t]*")

# ---------------------------------------------------------------- inbox
#
#     mv "$TMPFILE" "$INBOX/msg_$(date +%s%N).txt"

INBOX_FILE: Final = re.compile(r"msg_(\d+)\.txt")
#: Seconds since 1970 and nine digits of a nanosecond.
NANOSECOND_DIGITS: Final = 19

# ---------------------------------------------------------------- codes

#: Every code of the parser in one line; those of rules are in `rules/`, from COL101 on.
CODES: Final = {
    "COL001": "the bytes are not UTF-8",
    "COL002": "the line contains a NUL",
    "COL003": "the line contains a carriage return",
    "COL004": "the line, or the inbox file, is longer than a record may be",
    "COL005": "the line is a git conflict marker",
    "COL006": "no `SENDER -> RECEIVER: message` follows the time",
    "COL007": "the line has no time and no sender, and continues no message",
    "COL008": "a name could leave its folder or mislead a reader",
    "COL009": "the year has two digits",
    "COL010": "it has more receivers than a message may have",
    "COL011": "the message is empty",
    "COL012": "a torn line is followed by another on the same line",
    "COL013": "the file in the inbox is not a message",
    "COL021": "the message has no time",
    "COL022": "there is no such time",
    "COL023": "the time is implausible",
    "COL024": "the line names no sender",
    "COL025": "the line names no receiver",
    "COL026": "a field of the trailer cannot be used",
}
