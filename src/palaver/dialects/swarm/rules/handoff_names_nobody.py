"""SWA110 handoff-names-nobody: a handoff names no agent that takes over.

Why: a handoff is for work that another agent needs. Work that is handed to everyone is not picked up.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":null,"type":"task","reasoning":"Done.","content":"HANDOFF: Tests complete."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@critic"],"type":"task","reasoning":"Done.","content":"HANDOFF: Tests complete. @critic review them."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.swarm.handles import named_agents
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA110"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each handoff to no agent in particular."""
    del together
    for each in located_messages(source.path, parsed):
        if each.message.act == "handoff" and not named_agents(each.message):
            said = f"{each.message.sender} hands over to no agent in particular"
            yield each.finding(CODE, said, 'name the agent that takes over, as "to":["@qa"]')


RULE: Final = Rule(code=CODE, name="handoff-names-nobody", manual=__doc__, check=check)
