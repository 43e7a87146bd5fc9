"""COL108 banned-phrases: a message contains a phrase that the protocol bans.

Why: two agents that are both "standing by" do nothing forever. The protocol bans "let me know", "ready when you
are" and "standing by": say what you do next, or what you need.

Bad (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] 50% done, on section 3. Let me know if I should go on.

Good (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] 50% done, on section 3
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import LOOKED_AT, between_agents
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL108"
_BANNED: Final = re.compile(r"\blet me know\b|\bready when you are\b|\bstanding by\b", re.IGNORECASE)


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message with such a phrase."""
    for place, message, _ in between_agents(source, parsed):
        if found := _BANNED.search(message.body[:LOOKED_AT]):
            fix = "say what you do next, or ask with [QUESTION:topic]"
            yield Finding(code=CODE, place=place, message=f"{found[0]!r} is a banned phrase", fix=fix)


RULE: Final = Rule(code=CODE, name="banned-phrases", manual=__doc__, check=check)
