"""COL107 untagged-promise: an agent promises something without a tag.

Why: without a name the promise cannot be tracked or closed. Take a task with `[ACK:name]`, report progress with
`[STATUS:name]`, and close it with `[DONE:name]`.

Bad (chat.log):

    A → B: Check on the trading bot
    B → A: I'll look into that and let you know when I find something.

Good (chat.log):

    A → B: [TASK:bot-check] Get trading bot PID and last 5 log lines from bot.log
    B → A: [ACK:bot-check] Checking.
    B → A: [DONE:bot-check] PID 130815 running. Last entry: "SL hit at -0.82% — cooling down 60s"
"""

import re
from typing import Final

from palaver.dialects.collab.open_items import LOOKED_AT, between_agents
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations

_PROMISE: Final = re.compile(
    r"\b(?:i|we)(?:['\u2019]ll| will| shall|['\u2019]m going to| am going to|['\u2019]re going to| are going to)\b"
    r"|\blet you know\b|\bget back to you\b|\bkeep you (?:posted|updated)\b|^(?:let me|will do|on it|checking|looking)\b"
    r"|\b(?:looking|digging) into\b|\bworking on (?:it|this|that)\b|\bon my way\b",
    re.IGNORECASE,
)


def check(file: CheckedFile) -> Violations:
    for place, message, _ in between_agents(file):
        if message.act == "inform" and (found := _PROMISE.search(message.body[:LOOKED_AT])):
            what = f"the promise {found[0]!r} has no tag"
            fix = "take the task with [ACK:name], or report progress with [STATUS:name]"
            yield Violation(place, what, fix)
