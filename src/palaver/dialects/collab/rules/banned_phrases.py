"""COL108 banned-phrases: a message contains a phrase that the protocol bans.

Why: two agents that are both "standing by" do nothing forever. The protocol bans "let me know", "ready when you
are" and "standing by": say what you do next, or what you need.

Bad (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] 50% done, on section 3. Let me know if I should go on.

Good (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] 50% done, on section 3
"""

from palaver.dialects.collab.grammar import BANNED
from palaver.dialects.collab.open_items import LOOKED_AT, between_agents
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations


def check(file: CheckedFile) -> Violations:
    for place, message, _ in between_agents(file):
        if found := BANNED.search(message.body[:LOOKED_AT]):
            fix = "say what you do next, or ask with [QUESTION:topic]"
            yield Violation(place, f"{found[0]!r} is a banned phrase", fix)
