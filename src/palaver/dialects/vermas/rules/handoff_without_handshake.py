"""VER103 handoff-without-handshake: the subject of a handoff lacks its 🤝.

Why: a new session looks for the emoji first. A handoff without it is read late, as ordinary mail.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.vermas.grammar import HANDSHAKE


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        if each.message.act != "handoff":
            continue
        start = each.place.offset - file.source.offset
        line = file.source.content[start:].partition(b"\n")[0]
        if "🤝".encode() not in line and b"\\ud83e\\udd1d" not in line.lower():
            what = f"the handoff {each.message.id} has no 🤝 in its subject"
            yield each.violation(what, f"begin the subject with '{HANDSHAKE.strip()}'")
