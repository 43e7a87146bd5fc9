"""One line of an office log into messages.

If the line follows its template to the letter, the template's expression takes it apart; otherwise
`loose_fields` reads what can have only one meaning. Then trailer and act tag are split from the text, the
sender and the recipients are resolved, and a line in the wrong file is reported. Nothing is guessed: a line
that could mean two things is refused and its bytes are kept.
"""

import re
from typing import Final, NamedTuple

from palaver.dialects.office import grammar, loose_fields
from palaver.dialects.office.free_claim import read_claim
from palaver.dialects.office.grammar import BY_NAME, EXACT, GENERAL, NONE, Desk, Tag
from palaver.dialects.office.layout import OfficeLog
from palaver.dialects.office.model_names import is_model_name
from palaver.dialects.shared.act_tag import read_act_tag
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.shared.trailer import bad_trailer, split_trailer, unescape
from palaver.dialects.shared.translation import read_recipients, read_sender, restore, trusted_fields
from palaver.model.clock_text import is_plausible, to_utc
from palaver.model.masking.masks import clip
from palaver.model.message import WORDLESS, Message
from palaver.model.names import short

_BAD_NAME: Final = "OFF005"
_CROWD: Final = "OFF010"
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


def read_entry(text: str, log: OfficeLog) -> tuple[tuple[Message, ...], list[Problem]]:
    """Return the messages of a line and what is odd about it, or raise `Unreadable`."""
    problems: list[Problem] = []
    line = _split(text, log, problems)
    values = line.values
    act, task, body, is_tagged = _words(line)
    sender, to = _parties(line, log)
    is_foreign = sender not in (log.owner, log.manager) and log.desk is Desk.WORKER
    if (
        is_foreign
        and log.owner
        and not is_model_name(log.owner)
        and (wrong := _no_employee(line, sender, log))
    ):
        problems.append(wrong)
        sender, to = log.owner, [log.manager]
    message = Message(
        sender=sender,
        to=to,
        body=body,
        act=act,
        task=task,
        files=_files(values["files"]) if "files" in values else None,
        meta=_meta(line),
        tag=line.kept_tag if line.act == act else "",
        at=line.at,
        auth="" if line.beside else _auth(line.tag, sender, log, problems),
    )
    if line.beside:
        # The manager's inbox does not show who wrote a line, and a worker's log not whom it is for.
        implied = ["from"] if line.tag.desk is Desk.MANAGER else ["to"]
        trusted = trusted_fields(line.beside, message, log.provenance, implied=implied)
        message, unusable = restore(message, trusted, bad_name=_BAD_NAME, crowd=_CROWD)
        if unusable:
            problems.append(bad_trailer("OFF026", unusable))
        message = message.replace(auth=_auth(line.tag, message.sender, log, problems))
    _check_words(line, message, problems, is_tagged=is_tagged)
    if "tasks" not in values or "task" in line.beside:
        return (message,), problems
    # One line may release several tasks; each becomes a message of its own.
    return tuple(message.replace(task=task) for task in _released(values["tasks"])), problems


def is_exact(text: str) -> bool:
    """Return True if a line follows its template to the letter, with or without a trailer."""
    head = grammar.LETTER.fullmatch(text)
    if head is None or not to_utc(head["time"].strip()):
        return False
    return EXACT[head["tag"]].fullmatch(split_trailer(head["rest"])[0]) is not None


# ---------------------------------------------------------------- the parts of a line


def _split(text: str, log: OfficeLog, problems: list[Problem]) -> _Line:
    head = grammar.HEAD.fullmatch(text)
    if head is None:
        return _free_claim(text, log, problems)
    time, word, rest = head.groups("")
    tag = BY_NAME.get(word)
    if tag is None:
        word = grammar.tag_name(word)
        tag = BY_NAME.get(word)
    at = to_utc(time.strip())
    if tag and tag.desk is Desk.MANAGER and _is_by_owner(rest, log):
        # No line of the manager says `by:`.
        tag = None
    if tag is None and not (at and word):
        raise loose_fields.not_an_entry(text)
    if not is_plausible(at):
        problems.append(_time_problem(time.strip(), at))
    raw, beside, is_escaped = split_trailer(rest, log.provenance)
    carrier = tag or GENERAL.get(log.desk, BY_NAME["INFO"])
    exact = EXACT[carrier.name].fullmatch(raw)
    if exact:
        values = dict(zip(carrier.fields, exact.groups(""), strict=True))
    else:
        values = loose_fields.read(tag, raw, problems) if tag else {"text": raw}
    if tag:
        return _Line(tag, tag.act, tag.name if tag.variant else "", at, values, beside, is_escaped)
    fix = "write INFO (workers), REPLY (the manager) or another tag of the manual"
    wrong = f"{word} is a tag of the manager" if word in BY_NAME else f"the tag {word!r} does not exist"
    problems.append(Problem("OFF024", wrong, fix))
    return _Line(carrier, "inform", word, at, values, beside, is_escaped)


def _is_by_owner(rest: str, log: OfficeLog) -> bool:
    """Return True if a line in an employee's log says that it is by this employee."""
    names = grammar.BY_FIELD.findall(rest) if log.desk is Desk.WORKER and log.owner else []
    return [each.lower() for each in names] == [log.owner]


