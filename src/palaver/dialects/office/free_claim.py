"""Claims in other words than the template's, where the meaning is beyond doubt.

    I claim task 004 please                                a sentence that says nothing else
    ## Claiming task-004                                   a heading
    {"tag": "CLAIM", "task": "task-004", "by": "emp-a1"}   an object

"Free-form markdown, JSON, or plain text is NOT allowed": the line counts, and its author is told the
template.
"""

import re
from typing import Final

from palaver.dialects.office.grammar import bare_task
from palaver.model.event import text
from palaver.model.strict_json import NotAnObject, loads_object

_TASK: Final = r"(?:the )?(?:task|任务)?[ #-]*(?P<task>(?:(?:task|rework)-)?[a-z0-9][\w.-]*?)"
_CLAIM: Final = re.compile(
    rf"[#*>\s-]*(?:please )?(?:i(?: am|'m| will|'ll| want to| would like to|'d like to| hereby)? |我(?:要)?)?"
    rf"(?:claim(?:ing)?|认领)[: ]*{_TASK}(?:,? (?:please|now|for me))*[\s.!。*]*",
    re.IGNORECASE,
)
# A word after `claim` is a task only if it looks like an id.
_ID: Final = re.compile(r"[\w.-]*[0-9][\w.-]*")
_TAGS: Final = ("tag", "type", "action", "act", "event")
_IDS: Final = ("task", "taskid", "task_id", "id")
_NAMES: Final = ("by", "from", "employeeid", "employee")


def read_claim(line: str, owner: str) -> str:
    """Return the task that a free-form line of a log claims; empty if the line may mean anything else."""
    if line.lstrip().startswith("{"):
        return _read_object(line, owner)
    match = _CLAIM.fullmatch(line)
    return bare_task(match["task"]) if match and _ID.fullmatch(match["task"]) else ""


def _read_object(line: str, owner: str) -> str:
    try:
        given = loads_object(line.encode())
    except NotAnObject:
        return ""
    fields = {name.lower(): value for name, value in given.items()}
    acts = {text(fields, name).lower() for name in _TAGS} - {""}
    tasks = {bare_task(text(fields, name)) for name in _IDS} - {""}
    names = {text(fields, name).lower() for name in _NAMES} - {""}
    is_claim = acts == {"claim"} and len(tasks) == 1 and names <= {owner}
    return tasks.pop() if is_claim else ""
