"""What a swarm tells the author of a wrong line: the line to append instead."""

from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.swarm.grammar import BARE, CARRIERS, SIX
from palaver.dialects.swarm.layout import director_of
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict
from palaver.model.strict_json import NotAnObject, loads_object

_REASON: Final = "<why you do this>"


def _line(verdict: Verdict) -> str:
    """Return the line with its fields in the order of the protocol, and what was wrong put right."""
    try:
        fields = loads_object(verdict.text.encode())
    except NotAnObject:
        fields = {"to": None, "content": verdict.text} if verdict.message is None and verdict.text else {}
    if not fields or (verdict.message is not None and verdict.message.act in ("autonomy", "shutdown")):
        return ""
    content = str(fields.get("content") or "")
    word = content.partition(":")[0]
    kind = str(fields.get("type") or "")
    if word in CARRIERS:
        kind = kind if kind in CARRIERS[word] else CARRIERS[word][-1]
    elif kind not in BARE:
        kind = "message"
    to = _handles(fields.get("to"))
    if word in ("BLOCKED", "HANDOFF") and not to:
        to = [f"@{director_of(verdict.mount)}"]
    reason = str(fields.get("reasoning") or "").strip("- ")
    right = {"from": verdict.author, "to": to, "type": kind, "reasoning": reason or _REASON}
    given: dict[str, object] = {name: fields.get(name) for name in SIX}
    return dumps({**given, "ts": fields.get("ts") or "<ISO timestamp>", **right, "content": content})


def _handles(to: object) -> list[str] | None:
    """Return the handles of a line as the protocol writes them; None is everyone."""
    named = to if isinstance(to, list) else [to] if isinstance(to, str) and to else []
    return [f"@{str(each).removeprefix('@')}" for each in named] or None


CORRECTIONS: Final = Corrections(author=author_of_record, line=_line)
