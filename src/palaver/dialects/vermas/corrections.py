"""What vermas tells the author of a wrong line: the record to append instead."""

import re
from dataclasses import replace
from typing import Final

from palaver.dialects.shared.record_author import author_of_record
from palaver.dialects.shared.translation import is_address
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.grammar import ABSENT, HANDSHAKE, WORK_ORDER_ID, MessageType, typed_subject
from palaver.dialects.vermas.work_orders import STATUSES
from palaver.model.clock_text import to_utc
from palaver.model.message import PRIORITIES, Message, title_of
from palaver.model.mounted_files import Mount, content_id
from palaver.model.plain import dumps
from palaver.model.spec import Corrections, Verdict
from palaver.model.strict_json import NotAnObject, loads_object, split_objects

#: A field of a record that holds a text.
_TEXT: Final = re.compile(r'"(\w+)"\s*:\s*("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])*")')
#: The id of what is assigned, and the type that goes before it.
_REFERENCES: Final = {"wo": "work_order", "msg": "mail", "proc": "process"}
_ID: Final = re.compile(rf"\b({'|'.join(_REFERENCES)})-[\w.-]*\w")
#: The fields that name the author of a record; of mail, `from`.
_AUTHORS: Final = {grammar.ORDERS: b"created_by", grammar.EVENTS: b"actor"}
_TIME: Final = "<ISO timestamp>"
_ADDRESS: Final = "<address>"
#: The priorities of work orders, and the one of an order that says none.
_ORDER_PRIORITIES: Final = range(5)
_USUAL: Final = 2


def _line(verdict: Verdict) -> str:
    if verdict.file.startswith(f".work/{grammar.ASSIGNMENT}"):
        return _assignment(verdict)
    if not verdict.text:
        return ""
    parts = [each.decode() for each in split_objects(verdict.text.encode())]
    if verdict.rule == "VER009":
        # Records that follow each other are one entry; of one that was clipped there is no line to offer.
        return "\n".join(_moved(verdict, part) for part in parts)
    is_mail, is_order = verdict.file == grammar.MAIL, verdict.file == grammar.ORDERS
    if len(parts) > 1:
        # Mail was read all the same.
        return "\n".join(parts) if is_order else ""
    try:
        fields = loads_object(verdict.text.encode())
    except NotAnObject:
        fields = _salvaged(verdict.text, "title" if is_order else "body")
    if is_mail:
        return _mail(verdict, fields)
    return _work_order(verdict, fields) if is_order else ""


def _moved(verdict: Verdict, part: str) -> str:
    """Return a record that is in the wrong file, as it is appended to its own."""
    fields = loads_object(part.encode())
    file = grammar.file_of(fields)
    if file == grammar.MAIL:
        return _mail(replace(verdict, text=part), fields)
    return _work_order(verdict, fields) if file == grammar.ORDERS else dumps(fields)


def _salvaged(text: str, name: str) -> dict[str, object]:
    """Return the texts of a record that is not JSON; one that is no record at all is the field of a name."""
    if not text.lstrip().startswith("{"):
        return {name: text.strip()}
    return {name: loads_object(f'{{"x":{value}}}'.encode())["x"] for name, value in _TEXT.findall(text)}


def _mail(verdict: Verdict, fields: dict[str, object]) -> str:
    """Return the mail to append; empty if it counts as it is, or if its author may not send it."""
    written = str(fields.get("type") or fields.get("message_type") or "")
    kind, order = typed_subject(str(fields.get("subject")))
    if written:
        kind = grammar.message_type(written) or grammar.nearest_type(written)
    if verdict.rule == "id-twice" or (verdict.rule == "wrong-sender" and _is_foreign(verdict.author, kind)):
        return ""
    to = fields.get("to")
    if not _are_addresses(to) or verdict.rule == "wrong-sender":
        to = _recipient(verdict.author, kind)
    # The id of the line may be taken by now: by the line itself.
    fresh_id = content_id(Message(sender=verdict.author, to=[], body=verdict.text))
    author = verdict.author if _are_addresses(fields.get("from")) else _ADDRESS
    fixed: dict[str, object] = {**fields, "id": fresh_id, "from": author, "to": to}
    fixed |= _words(verdict, fields, kind)
    if str(fields.get("priority")).lower() not in PRIORITIES:
        fixed.pop("priority", None)
    if not isinstance(fields.get("metadata", {}), dict):
        fixed.pop("metadata")
    if not to_utc(str(fields.get("read_at"))):
        fixed.pop("read_at", None)
    fixed.pop("message_type", None)
    fixed.pop("type", None)
    if kind is not None:
        fixed["type"] = kind.name
        fixed |= _with_order(verdict, fields, order) if kind.is_about_work else {}
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


