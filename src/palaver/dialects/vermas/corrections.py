"""What vermas tells the author of wrong mail: the record to append instead."""

from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.vermas.grammar import ABSENT, HANDSHAKE, TYPES, WORK_ORDER_ID, MessageType
from palaver.model.message import PRIORITIES
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict
from palaver.model.strict_json import NotAnObject, loads_object


def _line(verdict: Verdict) -> str:
    try:
        fields = loads_object(verdict.text.encode())
    except NotAnObject:
        return ""
    kind = TYPES.get(str(fields.get("type") or fields.get("message_type") or "").upper())
    to = fields.get("to")
    if not isinstance(to, str) or not to or verdict.rule == "wrong-sender":
        to = _recipient(verdict.author, kind)
    fixed: dict[str, object] = {**fields, "from": verdict.author, "to": to}
    if fields.get("priority") not in PRIORITIES:
        fixed.pop("priority", None)
    if kind is None:
        fixed.pop("type", None)
        fixed.pop("message_type", None)
    else:
        fixed["type"] = kind.name
        fixed |= _with_order(verdict, fields) if kind.is_about_work else {}
    if kind is TYPES["HANDOFF"] and not str(fields.get("subject", "")).startswith(HANDSHAKE):
        fixed["subject"] = f"{HANDSHAKE}{fields.get('subject') or ABSENT}"
    return dumps(fixed)


def _with_order(verdict: Verdict, fields: dict[str, object]) -> dict[str, object]:
    """Return the metadata with the work order that the mail is about."""
    metadata = fields.get("metadata")
    given = metadata if isinstance(metadata, dict) else {}
    order = verdict.tasks[0].id if verdict.tasks else "wo-<id>"
    return {"metadata": {WORK_ORDER_ID: order, **given}}


def _recipient(author: str, kind: MessageType | None) -> str:
    """Return the address that mail of a kind goes to, in the factory of its author."""
    role = kind.recipients[0] if kind is not None and kind.recipients else "supervisor"
    factory, _, rest = author.partition("/")
    return f"{factory}/{role}" if rest and role in ("supervisor", "qa") else role


CORRECTIONS: Final = Corrections(author=author_of_record, line=_line)
