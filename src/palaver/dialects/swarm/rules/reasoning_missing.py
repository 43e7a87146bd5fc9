"""SWA101 reasoning-missing: a message gives no reasoning.

Why: every agent must give the reason for its action, so that others can follow and check it. A bare `-` counts as
no reasoning.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"decision","content":"Using Redis."}
    {"ts":"2026-01-25T23:45:01Z","from":"qa","to":null,"type":"status","reasoning":"-","content":"50% done"}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"decision","reasoning":"Need pub/sub.","content":"Using Redis."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA101"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message without a reason."""
    del together
    for each in located_messages(source.path, parsed):
        if not each.message.reasoning.strip():
            yield each.finding(
                CODE, f"{each.message.sender} gives no reasoning", "give the reason in reasoning"
            )


RULE: Final = Rule(code=CODE, name="reasoning-missing", manual=__doc__, check=check)
