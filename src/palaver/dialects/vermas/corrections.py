"""What vermas tells the author of a wrong line: the record to append instead."""

from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.grammar import ABSENT, HANDSHAKE, WORK_ORDER_ID, MessageType
from palaver.dialects.vermas.work_orders import STATUSES
from palaver.model.clock_text import to_utc
from palaver.model.message import PRIORITIES, Message, title_of
from palaver.model.mounted_files import content_id
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict
from palaver.model.strict_json import NotAnObject, loads_object

_TIME: Final = "<ISO timestamp>"
#: The priorities of work orders, and the one of an order that says none.
_ORDER_PRIORITIES: Final = range(5)
_USUAL: Final = 2


def _line(verdict: Verdict) -> str:
    try:
        fields = loads_object(verdict.text.encode())
    except NotAnObject:
        return ""
    if verdict.file == grammar.MAIL:
        return _mail(verdict, fields)
    return _work_order(verdict, fields) if verdict.file.endswith("/work_orders.jsonl") else ""


def _mail(verdict: Verdict, fields: dict[str, object]) -> str:
    """Return the mail to append; empty if it counts as it is, or if its author may not send it."""
    kind = grammar.message_type(str(fields.get("type") or fields.get("message_type") or ""))
    if verdict.rule == "id-twice" or (verdict.rule == "wrong-sender" and _is_foreign(verdict.author, kind)):
        return ""
    to = fields.get("to")
    if not isinstance(to, str) or not to or verdict.rule == "wrong-sender":
        to = _recipient(verdict.author, kind)
    # The id of the line may be taken by now: by the line itself.
    fresh_id = content_id(Message(sender=verdict.author, to=[], body=verdict.text))
    fixed: dict[str, object] = {**fields, "id": fresh_id, "from": verdict.author, "to": to}
    fixed |= _words(verdict, fields, kind)
    if fields.get("priority") not in PRIORITIES:
        fixed.pop("priority", None)
    if not isinstance(fields.get("metadata", {}), dict):
        fixed.pop("metadata")
    fixed.pop("message_type", None)
    fixed.pop("type", None)
    if kind is not None:
        fixed["type"] = kind.name
        fixed |= _with_order(verdict, fields) if kind.is_about_work else {}
    return dumps(fixed)


def _is_foreign(author: str, kind: MessageType | None) -> bool:
    """Return True if mail of a kind is sent by other roles than that of its author."""
    role = grammar.role_of(author)
    return bool(kind and kind.senders and role and role not in kind.senders)


def _words(verdict: Verdict, fields: dict[str, object], kind: MessageType | None) -> dict[str, object]:
    """Return the subject, the body and the time; what is missing is made from the rest."""
    subject, body = (
        each if isinstance(each, str) else "" if each is None else dumps(each)
        for each in (fields.get("subject"), fields.get("body"))
    )
    subject = subject or title_of(body) or ABSENT
    if kind is grammar.HANDOFF and not subject.startswith(HANDSHAKE):
        subject = HANDSHAKE + subject
    at, message = fields.get("timestamp"), verdict.message
    if not isinstance(at, str) or not to_utc(at.strip()):
        at = message.at if message else _TIME
    return {"subject": subject, "body": body or subject, "timestamp": at}


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


def _work_order(verdict: Verdict, fields: dict[str, object]) -> str:
    """Return the work order to append: with the status that the board has, and within its schema."""
    task = verdict.find_task(str(fields.get("id")).lower())
    fixed: dict[str, object] = {"id": "wo-<id>", **fields}
    title = str(fields.get("title") or "") or (task.title if task else "") or "<title>"
    fixed["title"] = title[: grammar.TITLE_CHARS]
    if fields.get("status", "open") not in grammar.STATUSES:
        fixed["status"] = STATUSES.word(task.state) if task else "open"
    if fields.get("priority", _USUAL) not in _ORDER_PRIORITIES:
        fixed["priority"] = _USUAL
    for name in ("issue_type", "type"):
        if fields.get(name, "task") not in grammar.ISSUE_TYPES:
            fixed[name] = "task"
    return dumps(fixed)


CORRECTIONS: Final = Corrections(author=author_of_record, line=_line)
