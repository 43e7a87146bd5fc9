"""SWA110 handoff-names-nobody: a handoff names no agent that takes over.

Why: work that is handed to everyone is not picked up. A handoff is for work that another agent needs.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"task","reasoning":"Done.","content":"HANDOFF: Tests complete."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@critic"],"type":"task","reasoning":"Done.","content":"HANDOFF: Tests complete. @critic review them."}
"""

from functools import partial

from palaver.dialects.swarm.rule_checks import check_names_agent

check = partial(
    check_names_agent,
    act="handoff",
    problem="hands over to no agent in particular",
    fix='name the agent that takes over, as "to":["@qa"]',
)
