"""COL106 untagged-request: a request or a question has no tag.

Why: what has no name cannot be acknowledged, closed or found again. A request is a `[TASK:name]`, a question a
`[QUESTION:topic]`. The person may write as he likes, and so may everybody to the whole team.

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

from palaver.dialects.collab.open_items import LOOKED_AT, between_agents, exchanges
from palaver.dialects.shared.rule import CheckedFile, Violations

SPARES_ANSWERS: Final = True

_VERBS: Final = (
    "add|analy[sz]e|ask|build|call|change|check|clean|close|compare|configure|confirm|copy|create|debug|delete|deploy"
    "|describe|disable|do|download|enable|execute|explain|fetch|figure out|find|fix|follow|generate|get|give|go|grab"
    "|handle|inspect|install|investigate|kill|launch|list|look|make|merge|monitor|move|open|pause|post|prepare|publish"
    "|pull|push|put|query|read|rebuild|record|remove|rename|repeat|replace|report|rerun|restart|resume|retry|review|run"
    "|save|scan|search|send|set|show|start|stop|summari[sz]e|switch|take|tell|test|track|try|turn|update|upgrade|upload"
    "|use|verify|wait|watch|write"
)
_REQUEST: Final = re.compile(
    rf"(?:(?:hey|hi|ok|okay|now|then|also|and|next|so)\b[,:]? )?"
    rf"(?:please\b|(?:can|could|would|will) you\b|i (?:need|want) you to\b|(?:{_VERBS})\b)",
    re.IGNORECASE,
)


def check(file: CheckedFile) -> Violations:
    answers = {each.place.offset for each, _, answered in exchanges(file) if answered is not None}
    for each in between_agents(file):
        text = each.message.body[:LOOKED_AT].strip()
        if each.message.act != "inform" or each.place.offset in answers:
            continue
        if text.endswith(("?", "\uff1f")):
            yield each.violation("the question has no tag", "ask with [QUESTION:topic]")
        elif _REQUEST.match(text):
            yield each.violation("the request has no tag", "name it: [TASK:name]")
