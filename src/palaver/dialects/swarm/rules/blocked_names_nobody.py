"""SWA105 blocked-names-nobody: a blocked agent addresses no agent in particular.

Why: if a blocker goes to everyone, no agent feels responsible. Name the agent that can help, in `to` or by @mention.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"status","reasoning":"No spec.","content":"BLOCKED: Task #2 needs a spec."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"status","reasoning":"No spec.","content":"BLOCKED: Task #2 needs a spec. @architect please provide it."}
"""

from functools import partial

from palaver.dialects.swarm.rule_checks import check_names_agent

check = partial(
    check_names_agent,
    act="block",
    problem="is blocked and names no agent",
    fix='name an agent that can help, as "to":["@td"]',
)
