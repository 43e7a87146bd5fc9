r"""The vocabulary of runbus, and the forms of its lines.

    ---
    messageId: MSG-YYYYMMDD-HHMMSS-<agent>-<rand>
    type: <FACT|DECISION|QUESTION|ANSWER|PROGRESS|ERROR|COMPLETE|TASK|REVIEW>
    agent: <agent-type>-<role>-<instance>
    timestamp: YYYY-MM-DDTHH:MM:SSZ
    runId: <run_XXX>
    taskId: <TASK-...>
    relatesTo: <parent-messageId>
    files: <optional list>
    artifacts: <optional list>
    ---

    <message content>

    ---

The expressions that find the ends of a message match bytes, so that a wrong byte inside a message cannot
move its ends. All of them take linear time, and none splits at anything but a newline.
"""

import re
from typing import Final

from palaver.model.limits import LINE_BYTES

# ---------------------------------------------------------------- codes

#: Every code of the parser in one line; those of rules are in `rules/`, from RUN030 on.
CODES: Final = {
    # Why bytes are quarantined.
    "RUN001": "bytes that are not UTF-8",
    "RUN002": "a NUL byte",
    "RUN003": "a line or a message that is longer than a record can be",
    "RUN004": "text outside of every message",
    "RUN005": "a git conflict marker",
    "RUN006": "front matter without the --- that ends it",
    "RUN007": "a torn line that is followed by the next message",
    "RUN008": "a key of the front matter occurs twice",
    "RUN009": "a line of the front matter is not a key and a value",
    "RUN010": "a name that could leave its folder or pass for another",
    "RUN011": "the placeholder's id on a message that is not the placeholder",
    "RUN012": "more recipients than a message may have",
    # What is odd about a message that was read.
    "RUN020": "no messageId",
    "RUN021": "no agent",
    "RUN022": "no timestamp, or an impossible one",
    "RUN023": "an implausible time",
    "RUN024": "an unknown type",
    "RUN025": "no type",
    "RUN026": "no closing ---",
    "RUN027": "no text, though its type needs one",
    "RUN028": "a palaver- field that cannot be used",
}

# ---------------------------------------------------------------- types and acts

#: "type: <FACT|DECISION|QUESTION|ANSWER|PROGRESS|ERROR|COMPLETE|TASK|REVIEW>"
TYPES: Final = {
    "FACT": "inform",
    "DECISION": "decide",
    "QUESTION": "ask",
    "ANSWER": "answer",
    "PROGRESS": "report",
    "ERROR": "block",
    "COMPLETE": "deliver",
    "TASK": "assign",
    "REVIEW": "review",
}
#: Types of the successor protocol, and every RUN_…: read, kept as the tag of the message, and written again.
VARIANTS: Final = {"INFO": "inform", "USER": "inform", "ISSUE": "block"}
RUN_VARIANT: Final = re.compile(r"RUN_[A-Z_]+")
#: The type of each act; other acts are a FACT with an act tag. An escalation is an ERROR with an act tag.
NATIVE: Final = {act: word for word, act in TYPES.items()}
ESCALATION: Final = "ERROR"
GENERAL: Final = "FACT"


def variant(word: str) -> str:
    """Return the act of a type that is only read, or an empty text."""
    return VARIANTS.get(word) or ("report" if RUN_VARIANT.fullmatch(word) else "")


# ---------------------------------------------------------------- fields

