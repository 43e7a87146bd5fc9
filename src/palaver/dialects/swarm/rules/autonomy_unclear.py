"""SWA103 autonomy-unclear: a change of autonomy does not name the agent or the level.

Why: an agent that cannot tell whether it is meant, or what it may do, continues as before. The levels are
`autonomous` (no approval), `supervised` (reports; the director may intervene) and `gated` (needs approval).

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"Two bugs.","content":"AUTONOMY_UPDATE: qa → careful."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"Two bugs.","content":"AUTONOMY_UPDATE: qa → gated. Ask before each merge."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.swarm.grammar import LEVELS
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA103"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each change that does not name an agent and a level."""
    del together
    for each in located_messages(source.path, parsed):
        meta = each.message.meta
        if each.message.act == "autonomy" and not (meta.get("agent") and meta.get("level") in LEVELS):
            way_out = f"write AUTONOMY_UPDATE: name → level, with one of {', '.join(LEVELS)}"
            yield each.finding(CODE, "the change names no agent, or no level", way_out)


RULE: Final = Rule(code=CODE, name="autonomy-unclear", manual=__doc__, check=check)
