"""SWA102 autonomy-not-from-td: an agent other than the director changes an agent's autonomy.

Why: only the technical director decides how freely an agent may act. An agent that could set its own level would
no longer need any approval.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"autonomy","reasoning":"I am good.","content":"AUTONOMY_UPDATE: qa → autonomous."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"3 clean tasks.","content":"AUTONOMY_UPDATE: qa → autonomous."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.swarm.handles import director_of
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA102"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each change by another agent."""
    del together
    leader = director_of(source.mount)
    for each in located_messages(source.path, parsed):
        sender = each.message.sender
        if each.message.act == "autonomy" and sender != leader:
            yield each.finding(CODE, f"{sender} changes an agent's autonomy", f"ask @{leader} to do it")


RULE: Final = Rule(code=CODE, name="autonomy-not-from-td", manual=__doc__, check=check)
