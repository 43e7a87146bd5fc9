"""What an office tells the author of a wrong line: the line to write instead, as its template has it."""

import re
from typing import Final

from palaver.dialects.office.grammar import HEAD, Desk, called
from palaver.dialects.office.layout import log_of
from palaver.dialects.office.model_names import is_model_name
from palaver.model.mounted_files import Mount
from palaver.model.spec import Corrections, Verdict

_TIME: Final = "[<ISO timestamp>]"
_TASK: Final = re.compile(r"\btask[- ]#?([A-Za-z0-9][\w.-]*)", re.I)
_EMPLOYEE: Final = re.compile(r"\bemp-[\w-]+")
#: Rules about a line that is right, in the wrong file.
_MISFILED: Final = ("manager-in-employee-log", "worker-in-manager-inbox", "line-in-anothers-log")
_FILES: Final = re.compile(r"files: ([^|]+?) *(?:\||$)")


def _author(content: bytes, mount: Mount, file: str) -> str:
    """Return the owner of a file: only the owner writes there. A model owns none."""
    del content
    owner = log_of(file, mount).owner
    return "" if is_model_name(owner) else owner


def _line(verdict: Verdict) -> str:
    if verdict.rule in _MISFILED:
        return ""
    said = _said(verdict)
    if log_of(verdict.file, verdict.mount).desk is Desk.MANAGER:
        return "" if verdict.message else _reply(said)
    task = verdict.message.task if verdict.message else _task_in(verdict.text)
    act = verdict.message.act if verdict.message else _act_in(verdict.text)
    known = verdict.find_task(task) if task else None
    if act == "claim" or (act == "deliver" and known is not None and known.state == "open"):
        return _claim(verdict, task)
    if act == "deliver":
        files = _FILES.search(verdict.text)
        shown = files[1] if files else "<file1>, <file2>"
        return (
            f"{_TIME} [DELIVERY] {called(task)} | by: {verdict.author} | files: {shown} | criteria-met: all"
        )
    return f"{_TIME} [INFO] by: {verdict.author} | {said}"


def _claim(verdict: Verdict, task: str) -> str:
    known = verdict.find_task(task)
    title = (known and known.title) or "<title>"
    difficulty = (known and known.difficulty) or "<N>"
    return (
        f"{_TIME} [CLAIM] {called(task)} | title: {title} | by: {verdict.author} | difficulty: {difficulty} "
        "| deps-met: yes"
    )


def _reply(text: str) -> str:
    worker = _EMPLOYEE.search(text)
    return f"{_TIME} [REPLY] To {worker[0] if worker else '<employeeId>'}: {text}"


def _said(verdict: Verdict) -> str:
    """Return the words of a line, without its head, on one line."""
    if verdict.message is not None and verdict.message.body:
        return " ".join(verdict.message.body.split())
    head = HEAD.match(verdict.text)
    text = verdict.text[head.end("tag") + 1 :] if head else verdict.text
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
