"""Redaction of one line: it keeps its number and its length, and loses its text (docs/adr/0009).

First the event that announces it is appended, with the hashes of both lines, then the line is overwritten.
After a crash in between, redacting the line again finishes it.
"""

from collections.abc import Callable, Iterable
from typing import Final

from palaver.log.port import Log
from palaver.log.record import body, decode, hashed, line
from palaver.model.errors import NotFound
from palaver.model.event import Draft, Event, flag, number, text

#: The fields of a finding that stay: which rule, and about which line.
KEPT_OF_A_FINDING: Final = ("code", "line", "lines", "rule", "author", "message_id", "others", "src")
#: The events that can be redacted, and what stays of them: who was concerned, not what was said.
KEPT_FIELDS: Final = {
    "mail.sent": (
        *("message_id", "from", "to", "act", "priority", "task", "run", "reply_to", "hops", "undeliverable"),
        "about",
    ),
    "file.quarantined": ("id", "lines", "place"),
    "file.found": KEPT_OF_A_FINDING,
    # Lines about which something was found: the finding may quote them.
    "file.kept": ("shas", "copy", "messages", "carried", "same_as", "blank"),
    "file.recorded": ("kind",),
}


def redact(
    log: Log,
    seq: int,
    *,
    kept: Callable[[Event], Iterable[dict[str, object]]],
    announcement: Callable[[str, str], Draft],
) -> bool:
    """Redact the line with this number; return False if it was redacted before, and that was finished.

    `kept` returns what may stay of the data of an event: of several choices the first that fits.
    `announcement` returns the event to append, from the hashes of the line before and after.
    """
    raw = log.line(seq)
    if not raw:
        raise NotFound(f"no event {seq}", "the log has no such number", "palaver events lists them")
    event = decode(raw)
    unfinished = log.unfinished_redaction(seq)
    announced = _announced(log, seq)
    if event is None:
        # A crash while it was overwritten: only the spare copy has the new line.
        if announced is None or hashed(unfinished) != text(announced.data, "now"):
            raise NotFound(f"cannot redact {seq}", "its line is damaged", "palaver verify shows where")
        fresh = unfinished
    elif flag(event.data, "redacted"):
        if not unfinished:
            return False
        fresh = raw
    else:
        fresh = _redacted(event, kept(event), len(raw))

    def announce() -> None:
        if announced is None:
            log.append([announcement(hashed(raw), hashed(fresh))])

    log.redact(seq, fresh, announce)
    return True


def is_redacted(event: Event) -> bool:
    """Return True if an event has nothing but what a redaction leaves."""
    if event.data and not flag(event.data, "redacted"):
        # The smallest redaction leaves no data at all.
        return False
    found = event.data.get("found", [])
    findings = found if isinstance(found, list) else []
    is_bare = all(isinstance(each, dict) and each.keys() <= set(KEPT_OF_A_FINDING) for each in findings)
    return is_bare and event.data.keys() <= {*KEPT_FIELDS.get(event.event_type, ()), "found", "redacted"}


def _announced(log: Log, seq: int) -> Event | None:
    """Return the event that announced a redaction of this line, if there is one."""
    for event in log.newest_first('"log.redacted"'):
        if event.event_type == "log.redacted" and number(event.data, "seq") == seq:
            return event
    return None


def _redacted(event: Event, choices: Iterable[dict[str, object]], length: int) -> bytes:
    """Return the line with as much of the data as fits, padded to the length of the one it replaces."""
    for data in (*choices, {}):
        bare = event.having(data)
        # A short text could be guessed from the digest of the request that had it.
        bare.request = ""
        encoded = body(bare)
        padding = length - len(line(event.seq, encoded, event.prev))
        if padding >= 0:
            return line(event.seq, encoded + b" " * padding, event.prev)
    raise AssertionError("a line without data is never longer")
