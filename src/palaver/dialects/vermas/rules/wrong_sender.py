"""VER101 wrong-sender: a typed message comes from, or goes to, somebody whose role it is not.

Why: each of the nine types is one step of a flow. A WORKER_DONE that skips the supervisor is work that
nobody passes on to be checked.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"ceo","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.vermas.grammar import CARRIERS, RECIPIENTS, SENDERS
from palaver.dialects.vermas.rules.places import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER101"
_ROLES: Final = ("worker", "supervisor", "qa", "operations", "ceo")


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    assert source.path in together
    for place, message in letters(source, parsed):
        kind = CARRIERS.get(message.act, "")
        wanted = SENDERS.get(kind, ())
        role = _role(message.sender)
        if wanted and role and role not in wanted:
            what = f"{kind} comes from {message.sender}, who is a {role}"
            yield Finding(code=CODE, place=place, message=what, fix=f"let the {' or '.join(wanted)} send it")
        wanted = RECIPIENTS.get(kind, ())
        for recipient in message.to:
            role = _role(recipient)
            if wanted and role and role not in wanted:
                what = f"{kind} goes to {recipient}, who is a {role}"
                yield Finding(
                    code=CODE, place=place, message=what, fix=f"send it to the {' or '.join(wanted)}"
                )


def _role(address: str) -> str:
    """Return the role that an address names, nothing if it names none that we know."""
    for segment in address.split("/"):
        for role in _ROLES:
            if segment in (role, f"{role}s"):
                return role
    return ""


RULE: Final = Rule(code=CODE, name="wrong-sender", manual=__doc__, check=check)
