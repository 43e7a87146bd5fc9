"""SWA101 reasoning-missing: a message gives no reasoning.

Why: every agent must give the reason for its action, so that others can follow and check it. A bare `-` counts as
no reasoning.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"decision","content":"Using Redis."}
    {"ts":"2026-01-25T23:45:01Z","from":"qa","to":null,"type":"status","reasoning":"-","content":"50% done"}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"decision","reasoning":"Need pub/sub.","content":"Using Redis."}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.swarm.grammar import NO_REASON


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        # What the bus writes for an agent that gave no reason is not the fault of the line.
        is_ours = NO_REASON.encode() in each.raw
        if not each.message.reasoning.strip() and not is_ours:
            yield each.violation(f"{each.message.sender} gives no reasoning", "give the reason in reasoning")
