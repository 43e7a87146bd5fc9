"""What an office tells the author of a wrong line: the line to write instead, as its template has it."""

import re
from typing import Final

from palaver.dialects.office.grammar import BY_NAME, GENERAL, HEAD, Desk, called
from palaver.dialects.office.layout import OfficeLog, log_of
from palaver.dialects.office.loose_fields import documented
from palaver.dialects.office.model_names import is_model_name
from palaver.model.mounted_files import Mount
from palaver.model.spec import Corrections, Verdict

_TIME: Final = "[<ISO timestamp>]"
_TASK: Final = re.compile(r"\btask[- ]#?([A-Za-z0-9][\w.-]*)", re.I)
_EMPLOYEE: Final = re.compile(r"\bemp-[\w-]+")
#: Rules about a line that is right, in the wrong file.
_MISFILED: Final = ("manager-in-employee-log", "worker-in-manager-inbox", "line-in-anothers-log")
_TITLE: Final = re.compile(r"title: ([^|\n]+?) *(?:\||$)", re.M)
_DIFFICULTY: Final = re.compile(r"difficulty: ([^|\n]+?) *(?:\||$)", re.M)
_FILES: Final = re.compile(r"files: ([^|]+?) *(?:\||$)", re.M)


def _author(content: bytes, mount: Mount, file: str) -> str:
    """Return the owner of a file: only the owner writes there. A model owns none."""
    del content
    owner = log_of(file, mount).owner
    return "" if is_model_name(owner) else owner


def _line(verdict: Verdict) -> str:
    if verdict.rule in _MISFILED:
        return ""
    log = log_of(verdict.file, verdict.mount)
    if verdict.message is None:
        return _readable(verdict, log)
    if log.desk is Desk.MANAGER:
        return ""
    message = verdict.message
    known = verdict.find_task(message.task) if message.task else None
    if message.act == "deliver" and verdict.rule == "no-effect":
        return _claim(verdict, message.task) if known is not None and known.state == "open" else ""
    if message.act == "claim":
        return "" if verdict.rule == "no-effect" else _claim(verdict, message.task)
    if message.act == "deliver":
        return _delivery(verdict, message.task)
    return _plain(verdict, _said(verdict))


def _readable(verdict: Verdict, log: OfficeLog) -> str:
    """Return a line that can be read, instead of one that cannot: its own template, or what it means."""
    text = verdict.text.partition("\n")[0]
    head = HEAD.match(text)
    tag = BY_NAME.get(head["tag"].strip().upper()) if head else None
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
    if tag and "task" in tag.required:
        return documented(tag, {"task": task, "name": verdict.author})
    return _plain(verdict, _said(verdict))


def _plain(verdict: Verdict, text: str) -> str:
    return f"{_TIME} [INFO] by: {verdict.author} | {text}"


def _delivery(verdict: Verdict, task: str) -> str:
    files = _FILES.search(verdict.text)
    shown = files[1] if files else "<file1>, <file2>"
    named = called(task) if task else "task-<id>"
    return f"{_TIME} [DELIVERY] {named} | by: {verdict.author} | files: {shown} | criteria-met: all"


def _claim(verdict: Verdict, task: str) -> str:
    known = verdict.find_task(task) if task else None
    written = _TITLE.search(verdict.text)
    title = (known and known.title) or (written[1] if written else "<title>")
    named = called(known.id if known else task) if task else "task-<id>"
    level = _DIFFICULTY.search(verdict.text)
    difficulty = (known and known.difficulty) or (level[1] if level else "<N>")
    return (
        f"{_TIME} [CLAIM] {named} | title: {title} | by: {verdict.author} | difficulty: {difficulty} "
        "| deps-met: yes"
    )


def _reply(text: str) -> str:
    worker = _EMPLOYEE.search(text)
    return f"{_TIME} [REPLY] To {worker[0] if worker else '<employeeId>'}: {text}"


def _said(verdict: Verdict) -> str:
    """Return the words of a line, without its head, on one line."""
    if verdict.message is not None and verdict.message.body:
        return " ".join(verdict.message.body.split())
    line = verdict.text.partition("\n")[0]
    head = HEAD.match(line)
    text = line[head.end("tag") + 1 :] if head else line
    return " ".join(text.split()) or "<free text message>"


def _task_in(text: str) -> str:
    found = _TASK.search(text)
    return found[1].rstrip(".") if found else ""


def _act_in(text: str) -> str:
    """Return whether an unreadable line means to claim or to deliver a task that it names."""
    if not _task_in(text):
        return ""
    words = text.lower()
    return "claim" if "claim" in words else "deliver" if "deliver" in words else ""


CORRECTIONS: Final = Corrections(author=_author, line=_line)
