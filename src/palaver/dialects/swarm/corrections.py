"""What a swarm tells the author of a wrong line: the line to append instead."""

from difflib import get_close_matches
from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.swarm.grammar import BARE, CARRIERS, HANDLES, SIX
from palaver.dialects.swarm.layout import director_of
from palaver.model.message import Message
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict
from palaver.model.strict_json import NotAnObject, loads_object

_REASON: Final = "<why you do this>"
_TIME: Final = "<ISO timestamp>"


def _line(verdict: Verdict) -> str:
    """Return the line with its fields in the order of the protocol, and what was wrong put right."""
    if verdict.message is not None and verdict.rule in _DIRECTOR_LINES:
        return _DIRECTOR_LINES[verdict.rule](verdict.author, verdict.message)
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
    return dumps({**given, "ts": fields.get("ts") or _TIME, **right, "content": content})


def _approve(director: str, claim: Message) -> str:
    """Return the line that approves a claim."""
    return _written(director, claim.sender, "message", f"Approved: task #{claim.task}")


def _update(director: str, update: Message) -> str:
    """Return the line that sets the autonomy of the agent that was probably meant."""
    near = get_close_matches(str(update.meta.get("agent")), HANDLES, n=1)
    agent = near[0] if near else "<agent>"
    return _written(director, agent, "autonomy", f"AUTONOMY_UPDATE: {agent} → {update.meta.get('level')}")


def _written(sender: str, to: str, kind: str, content: str) -> str:
    head = {"ts": _TIME, "from": sender, "to": [f"@{to}"], "type": kind}
    return dumps({**head, "reasoning": _REASON, "content": content})


#: What the director may write, by rule.
_DIRECTOR_LINES: Final = {"gated": _approve, "autonomy-of-nobody": _update}


def _handles(to: object) -> list[str] | None:
    """Return the handles of a line as the protocol writes them; None is everyone."""
    named = to if isinstance(to, list) else [to] if isinstance(to, str) and to else []
    return [f"@{str(each).removeprefix('@')}" for each in named] or None


CORRECTIONS: Final = Corrections(author=author_of_record, line=_line)
