"""COL111 unknown-sender: the sender of a message is not a party of the mount.

Why: a third name in a log of two agents is a typo, or an agent that should not write there. The mount names A, B,
the person and others; a log that calls its agents A and B names them itself.

Bad (chat.log):

    2026-02-22 03:15:44 A -> B: [TASK:price-check] BTC price
    2026-02-22 03:15:46 C -> A: [DONE:price-check] BTC $94,230

Good (chat.log):

    2026-02-22 03:15:44 A -> B: [TASK:price-check] BTC price
    2026-02-22 03:15:46 B -> A: [DONE:price-check] BTC $94,230
"""

from palaver.dialects.collab.open_items import chat
from palaver.dialects.collab.parties import THE_SYSTEM, parties_of
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.names import BUS


def check(file: CheckedFile) -> Violations:
    """Yield one violation for each message from an unknown sender, if the parties are known."""
    parties = parties_of(file.source.mount)
    senders = {message.sender for message in file.parsed.messages}
    if not {"a", "b"} & file.source.mount.settings.keys() and not {parties.a, parties.b} & senders:
        return
    known = {parties.a, parties.b, parties.person, THE_SYSTEM, BUS} | parties.others
    for place, message, _ in chat(file):
        if message.sender not in known:
            a, b = parties.called(parties.a), parties.called(parties.b)
            what = (
                f"{message.sender} is neither {a} nor {b} nor the person, nor among the `others` of the mount"
            )
            fix = "correct the name, or add it to the `others`"
            yield Violation(place, what, fix)
