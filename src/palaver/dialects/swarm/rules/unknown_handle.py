"""SWA109 unknown-handle: a handle is neither in the protocol's table nor a sender in the channel.

Why: a message to a name that no agent has is never read. This is only a note: the agent may exist without having
written yet; the mount can list it in its setting `handles`.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@programer"],"type":"message","reasoning":"Plan.","content":"Read the plan."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@programmer","@ada"],"type":"message","reasoning":"Plan.","content":"Read the plan."}
    {"ts":"2026-01-25T23:46:00Z","from":"ada","to":["@td"],"type":"message","reasoning":"Answer.","content":"Read."}
"""

from difflib import get_close_matches
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.swarm.grammar import HANDLES
from palaver.dialects.swarm.layout import director_of
from palaver.model.names import EVERYONE

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    further = [
        each.removeprefix("@").lower() for each in file.source.mount.settings.get("handles", "").split()
    ]
    known = {*HANDLES, EVERYONE, director_of(file.source.mount), *further}
    known |= {message.sender for message in file.parsed.messages}
    for each in file.messages():
        for agent in each.message.to:
            if agent not in known:
                known.add(agent)
                near = get_close_matches(agent, HANDLES, n=1)
                way_out = f"did you mean @{near[0]}?" if near else "check the spelling"
                yield each.violation(f"note: unknown handle @{agent}", way_out)