#: The placeholder: "This placeholder message should remain for reference."
PLACEHOLDER_ID: Final = "MSG-00000000-000000-000"
PLACEHOLDER_TEXT: Final = "Template initialized."
#: Written for a required field that has no value; read as empty. "N/A" is what the status loop writes.
NO_RUN: Final = "run_000"
NO_TASK: Final = "TASK-000"
NONE: Final = frozenset(["", "N/A", "n/a"])
TASK: Final = "TASK-"
#: The code of a name that is none.
BAD_NAME: Final = "RUN010"
#: The sender of a message that names none.
NOBODY: Final = "unknown"
BESIDE: Final = "palaver-"
#: Key in lower case → field. The alternative names are those of the successor protocol.
KEYS: Final = {
    "messageid": "id",
    "msg_id": "id",
    "type": "type",
    "agent": "agent",
    "timestamp": "at",
    "ts": "at",
    "runid": "run",
    "run_id": "run",
    "taskid": "task",
    "task_id": "task",
    "relatesto": "re",
    "files": "files",
    "artifacts": "artifacts",
}
#: "MSG-" + date + time + agent + short random suffix; agents have hyphens themselves.
ID: Final = re.compile(r"MSG-([0-9]{8})-([0-9]{6})-[A-Za-z0-9][A-Za-z0-9._-]*-[A-Za-z0-9]+")

#: How ids of our own begin.
OUR_ID: Final = "msg-"

# ---------------------------------------------------------------- bounds

#: A text, and its exact form in the front matter if it cannot be written as it is: JSON takes up to six bytes
#: for one.
BLOCK_BYTES: Final = 8 * LINE_BYTES
#: How far to search for the mark that ends the header.
HEADER_BYTES: Final = 1 << 16

# ---------------------------------------------------------------- where things begin and end

#: "<!-- All messages below this line. Append only. Do not modify above messages. -->"
MARK: Final = re.compile(rb"^[ \t]*<!--[^\n]*All messages below this line[^\n]*$", re.M)
_ID_KEY: Final = rb"[ \t]*(?:messageId|msg_id)[ \t]*:"
_KEY: Final = (
    rb"[ \t]*(?:type|agent|timestamp|ts|runId|run_id|taskId|task_id|project_id|relatesTo|parents)[ \t]*:"
)
_KEY_LINE: Final = _KEY + rb"[^\n]*(?:\n|\Z)"
_RULE: Final = rb"---[ \t]*\r?"
#: A `---` line.
RULE_AT: Final = re.compile(_RULE + rb"(?:\n|\Z)")
#: A `---` line directly followed by `messageId:`, or by two other lines that only front matter has.
OPENER_AT: Final = re.compile(_RULE + rb"\n(?:" + _ID_KEY + rb"|(?:" + _KEY_LINE + rb"){2})", re.I)
OPENER: Final = re.compile(rb"^" + OPENER_AT.pattern, re.I | re.M)
KEY_LINE_AT: Final = re.compile(_KEY_LINE, re.I)
#: The same, after the rest of a torn line.
_GLUED: Final = rb"(?<!-)" + _RULE + rb"$(?=\n" + _ID_KEY + rb")"
GLUED: Final = re.compile(_GLUED, re.I | re.M)
#: What ends front matter: a `---` line, or the next message.
CUT: Final = re.compile(rb"^" + _RULE + rb"$|" + _GLUED, re.I | re.M)
#: The opening line of a code fence: its marks, and no further mark in a line of backticks.
_FENCE: Final = rb" {0,3}(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$"
FENCE_AT: Final = re.compile(_FENCE, re.M)
#: What can matter inside a body.
EVENT: Final = re.compile(rb"^" + _RULE + rb"$|^" + _FENCE + rb"|" + _GLUED, re.I | re.M)
#: The lines of front matter: keys, indented lines, items, and empty lines.
FRONT: Final = re.compile(rb"(?:(?:[ \t]*[\w-]+[ \t]*:|[ \t]|- |\r?$)[^\n]*(?:\n|\Z))*", re.M)
CONFLICT_AT: Final = re.compile(rb"(?:<{7}|>{7}|\|{7})(?: |\r?$)|={7}\r?$", re.M)

#: Lines of a body that get a backslash when written and lose one when read, except in a closed code fence:
#: `---`, the key that begins a message, and a fence that nothing closes.
_GUARDED: Final = rb"(?:" + _RULE + rb"$|" + _ID_KEY + rb"|" + _FENCE + rb")"
GUARDED: Final = re.compile(rb"^\\*" + _GUARDED, re.I | re.M)
ESCAPED: Final = re.compile(rb"^\\+" + _GUARDED, re.I | re.M)
