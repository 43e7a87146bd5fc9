"""What collab's lines, tags and file names look like, with the protocol's own text above each.

Everything here is a table or a regular expression. All expressions take time in proportion to their text.
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
_NAME: Final = r"[A-Z0-9][A-Z0-9._/-]*"
_NAMES: Final = rf"@?{_NAME}(?:,@?{_NAME})*"

#: A line exactly as the protocol writes it.
LINE: Final = re.compile(
    rf"({_DATE} {_CLOCK}) (?:(SYSTEM)|(@?{_NAME}) -> ({_NAMES})): (?:\[([A-Z-]+)(?::([^\[\]]+))?\] )?(.*)",
    re.ASCII,
)

#: The head of such a line: date, clock, sender, receivers.
HEAD: Final = re.compile(rf"({_DATE}) ({_CLOCK}) (@?{_NAME}) -> ({_NAMES}): ", re.ASCII)
#: How a line that has a time begins, however badly. Such a line never continues another.
STAMPED: Final = re.compile(rb"\[?-?\d{2,6}-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d\d")
#: The time in front of a line, in all forms that were seen.
STAMP: Final = re.compile(
    r"\[?(-?\d{2,6})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
    r"(?: ?(Z|z|UTC|[+-]\d\d:?\d\d)(?![ \t]*(?:->|→|:)))?\]?[ \t]+",  # an agent may be called Z
    re.ASCII,
)
#: A whole head somewhere in a line: two writers met, and the first one lost its end.
HEAD_WITHIN: Final = re.compile(
    rf"(?:19|20)\d\d-\d\d-\d\d \d\d:\d\d:\d\d (?:SYSTEM|@?{_NAME} -> {_NAMES}): ", re.ASCII
)
#: What git leaves in a file when a merge did not work out.
CONFLICT: Final = re.compile(rb"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
#: Both were seen between sender and receiver; the first is the protocol's.
ARROWS: Final = ("->", "→")
#: What is written in the place of a time that is not known.
NO_TIME: Final = "0000-00-00 00:00:00"

# ---------------------------------------------------------------- names
#
#     A -> B:     primary agent to daemon
#     SYSTEM:     daemon startup/shutdown, cron events
#     JEREMY ->   user message (via Telegram bridge or direct)

TEAM: Final = "TEAM"
SYSTEM: Final = "SYSTEM"
#: Stands before a text of the person that came by way of the inbox.
USER: Final = "USER"

# ---------------------------------------------------------------- tags
#
#     [TASK:name]      Assign a named task         [STATUS:name]     Mid-task progress update
#     [ACK:name]       Acknowledge receipt         [QUESTION:topic]  Need info to proceed
#     [DONE:name]      Task complete + result      [DEPIN-HEALTH]    Cron health check
#     [BLOCKED:name]   Can't complete + why
#     [HANDOFF:name]   Full ownership transfer

#: Tags with a name, and the act that each one says. They are written too.
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
#: The tag with which an act is said, where there is one.
WORDS: Final = {act: tag for tag, act in TAGS.items()}
HEALTH: Final = "DEPIN-HEALTH"
#: Tags that are only read; the message keeps them, and they are written again as they were.
READY: Final = "DEPIN-READY"
AUTHORIZED: Final = "AUTHORIZED"
#: A block by the gate for money names no task: `[BLOCKED:financial-gate:tier3]`.
GATE: Final = "financial-gate"
#: Words with a colon instead of brackets, also only read. The last one stands for the name of B as well.
PREFIXES: Final = {"PROPOSE": "ask", "APPROVED": "approve"}
ERROR_SUFFIX: Final = "_ERR"
ERROR: Final = "CLAWDY_ERR"

TAG: Final = re.compile(r"\[([A-Za-z][A-Za-z-]*)(?::([^\[\]\n]*))?\](?!\]) ?")
PREFIX: Final = re.compile(r"([A-Z][A-Z0-9_]*): ?")

# ---------------------------------------------------------------- inbox
#
#     mv "$TMPFILE" "$INBOX/msg_$(date +%s%N).txt"

INBOX_FILE: Final = re.compile(r"msg_(\d+)\.txt")
#: Seconds since 1970 and nine digits of a nanosecond.
NANOSECOND_DIGITS: Final = 19

# ---------------------------------------------------------------- codes

#: Every code that a file of this dialect can get, with its one line. 0xx: the parser; 1xx: the rules.
CODES: Final = {
    "COL001": "the bytes are not UTF-8",
    "COL002": "there is a NUL in the line",
    "COL003": "there is a carriage return inside the line",
    "COL004": "the line, or the inbox file, is longer than a record may be",
    "COL005": "git left a conflict marker",
    "COL006": "the line has a time, but not `SENDER -> RECEIVER: message` behind it",
    "COL007": "the line has no time and no sender, and belongs to no message",
    "COL008": "a name could fool a reader or a file system",
    "COL009": "the year has two digits",
    "COL010": "there are more receivers than a message may have",
    "COL011": "the message says nothing",
    "COL012": "the line broke off, and the next one was written right behind it",
    "COL013": "the file in the inbox is not a message",
    "COL021": "the message has no time",
    "COL022": "the time cannot be",
    "COL023": "the time is far from today",
    "COL024": "the line names no sender",
    "COL025": "the line names no receiver",
    "COL026": "a field of the trailer cannot be used",
    "COL101": "answer-before-asking",
    "COL102": "one-task-at-a-time",
    "COL103": "no-hanging-threads",
    "COL104": "result-on-close",
    "COL105": "reason-on-block",
    "COL106": "untagged-request",
    "COL107": "untagged-promise",
    "COL108": "banned-phrases",
    "COL109": "several-lines",
    "COL110": "nested-tags",
    "COL111": "unknown-sender",
    "COL112": "inbox-file-name",
    "COL113": "line-format",
    "COL114": "unknown-tag",
    "COL115": "done-for-unknown-task",
    "COL116": "health-pairs",
    "COL117": "repeated-line",
}
