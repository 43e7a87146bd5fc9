"""SWA106 shutdown-not-from-td: an agent other than the director asks for a shutdown.

Why: only the director ends agents. Any other agent could stop work that others wait for.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@gm"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@gm"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.swarm.handles import director_of
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "SWA106"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each request by another agent."""
    del together
    leader = director_of(source.mount)
    for each in located_messages(source.path, parsed):
        sender = each.message.sender
        if each.message.act == "shutdown" and sender != leader:
            yield each.finding(CODE, f"{sender} asks for a shutdown", f"ask @{leader} to do it")


RULE: Final = Rule(code=CODE, name="shutdown-not-from-td", manual=__doc__, check=check)
