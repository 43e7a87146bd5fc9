"""One line of an office log into messages.

If the line follows its template to the letter, the template's expression takes it apart; otherwise
`loose_fields` reads what can have only one meaning. Then trailer and act tag are split from the text, the
sender and the recipients are resolved, and a line in the wrong file is reported. Nothing is guessed: a line
that could mean two things is refused and its bytes are kept.
"""

import re
from math import isfinite
from typing import Final, NamedTuple

from palaver.dialects.office import grammar, loose_fields
from palaver.dialects.office.grammar import BY_NAME, EXACT, GENERAL, NONE, Desk, Tag
from palaver.dialects.office.layout import Pen
from palaver.dialects.shared.act_tag import read_act_tag
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.shared.trailer import without_trailer
from palaver.dialects.shared.translation import is_usable, with_fields
from palaver.model.clock_text import is_plausible, to_utc
from palaver.model.errors import BadName
from palaver.model.limits import DEPTH, RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, WORDLESS, Message
from palaver.model.names import EVERYONE, address, short

_OPENING: Final = "(palaver"
#: The trailer that makes `without_trailer` unescape a text.
_ESCAPED: Final = " (palaver esc=1)"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SECOND_SENDER: Final = re.compile(r"by: \S+(?: \||$)")


class _Line(NamedTuple):
    """The parts of a line, before any name is resolved."""

    tag: Tag
    act: str
    #: The tag as the message keeps it: empty if it is the act's own tag.
    kept_tag: str
    at: str
    values: dict[str, str]
    #: The fields of the trailer.
    beside: dict[str, object]
    is_escaped: bool


class _Words(NamedTuple):
    """What the text of a line says."""

    act: str
    task: str
    body: str
    is_tagged: bool = False


def read_entry(text: str, pen: Pen) -> tuple[tuple[Message, ...], list[Problem]]:
    """Return the messages of a line and what is odd about it, or raise `Unreadable`."""
    problems: list[Problem] = []
    line = _split(text, pen, problems)
    return _messages(line, pen, problems), problems


def is_exact(text: str) -> bool:
    """Return True if a line follows its template to the letter, with or without a trailer."""
    head = grammar.LETTER.fullmatch(text)
    if head is None or not to_utc(head["time"].strip()):
        return False
    return _exact_fields(BY_NAME[head["tag"]], split_trailer(head["rest"])[0]) is not None


def split_trailer(rest: str) -> tuple[str, dict[str, object], bool]:
    """Return what precedes the trailer, the fields of the trailer, and whether the text is escaped."""
    cut = rest.rfind(_OPENING) if rest.endswith(")") else -1
    if cut < 0:
        return rest, {}, False
    left, beside = without_trailer(rest[cut:])
    if left:
        return rest, {}, False
    return rest[:cut].removesuffix(" "), beside, re.search(r" esc=[^ )]", rest[cut:]) is not None


def split_files(written: str) -> list[dict[str, object]]:
    """Return the files of a comma-separated list."""
    if written in ("", NONE):
        return []
    return [{"path": path.strip(" \t")} for path in written.split(",") if path.strip(" \t")]


# ---------------------------------------------------------------- the parts of a line


def _split(text: str, pen: Pen, problems: list[Problem]) -> _Line:
    head = grammar.HEAD.fullmatch(text)
    if head is None:
        raise loose_fields.not_an_entry(text)
    time, word, rest = head.groups("")
    tag = BY_NAME.get(word)
    if tag is None:
        word = re.sub("[ -]", "_", word.strip().upper())
        tag = BY_NAME.get(word)
    at = to_utc(time.strip())
    if tag is None and not (at and word):
        raise loose_fields.not_an_entry(text)
    _check_time(time.strip(), at, problems)
    raw, beside, is_escaped = split_trailer(rest)
    if tag is None:
        carrier = GENERAL.get(pen.desk, BY_NAME["INFO"])
        values = _exact_fields(carrier, raw) or {"text": raw}
        fix = "write INFO (workers), REPLY (the manager) or another tag of the manual"
        problems.append(Problem(grammar.UNKNOWN_TAG, f"the tag {word!a} does not exist", fix))
        return _Line(carrier, "inform", word, at, values, beside, is_escaped)
    values = _exact_fields(tag, raw) or loose_fields.read(tag, raw, problems)
    return _Line(tag, tag.act, tag.name if tag.variant else "", at, values, beside, is_escaped)


