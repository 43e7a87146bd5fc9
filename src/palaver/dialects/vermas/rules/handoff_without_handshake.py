"""VER103 handoff-without-handshake: the subject of a handoff lacks its 🤝.

Why: a new session looks for the emoji first. A handoff without it is read late, as ordinary mail.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.vermas.grammar import HANDSHAKE
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER103"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    assert source.path in together
    for each in located_messages(source.path, parsed):
        if each.message.act != "handoff":
            continue
        start = each.place.offset - source.offset
        line = source.content[start:].partition(b"\n")[0]
        if "🤝".encode() not in line and b"\\ud83e\\udd1d" not in line.lower():
            what = f"the handoff {each.message.id} has no 🤝 in its subject"
            yield each.finding(CODE, what, f"begin the subject with '{HANDSHAKE.strip()}'")


RULE: Final = Rule(code=CODE, name="handoff-without-handshake", manual=__doc__, check=check)