def _free_claim(text: str, log: OfficeLog, problems: list[Problem]) -> _Line:
    """Return the claim that a line without a head can only be, or raise `Unreadable`."""
    task = read_claim(text, log.owner) if log.desk is Desk.WORKER and log.owner else ""
    if not task:
        raise loose_fields.not_an_entry(text)
    tag = BY_NAME["CLAIM"]
    right = loose_fields.documented(tag, {"task": task, "name": log.owner, "deps-met": "yes"})
    message = f"the line is read as the claim of {grammar.called(task)}"
    problems.append(Problem("OFF027", message, f"write: {right}"))
    return _Line(tag, tag.act, "", "", {"task": task}, {}, is_escaped=False)


def _no_employee(line: _Line, sender: str, log: OfficeLog) -> Problem | None:
    """Return the problem of a line that names a model, or nobody, instead of the owner of the log."""
    written, right = line.values["name"], loose_fields.documented(line.tag, line.values | {"name": log.owner})
    if is_model_name(sender):
        return Problem("OFF105", f"{written} is a model name, not an employeeId", f"write: {right}")
    if not log.is_known(sender):
        message = f"nobody here is called {written}, and this is the log of {log.owner}"
        return Problem("OFF115", message, f"write: {right}")
    return None


def _time_problem(written: str, at: str) -> Problem:
    if written in ("", NONE):
        return Problem("OFF020", "the entry has no timestamp", "begin it with [<ISO timestamp>]")
    if not at:
        return Problem("OFF021", f"{clip(written, 40)!r} is not a time", "write it like 2026-02-11T10:00:00Z")
    return Problem("OFF022", f"the year of the entry is {int(at[:4])}", "set the writer's clock")


# ---------------------------------------------------------------- messages


def _words(line: _Line) -> tuple[str, str, str, bool]:
    """Return act, task, body, and whether the text has an act tag, which decides what it says."""
    text = line.values.get(line.tag.text, "")
    if line.is_escaped:
        text = unescape(text)
    task = line.values.get("task") or line.values.get("task?") or ""
    if line.tag.dash and text == NONE:
        text = ""
    if tagged := read_act_tag(text):
        act, named, body = tagged
        return act, named or task, body, True
    if line.tag.name == "INFO" and text.rstrip(" \t").endswith(grammar.QUESTION_MARKS):
        return "ask", task, text, False
    return line.act, task, text, False


def _parties(line: _Line, log: OfficeLog) -> tuple[str, list[str]]:
    """Return the sender and the recipients."""
    if line.tag.desk is Desk.MANAGER:
        names = line.values.get("names") or line.values.get("name") or "all"
        return log.manager, read_recipients(names.split(", "), _BAD_NAME, _CROWD)
    name = line.values.get("name", "")
    if name and line.tag.name == "INFO" and _SECOND_SENDER.match(line.values.get("text", "")):
        raise Unreadable("OFF006", "this INFO has two by:", "keep the right one")
    sender = read_sender(name, _BAD_NAME) if name else log.owner
    if not sender:
        message = "neither the line nor the file name says who the sender is"
        raise Unreadable(_BAD_NAME, message, "write by: <employeeId>")
    if sender == log.manager and log.owner not in ("", sender):
        return sender, [log.owner]
    return sender, [log.manager]


def _files(written: str) -> list[dict[str, object]]:
    paths = [] if written == NONE else [each.strip(" \t") for each in written.split(",")]
    return [{"path": path} for path in paths if path]


def _released(tasks: str) -> list[str]:
    found = [loose_fields.task_id(each) for each in re.split(r",\s*", tasks)]
    return ["" if each in ("none", NONE) else each for each in found]


def _meta(line: _Line) -> dict[str, object]:
    """Return the other fields of the line, by their keys."""
    meta: dict[str, object] = {
        key: value
        for key, value in line.values.items()
        if key not in grammar.CORE_FIELDS and value not in ("", NONE)
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
        is_reported = any(problem.code == "OFF023" for problem in problems)
        if line.values.get(tag.text, "") != NONE and not is_reported:
            fix = f"write: {loose_fields.documented(tag)}"
            problems.append(Problem("OFF023", f"this {tag.name} has no reason", fix))
    elif message.act not in WORDLESS and not line.beside:
        raise Unreadable("OFF008", f"this {tag.name} has no text", "put the text after the fields")


def _auth(tag: Tag, sender: str, log: OfficeLog, problems: list[Problem]) -> str:
    """Report a line in the wrong file; a line in the sender's own file is proof of its sender."""
    problem = _misfiled(tag, sender, log)
    if problem:
        problems.append(problem)
    return "channel" if log.owner and sender == log.owner and not problem else "claimed"


def _misfiled(tag: Tag, sender: str, log: OfficeLog) -> Problem | None:
    if log.desk is Desk.MANAGER and tag.desk is Desk.WORKER:
        if sender == log.manager:
            message = f"{tag.name} is a tag of workers, and only the manager writes here"
            return Problem("OFF103", message, f"write: {loose_fields.documented(GENERAL[Desk.MANAGER])}")
        message = (
            f"this {tag.name} belongs in employee-{short(sender)}.log, because only the manager writes here"
        )
        return Problem("OFF103", message, "write it there")
    if log.desk is not Desk.WORKER:
        return None
    if tag.desk is Desk.MANAGER or (sender == log.manager and sender != log.owner):
        message = f"this {tag.name} belongs in manager-inbox.log, because no worker reads an employee's log"
        return Problem("OFF102", message, "write it there")
    if short(sender) != log.owner:
        message = f"this {tag.name} by {sender} belongs in employee-{short(sender)}.log"
        if log.owner and not is_model_name(log.owner):
            message += f", because only {log.owner} writes here, with by: {log.owner}"
        return Problem("OFF104", message, "write it there")
    return None