def _exact_fields(tag: Tag, raw: str) -> dict[str, str] | None:
    match = EXACT[tag.name].fullmatch(raw)
    return dict(zip(tag.fields, match.groups(""), strict=True)) if match else None


def _check_time(written: str, at: str, problems: list[Problem]) -> None:
    if written in ("", NONE):
        fix = "begin it with [<ISO timestamp>]"
        problems.append(Problem(grammar.NO_TIME, "the entry has no timestamp", fix))
    elif not at:
        fix = "write it like 2026-02-11T10:00:00Z"
        problems.append(Problem(grammar.IMPOSSIBLE_TIME, f"{written[:40]!a} is not a time", fix))
    elif not is_plausible(at):
        problems.append(
            Problem(grammar.ODD_TIME, f"the year of the entry is {int(at[:4])}", "set the writer's clock")
        )


# ---------------------------------------------------------------- messages


def _messages(line: _Line, pen: Pen, problems: list[Problem]) -> tuple[Message, ...]:
    words = _words(line)
    sender, to = _parties(line, pen)
    beside = _usable(line.beside, problems) if line.beside else {}
    message = Message(
        sender=sender,
        to=to,
        body=words.body,
        act=words.act,
        task=words.task,
        files=split_files(line.values.get("files", "")),
        meta=_meta(line),
        tag=line.kept_tag if line.act == words.act else "",
        at=line.at,
        auth=_auth(line.tag, str(beside.get("from", sender)), pen, problems),
    )
    tasks = line.values.get("tasks")
    found = [message]
    if tasks is not None:
        # One line may release several tasks; each becomes a message of its own.
        found = [with_fields(message, {"task": task})[0] for task in _released(tasks)]
    if beside:
        found = [with_fields(each, beside)[0] for each in found]
    _check_words(line, found[0], problems, is_tagged=words.is_tagged)
    return tuple(found)


def _released(tasks: str) -> list[str]:
    found = [loose_fields.task_id(each) for each in re.split(r",\s*", tasks)]
    return ["" if each in ("none", NONE) else each for each in found]


def _words(line: _Line) -> _Words:
    """Find act, task and body: an act tag decides, then a question mark, then the tag of the line."""
    text = line.values.get(line.tag.text, "")
    if line.is_escaped:
        text, _ = without_trailer(text + _ESCAPED)
    task = line.values.get("task") or line.values.get("task?") or ""
    if line.tag.dash and text == NONE:
        text = ""
    if tagged := read_act_tag(text):
        act, named, body = tagged
        return _Words(act, named or task, body, is_tagged=True)
    if line.tag.name == "INFO" and not line.kept_tag and text.rstrip(" \t").endswith(grammar.QUESTION_MARKS):
        return _Words("ask", task, text)
    return _Words(line.act, task, text)


def _parties(line: _Line, pen: Pen) -> tuple[str, list[str]]:
    """Return the sender and the recipients."""
    if line.tag.desk is Desk.MANAGER:
        names = line.values.get("names") or line.values.get("name") or ""
        listed = names.split(", ") if names else [EVERYONE]
        return pen.manager, _recipients([_name(each) for each in listed])
    name = line.values.get("name", "")
    if name and line.tag.name == "INFO" and _SECOND_SENDER.match(line.values.get("text", "")):
        raise Unreadable(grammar.KEY_TWICE, "this INFO has two by:", "keep the right one")
    sender = _sender(_name(name)) if name else pen.owner
    if not sender:
        message = "neither the line nor the file name says who the sender is"
        raise Unreadable(grammar.BAD_NAME, message, "write by: <employeeId>")
    if sender == pen.manager and pen.owner not in ("", sender):
        return sender, [pen.owner]
    return sender, [pen.manager]


def _name(text: str) -> str:
    try:
        return address(text)
    except BadName as fault:
        raise Unreadable(grammar.BAD_NAME, f"{fault.what}: {fault.why}", fault.way_out) from fault


def _sender(name: str) -> str:
    if name == EVERYONE:
        raise Unreadable(
            grammar.BAD_NAME, "everyone cannot be a sender", "write the employeeId of the sender"
        )
    return name.removeprefix("@")


