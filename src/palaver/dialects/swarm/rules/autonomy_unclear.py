"""SWA103 autonomy-unclear: a change of autonomy does not name the agent or the level.

Why: an agent that cannot tell whether it is meant, or what it may do, continues as before. The levels are
`autonomous` (no approval), `supervised` (reports; the director may intervene) and `gated` (needs approval).

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"Two bugs.","content":"AUTONOMY_UPDATE: qa → careful."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"Two bugs.","content":"AUTONOMY_UPDATE: qa → gated. Ask before each merge."}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.swarm.grammar import LEVELS
from palaver.model.names import EVERYONE


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        meta = each.message.meta
        if each.message.act == "autonomy" and not (meta.get("agent") and meta.get("level") in LEVELS):
            name = next((to for to in each.message.to if to != EVERYONE), "name")
            way_out = f"write AUTONOMY_UPDATE: {name} → {LEVELS[-1]}, or another level"
            said = f"the change names no agent, or none of the levels {', '.join(LEVELS)}"
            yield each.violation(said, way_out)