def _with_order(verdict: Verdict, fields: dict[str, object], named: str) -> dict[str, object]:
    """Return the metadata with the work order that the mail is about; its subject may name it."""
    metadata = fields.get("metadata")
    given = metadata if isinstance(metadata, dict) else {}
    order = given.get(WORK_ORDER_ID)
    if not isinstance(order, str) or not order:
        order = named or (verdict.tasks[0].id if verdict.tasks else "wo-<id>")
    return {"metadata": {**given, WORK_ORDER_ID: order}}


def _recipient(author: str, kind: MessageType | None) -> str:
    """Return the address that mail of a kind goes to, in the factory of its author."""
    role = kind.recipients[0] if kind is not None and kind.recipients else "supervisor"
    factory, _, rest = author.partition("/")
    if role not in grammar.FACTORY_ROLES:
        return role
    return f"{factory}/{role}" if rest else _ADDRESS


def _are_addresses(value: object) -> bool:
    """Return True if a field can be the address of an agent, or a list of such addresses."""
    if isinstance(value, list):
        return bool(value) and all(map(_are_addresses, value))
    return is_address(value)


def _work_order(verdict: Verdict, fields: dict[str, object]) -> str:
    """Return the work order to append: with the status that the board has, and within its schema."""
    task = verdict.find_task(str(fields.get("id")).lower())
    fixed: dict[str, object] = {"id": "wo-<id>", **fields}
    title = str(fields.get("title") or "") or (task.title if task else "") or "<title>"
    fixed["title"] = title[: grammar.TITLE_CHARS]
    if fields.get("status", "open") not in grammar.STATUSES:
        meant = STATUSES.state(grammar.status_of(fields["status"])) or (task.state if task else "open")
        fixed["status"] = STATUSES.word(meant)
    for name in ("assignee", "created_by"):
        if fields.get(name) and not is_address(fields[name]):
            fixed[name] = _ADDRESS
    if verdict.rule == "order" and not fields.get("assignee"):
        fixed["assignee"] = (task.holder if task else "") or _ADDRESS
    if fields.get("priority", _USUAL) not in _ORDER_PRIORITIES:
        fixed["priority"] = _USUAL
    for name in ("issue_type", "type"):
        if fields.get(name, "task") not in grammar.ISSUE_TYPES:
            fixed[name] = "task"
    return dumps(fixed)


def _assignment(verdict: Verdict) -> str:
    """Return the line of an assignment file, by the id that was written there; empty if it is right."""
    if verdict.rule != "VER012":
        return ""
    named = _ID.search(verdict.text)
    return f"{_REFERENCES[named[1]]}:{named[0]}" if named else "work_order:wo-<id>"


def _author(content: bytes, mount: Mount, file: str) -> str:
    """Return the agent that a record says it is from; empty if it names none."""
    fields = dict.fromkeys([_AUTHORS.get(file, b"from"), b"from", *_AUTHORS.values()])
    return next(filter(None, (author_of_record(content, mount, file, each) for each in fields)), "")


#: A field that is missing, not a time or no priority; a subject without its emoji.
_FORM: Final = frozenset(["VER004", "VER005", "VER007", "VER008", "VER103", "handoff-without-handshake"])


def _has_counted(verdict: Verdict) -> bool:
    """Return True if a message had its effect, or only its form is wrong: it need not be written again.

    A move in mail to the wrong role does not reach the agent that makes the next one.
    """
    has_moved = verdict.has_moved and verdict.rule != "wrong-sender"
    return has_moved or (verdict.message is not None and verdict.rule in _FORM)


CORRECTIONS: Final = Corrections(author=_author, line=_line, has_counted=_has_counted)