def _recipients(names: list[str]) -> list[str]:
    if len(names) > RECIPIENTS:
        fix = f"name at most {RECIPIENTS}, or write To all"
        raise Unreadable(grammar.CROWD, f"the line has {len(names)} recipients", fix)
    return names


def _usable(beside: dict[str, object], problems: list[Problem]) -> dict[str, object]:
    """Return the fields of the trailer that can be used; their names are checked like all names."""
    usable = {key: value for key, value in beside.items() if _is_usable(key, value)}
    if len(usable) < len(beside):
        names = ", ".join(key for key in beside if key not in usable)
        message = f"the trailer's {names} cannot be used"
        problems.append(Problem(grammar.BAD_TRAILER, message, "leave trailers to palaver"))
    sender, to = usable.get("from"), usable.get("to")
    if isinstance(sender, str):
        usable["from"] = _sender(_name(sender))
    if isinstance(to, list):
        usable["to"] = _recipients([_name(each) for each in to])
    return usable


def _is_usable(key: str, value: object) -> bool:
    if key == "act":
        return value in ACTS
    if key == "priority":
        return value in PRIORITIES
    return is_usable(key, value) and _is_storable(value, DEPTH)


def _is_storable(value: object, depth: int) -> bool:
    """Return True if a value has finite numbers, whole characters, and is not nested too deeply."""
    if isinstance(value, str):
        return value.isascii() or not _SURROGATE.search(value)
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return depth > 0 and all(_is_storable(each, depth - 1) for each in (*value, *value.values()))
    if isinstance(value, list):
        return depth > 0 and all(_is_storable(each, depth - 1) for each in value)
    return True


def _meta(line: _Line) -> dict[str, object]:
    """Return the other fields of the line, by their keys."""
    meta: dict[str, object] = {
        key: value for key, value in line.values.items() if grammar.is_extra(key) and value not in ("", NONE)
    }
    if line.tag.desk is Desk.MANAGER and not (line.values.get("names") or line.values.get("name")):
        # Everyone in this office, but not everyone on the bus: that is what `all` means.
        meta["to"] = "absent"
    return meta


def _check_words(line: _Line, message: Message, problems: list[Problem], *, is_tagged: bool) -> None:
    tag = line.tag
    if message.body or is_tagged or "body" in line.beside or tag.text not in tag.required:
        return
    if tag.dash:
        is_reported = any(problem.code == grammar.FIELD_MISSING for problem in problems)
        if line.values.get(tag.text, "") != NONE and not is_reported:
            fix = f"write: {loose_fields.documented(tag)}"
            problems.append(Problem(grammar.FIELD_MISSING, f"this {tag.name} has no reason", fix))
    elif message.act not in WORDLESS and not line.beside:
        raise Unreadable(
            grammar.NOTHING_SAID, f"this {tag.name} has no text", "put the text after the fields"
        )


# ---------------------------------------------------------------- the file of a line


def _auth(tag: Tag, sender: str, pen: Pen, problems: list[Problem]) -> str:
    """Report a line in the wrong file; a line in the sender's own file is proof of its sender."""
    problem = _misfiled(tag, sender, pen)
    if problem:
        problems.append(problem)
    elif pen.owner and sender == pen.owner:
        return "channel"
    return "claimed"


def _misfiled(tag: Tag, sender: str, pen: Pen) -> Problem | None:
    if pen.desk is Desk.MANAGER and tag.desk is Desk.WORKER:
        return Problem(
            grammar.WORKER_IN_MANAGER_INBOX,
            f"{sender} wrote {tag.name} into the manager's inbox",
            f"write it to employee-{short(sender)}.log",
        )
    if pen.desk is not Desk.WORKER:
        return None
    if tag.desk is Desk.MANAGER or (sender == pen.manager and sender != pen.owner):
        return Problem(
            grammar.MANAGER_IN_EMPLOYEE_LOG,
            f"the manager's {tag.name} is in an employee's log, which no worker reads",
            "write it to manager-inbox.log",
        )
    if short(sender) != pen.owner:
        return Problem(
            grammar.ANOTHERS_LOG,
            f"{sender} wrote into the log of {pen.owner or 'nobody'}",
            f"write it to employee-{short(sender)}.log, or write by: {pen.owner} if that is the sender",
        )
    return None
