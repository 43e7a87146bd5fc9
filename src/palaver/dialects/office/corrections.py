"""What an office tells the author of a wrong line: the line to write instead, as its template has it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from palaver.dialects.office.entry import is_exact, read_entry
from palaver.dialects.office.grammar import (
    BY_NAME,
    GENERAL,
    HEAD,
    NATIVE,
    TAGS,
    TEXTS,
    VALUES,
    Desk,
    Tag,
    called,
    narrowed,
    tag_name,
)
from palaver.dialects.office.layout import OfficeLog, log_of
from palaver.dialects.office.loose_fields import documented
from palaver.dialects.office.model_names import is_model_name
from palaver.dialects.shared.pieces import Unreadable
from palaver.model.clock_text import to_utc
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.spec import Corrections, Verdict
from palaver.model.task import TASK_ACTS

_TIME: Final = "[<ISO timestamp>]"
_TASK: Final = re.compile(r"\btask[- ]#?([A-Za-z0-9][\w.-]*)", re.I)
_EMPLOYEE: Final = re.compile(r"\bemp-[\w-]+")
# A text that begins with the name of its recipient.
_ADDRESSED: Final = re.compile(r"(?:to )?@?(?P<name>emp-[\w-]+)\b[:,]? *(?P<text>.*)", re.I)
_REASON: Final = re.compile(r"(?:rejected|redirected)[: ]+(.+)", re.I)
#: Words that workers write instead of a tag.
_SYNONYMS: Final = dict.fromkeys(("DONE", "COMPLETE", "COMPLETED", "FINISHED"), "DELIVERY")
# How much alike a tag and its misspelling are: APPROVED is 0.75 of APPROVAL.
_CLOSE: Final = 0.7
_AFTER_STOP, _TIME_GOES_BACK, _MISNAMED_FILE = "written-after-stop", "time-goes-back", "misnamed-file"
#: Rules about a line that is right, in the wrong file.
_MISFILED: Final = ("manager-in-employee-log", "worker-in-manager-inbox", "line-in-anothers-log")
_TITLE: Final = re.compile(r"title[:\uff1a] ?([^|\n]+?) *(?:\||$)", re.M)
_DIFFICULTY: Final = re.compile(r"difficulty[:\uff1a] ?([^|\n]+?) *(?:\||$)", re.M)
_BY: Final = re.compile(r"^\s*by: ?[^\s|]*\s*(?:\||$)")
#: Values that a template always has, for lines that lack them.
_USUAL: Final = {"deps-met": "yes", "criteria-met": "all"}
_FILES: Final = re.compile(r"files[:\uff1a] ?([^|]+?) *(?:\||$)", re.M)


def _author(content: bytes, mount: Mount, file: str) -> str:
    """Return the owner of a file: only the owner writes there. A model owns none."""
    del content
    owner = log_of(file, mount).owner
    return "" if is_model_name(owner) else owner


def _line(verdict: Verdict) -> str:
    log = log_of(verdict.file, verdict.mount)
    message = verdict.message
    if verdict.rule == _AFTER_STOP:
        return _plain(verdict, "[LEAVE] Good bye.")
    if verdict.rule in (_TIME_GOES_BACK, _MISNAMED_FILE):
        # Nothing else is wrong with the line, or all lines of the file.
        return ""
    if message is None:
        return _readable(verdict, log)
    if not verdict.text:
        return _move(verdict)
    if meant := _with_meant_tag(verdict, log):
        return _line(meant)
    if message.act == "claim" and log.desk is Desk.WORKER and verdict.rule not in _MISFILED:
        return _claim(verdict, message.task)
    return _repeated(verdict, message, log)


def _with_meant_tag(verdict: Verdict, log: OfficeLog) -> Verdict | None:
    """Return the verdict for the line with the tag that was meant; None if no other one was."""
    head = HEAD.match(_first_line(verdict))
    word = tag_name(head["tag"]) if head else ""
    names = [tag.name for tag in TAGS if tag.desk is log.desk]
    if head is None or word in names or verdict.rule in _MISFILED:
        return None
    close = [_SYNONYMS.get(word, ""), *get_close_matches(word, names, n=1, cutoff=_CLOSE)]
    name = next((each for each in close if each in names), "")
    if not name:
        return None
    text = f"[{head['time']}] [{name}] {head['rest']}"
    try:
        (message, *_), _ = read_entry(text, log)
    except Unreadable:
        return replace(verdict, text=text, message=None)
    return replace(verdict, text=text, message=message)


def _move(verdict: Verdict) -> str:
    """Return the move that a line without effect should have been; others are rendered as any message."""
    move = verdict.next_move
    if move is None:
        return ""
    if move.act == "claim":
        return _claim(verdict, move.task)
    if move.act == "deliver":
        return _delivery(verdict, move.task)
    tag = NATIVE.get((Desk.MANAGER, move.act)) if verdict.author == verdict.lead else None
    if tag is None or "task" not in tag.required or len(move.to) != 1 or move.to[0].startswith("@"):
        return ""
    return documented(tag, {"task": move.task, "name": move.to[0], "text": move.body})


def _readdressed(text: str, right: Mapping[str, str]) -> str:
    """Return a line for the employees that were meant, if nothing else is wrong with it."""
    line = narrowed(text.partition("\n")[0])
    head = HEAD.match(line)
    if head is None or not is_exact(line):
        return ""
    rest = head["rest"]
    for wrong, name in right.items():
        rest = re.sub(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", name, rest, count=1, flags=re.I)
    return f"{_TIME} [{head['tag']}] {rest}"


def _repeated(verdict: Verdict, message: Message, log: OfficeLog) -> str:
    """Return a line that was read, to the letter of its template."""
    line = _first_line(verdict)
    head = HEAD.match(line)
    tag = BY_NAME.get(tag_name(head["tag"])) if head else None
    is_of_manager = message.sender == log.manager
    desk = Desk.MANAGER if is_of_manager else Desk.WORKER
    if head is None or tag is None or tag.desk is not desk:
        return _reply(_said(verdict)) if is_of_manager else _plain(verdict, _said(verdict))
    if verdict.rule in _MISFILED and is_exact(line):
        return f"{_TIME} [{tag.name}] {head['rest']}"
    # An address like @office is everyone there.
    names = list(dict.fromkeys("all" if each.startswith("@") else each for each in message.to))
    employee = next((each for each in names if each != "all"), "")
    said = _own_words(verdict, tag, head["rest"])
    if names == ["all"] and is_of_manager and message.meta.get("to") == "absent":
        addressed, found = _ADDRESSED.fullmatch(said), _EMPLOYEE.search(head["rest"])
        employee = found[0] if found else ""
        names, said = ([addressed["name"]], addressed["text"]) if addressed else (names, said)
    values = {
        key: value for key, value in message.meta.items() if isinstance(value, str) and _fits(key, value)
    }
    values |= {field: said for field in TEXTS if message.body}
    values |= {"task": message.task, "task?": message.task or "none"}
    values |= {"tasks": called(message.task) if message.task else ""}
    values |= {"name": employee if is_of_manager else verdict.author, "names": ", ".join(names)}
    values |= {"files": ", ".join(str(file.get("path", "")) for file in message.files)}
    return documented(tag, _USUAL | values)


def _own_words(verdict: Verdict, tag: Tag, rest: str) -> str:
    """Return the text of a line; of a sentence that was read as a whole, what its template does not say."""
    said = _said(verdict)
    is_sentence = tag.desk is Desk.MANAGER and not tag.template.startswith("To ")
    if not is_sentence or not " ".join(rest.split()).startswith(said):
        return said
    reason = _REASON.search(said)
    return reason[1] if reason else ""


def _fits(key: str, value: str) -> bool:
    """Return True if the template of a field allows a value."""
    if key == "board-read-at":
        return bool(to_utc(value))
    return key not in VALUES or VALUES[key].fullmatch(value) is not None


def _readable(verdict: Verdict, log: OfficeLog) -> str:
    """Return a line that can be read, instead of one that cannot: its own template, or what it means."""
    text = _first_line(verdict)
    head = HEAD.match(text)
    tag = BY_NAME.get(tag_name(head["tag"])) if head else None
    task = _task_in(text)
    if log.desk is Desk.MANAGER:
        if tag is None or tag.desk is not Desk.MANAGER or tag is GENERAL[Desk.MANAGER]:
            return _reply(_said(verdict))
        worker = _EMPLOYEE.search(text)
        return documented(tag, {"task": task, "name": worker[0] if worker else ""})
    act = tag.act if tag else _act_in(text)
    if act == "claim":
        return _claim(verdict, task)
    if act == "deliver":
        return _delivery(verdict, task)
    if tag and tag is not GENERAL[Desk.WORKER]:
        known = {"task": task, "task?": task or "none", "name": _employee(verdict), "text": _said(verdict)}
        return documented(tag, known)
    return _plain(verdict, _said(verdict))


def _plain(verdict: Verdict, text: str) -> str:
    return f"{_TIME} [INFO] by: {_employee(verdict)} | {text}"


def _employee(verdict: Verdict) -> str:
    """Return the author as its line names it; a log that is named after a model does not tell who that is."""
    return "<employeeId>" if is_model_name(log_of(verdict.file, verdict.mount).owner) else verdict.author


def _delivery(verdict: Verdict, task: str) -> str:
    files = _FILES.search(_first_line(verdict))
    shown = files[1] if files else "<file1>, <file2>"
    named = called(task) if task else "task-<id>"
    return f"{_TIME} [DELIVERY] {named} | by: {_employee(verdict)} | files: {shown} | criteria-met: all"


def _claim(verdict: Verdict, task: str) -> str:
    known = verdict.find_task(task) if task else None
    written = _TITLE.search(_first_line(verdict))
    title = (known and known.title) or (written[1] if written else "<title>")
    named = called(known.id if known else task) if task else "task-<id>"
    level = _DIFFICULTY.search(_first_line(verdict))
    difficulty = (known and known.difficulty) or (
        level[1] if level and _fits("difficulty", level[1]) else "<N>"
    )
    return (
        f"{_TIME} [CLAIM] {named} | title: {title} | by: {_employee(verdict)} | difficulty: {difficulty} "
        "| deps-met: yes"
    )


def _reply(text: str) -> str:
    if addressed := _ADDRESSED.fullmatch(text):
        return f"{_TIME} [REPLY] To {addressed['name']}: {addressed['text'] or '<text>'}"
    worker = _EMPLOYEE.search(text)
    return f"{_TIME} [REPLY] To {worker[0] if worker else '<employeeId or all>'}: {text}"


def _said(verdict: Verdict) -> str:
    """Return the words of a line, without its head, on one line."""
    if verdict.message is not None and verdict.message.body:
        return " ".join(verdict.message.body.split())
    line = _first_line(verdict)
    head = HEAD.match(line)
    text = _BY.sub("", line[head.end("tag") + 1 :] if head else line)
    return " ".join(text.split()) or "<free text message>"


def _first_line(verdict: Verdict) -> str:
    return narrowed(verdict.text.partition("\n")[0])


def _task_in(text: str) -> str:
    found = _TASK.search(text)
    return found[1].rstrip(".") if found else ""


def _act_in(text: str) -> str:
    """Return whether an unreadable line means to claim or to deliver a task that it names."""
    if not _task_in(text):
        return ""
    words = text.lower()
    return "claim" if "claim" in words else "deliver" if "deliver" in words else ""


def _has_counted(verdict: Verdict) -> bool:
    """Return True if a line moved its task, or was read as the line that is offered instead."""
    message = verdict.message
    if verdict.has_moved or message is None or verdict.rule in _MISFILED:
        return verdict.has_moved
    if message.task and message.act in TASK_ACTS:
        return False
    line = _line(verdict).replace(_TIME, f"[{verdict.at}]")
    try:
        (said, *_), _ = read_entry(line, log_of(verdict.file, verdict.mount))
    except Unreadable:
        return False
    return (said.act, said.task, said.body.split()) == (message.act, message.task, message.body.split())


CORRECTIONS: Final = Corrections(
    author=_author, line=_line, readdressed=_readdressed, has_counted=_has_counted
)
