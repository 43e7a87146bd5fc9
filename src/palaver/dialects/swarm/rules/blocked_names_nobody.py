"""SWA105 blocked-names-nobody: a blocked agent addresses no agent in particular.

Why: if a blocker goes to everyone, no agent feels responsible. Name the agent that can help, in `to` or by @mention.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"status","reasoning":"No spec.","content":"BLOCKED: Task #2 needs a spec."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"status","reasoning":"No spec.","content":"BLOCKED: Task #2 needs a spec. @architect please provide it."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.swarm.handles import named_agents
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA105"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each blocker that names no agent."""
    del together
    for each in located_messages(source.path, parsed):
        if each.message.act == "block" and not named_agents(each.message):
            said = f"{each.message.sender} is blocked and names no agent"
            yield each.finding(CODE, said, 'name an agent that can help, as "to":["@td"]')


RULE: Final = Rule(code=CODE, name="blocked-names-nobody", manual=__doc__, check=check)
