"""VER105 id-twice: two messages have the same id.

Why: marking one as read marks the other, and looking for one may find the other. (Adjacent lines that differ
only in `to` are one message to several recipients, and are fine.)

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"operations","subject":"a","body":"x","timestamp":"2026-01-01T00:00:00Z"}
    {"id":"msg-1","from":"ceo","to":"operations","subject":"b","body":"y","timestamp":"2026-01-01T00:00:01Z"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"operations","subject":"a","body":"x","timestamp":"2026-01-01T00:00:00Z"}
    {"id":"msg-2","from":"ceo","to":"operations","subject":"b","body":"y","timestamp":"2026-01-01T00:00:01Z"}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    seen: dict[str, int] = {}
    for each in file.messages():
        message_id = each.message.id
        if message_id and message_id in seen:
            what = f"{message_id} is also the id of line {seen[message_id]}"
            yield each.violation(what, "give each message its own id")
        seen.setdefault(message_id, each.place.line)
