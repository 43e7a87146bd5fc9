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

from functools import partial
from typing import Final

from palaver.dialects.shared.rule import check_unique_ids

NEEDS_CONTEXT: Final = True

check = partial(check_unique_ids, fix="give each message its own id")
