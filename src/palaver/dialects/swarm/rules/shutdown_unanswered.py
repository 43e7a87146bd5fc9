"""SWA107 shutdown-unanswered: a shutdown request was never answered, though its recipient wrote later.

Why: the director waits for the answer before it cleans up the team. An agent that is not ready answers with a
reason.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}
    {"ts":"2026-01-25T23:46:00Z","from":"qa","to":["@td"],"type":"status","reasoning":"Progress.","content":"Still testing"}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}
    {"ts":"2026-01-25T23:46:00Z","from":"qa","to":["@td"],"type":"system","reasoning":"Idle.","content":"SHUTDOWN_ACK: Ready for shutdown."}
"""

from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Located, Violations
from palaver.model.names import EVERYONE

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    asked: dict[str, Located] = {}
    silent: dict[str, tuple[Located, int]] = {}
    for each in file.messages():
        sender = each.message.sender
        if each.message.act in ("leave", "refuse"):
            asked.pop(sender, None)
            silent.pop(sender, None)
        elif sender in asked:
            silent.setdefault(sender, (asked[sender], each.place.line))
        if each.message.act == "shutdown":
            asked |= {agent: each for agent in each.message.to if agent not in (EVERYONE, sender)}
    for agent, (request, line) in silent.items():
        said = f"@{agent} wrote on line {line} but never answered the shutdown request"
        yield request.violation(said, "answer with type system: SHUTDOWN_ACK:, or refuse with a reason")
