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
        line = each.raw.partition(b"\n")[0]
        has_handshake = "🤝".encode() in line or b"\\ud83e\\udd1d" in line.lower()
        if each.message.act == "handoff" and not has_handshake:
            what = f"the handoff {each.message.id} has no 🤝 in its subject"
            yield each.violation(what, f"begin the subject with '{HANDSHAKE.strip()}'")
