"""The fields of a line that deviates from its template, read only if they can have one meaning.

    [CLAIM] by: emp-a1 |task-4| title: Home      keys in any order, any spacing: read
    [CLAIM] task-4 | by: emp-a1 | by: emp-b2     two values of one key: refused
    [APPROVAL] go ahead                          no task: refused

Missing fields are reported.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.grammar import EXACT, Desk, Tag
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.model.limits import META_FIELDS
from palaver.model.masking.masks import clip

_PAIR: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,31})[ \t]*[:\uff1a][ \t]*(.*)", re.DOTALL)
_TASK: Final = re.compile(r"(?i:task-)(\S+)|(?i:(?=rework-))(\S+)")
_TASK_INSIDE: Final = re.compile(r"(?<![\w/-])(?:(?i:task-)|(?i:(?=rework-)))([^\s|,:;]*[^\s|,:;.!?])")
_BY: Final = re.compile(r"[ \t]*by[ \t]*[:\uff1a]([^|]*)(?:\|[ \t]*(.*))?", re.DOTALL | re.I)
_NAMES: Final = r"[^\s|,\uff0c\u3001:\uff1a]+"
_TO: Final = re.compile(
    rf"[ \t]*to[ \t]+({_NAMES}(?:[ \t]*[,\uff0c\u3001][ \t]*{_NAMES})*|all workers)"
    r"[ \t]*[:\uff1a][ \t]*(.*)",
    re.DOTALL | re.I,
)
# An employeeId has a digit or a hyphen; "approved for the user" names no employee.
_ID: Final = r"(?=[^\s|,:;]*[0-9-])([^\s|,:;]*[^\s|,:;.])"
_FIRST: Final = re.compile(_ID)
_PERSON: Final = re.compile(rf"\b(?:for|by|to) {_ID}", re.I)
_NOTE: Final = re.compile(r"\|[ \t]*note[ \t]*[:\uff1a]", re.I)
# A part of a template that is left out without a value.
_OPTIONAL: Final = re.compile(r"\[([^\]{]*\{([a-z?-]+)\}[^\]]*)\]")
_CONFLICT: Final = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_SHOWN_CHARS: Final = 40
_NO_TASK: Final = "none"
#: How the manual shows a field, if not by its name.
_DOCUMENTED: Final = {
    "task": "task-<id>",
    "task?": "<task-id or none>",
    "name": "<employeeId>",
    "names": "<employeeId or all>",
    "words": "<reason>",
    "difficulty": "<N>",
    "deps-met": "yes",
    "files": "<file1>, <file2>",
    "criteria-met": "all",
    "status": "<working|waiting|blocked>",
    "tasks": "task-<id1>, task-<id2>",
    "waited": "3 rounds",
    "idle": "has been idle for <N> polls. <text>",
    "inactive": "marked inactive after <N> missed heartbeats",
}


def not_an_entry(text: str) -> Unreadable:
    """Return why a line is not an entry."""
    if _CONFLICT.match(text):
        fix = "resolve the merge, keeping both sides"
        return Unreadable("OFF004", "the line is a git conflict marker", fix)
    fix = "write [<ISO timestamp>] [<TAG>] and the fields, all on one line"
    return Unreadable("OFF004", f"{clip(text, _SHOWN_CHARS)!r} is not an entry", fix)


def read(tag: Tag, raw: str, problems: list[Problem]) -> dict[str, str]:
    """Return the fields behind a tag, and report those that are missing; or raise `Unreadable`."""
    if tag.template.startswith("To "):
        values = _addressed(raw)
    elif tag.template == grammar.GENERAL[Desk.WORKER].template:
        values = _free(raw)
    elif tag.keys and "name" in tag.fields and "|" in re.sub(r"\[.*", "", tag.template):
        values = _pairs(tag, raw)
    else:
        values = _sentence(tag, raw)
    if "task" in tag.required and not values.get("task"):
        raise Unreadable("OFF009", f"this {tag.name} names no task", f"write: {documented(tag)}")
    # The name of a log already says whose heartbeat it is.
    needed = [field for field in tag.required if field != "name" or tag.name != "HEARTBEAT"]
    missing = [_known_as(tag, field) for field in needed if not values.get(field)]
    if missing:
        message = f"this {tag.name} has no {', no '.join(missing)}"
        problems.append(Problem("OFF023", message, f"write: {documented(tag)}"))
    return values


def documented(tag: Tag, values: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the template as the manual shows it, with the values of some fields.

    Of the optional fields it shows those that have a value.
    """
    template = _OPTIONAL.sub(lambda part: part[1] if values.get(part[2]) else "", tag.template)
    known = {field: value for field, value in values.items() if value}
    for field in ("task", "task?"):
        if known.get(field, _NO_TASK) != _NO_TASK:
            known[field] = grammar.called(known[field])
    shown = grammar.FIELD.sub(
        lambda field: known.get(field[1]) or _DOCUMENTED.get(field[1], f"<{field[1]}>"), template
    )
    return f"[<ISO timestamp>] [{tag.name}] {shown}"


def task_id(task: str) -> str:
    """Return the id of a task without its `task-` prefix."""
    match = _TASK.fullmatch(task)
    return (match[1] or match[2]) if match else task


def _known_as(tag: Tag, field: str) -> str:
    keys = {name: key for key, name in tag.keys.items()}
    return keys.get(field, {"name": "employeeId", "names": "recipient"}.get(field, field))


def _addressed(raw: str) -> dict[str, str]:
    match = _TO.fullmatch(raw)
    if match is None:
        return {"text": raw}
    names = re.sub(r"[ \t]*[,\uff0c\u3001][ \t]*", ", ", match[1])
    everyone = names.lower() in ("all workers", "everyone")
    return {"names": "all" if everyone else names, "text": match[2]}


def _free(raw: str) -> dict[str, str]:
    match = _BY.fullmatch(raw)
    if match is None:
        return {"text": raw}
    name = match[1].strip(" \t")
    if not name:
        raise _nameless()
    return {"name": name, "text": match[2] or ""}


def _sentence(tag: Tag, raw: str) -> dict[str, str]:
    """Read a sentence that differs from its template: with spaces tidied up, or else only task and name."""
    tidy = re.sub(r"[ \t]+", " ", raw).strip(" ")
    match = EXACT[tag.name].fullmatch(tidy) or EXACT[tag.name].fullmatch(f"{tidy}.")
    if match:
        return dict(zip(tag.fields, match.groups(""), strict=True))
    before = _NOTE.split(raw, maxsplit=1)[0]
    task = _TASK_INSIDE.search(before)
    person = _FIRST.match(before) if tag.template.startswith("{name}") else _PERSON.search(before)
    # The full stop of a reason belongs to the template.
    is_stopped = tag.template.endswith("{text}.") and raw.endswith(".") and not raw.endswith("..")
    values = {tag.text: raw[:-1] if is_stopped else raw}
    if task:
        values["task"] = task[1]
    if person:
        values["name"] = person[1]
    return values


def _pairs(tag: Tag, raw: str) -> dict[str, str]:
    """Read `key: value | key: value`; the text comes last and may contain pipes."""
    values: dict[str, str] = {}
    segments = raw.split("|")
    if len(segments) > META_FIELDS:
        raise Unreadable("OFF007", "the line has too many fields", f"write: {documented(tag)}")
    last = ""
    for number, segment in enumerate(segments):
        last = _take(tag, segment.strip(" \t"), values, last)
        if last == "text":
            rest = _PAIR.fullmatch("|".join(segments[number:]).lstrip(" \t"))
            values["text"] = rest[2] if rest else ""
            break
    if " | " in values.get("title", "") and "name" not in values:
        # Only `by:` shows where a title with pipes ends.
        raise _stray(tag, values["title"])
    for field in ("task", "task?"):
        if field in values:
            values[field] = "" if values[field] in (_NO_TASK, grammar.NONE) else task_id(values[field])
    return values


def _take(tag: Tag, segment: str, values: dict[str, str], last: str) -> str:
    """Put one segment into its field, and return the field."""
    pair = _PAIR.fullmatch(segment)
    field = _field(tag, pair[1]) if pair else ""
    if pair is None or not field:
        return _take_without_key(tag, segment, values, last)
    if field in values:
        raise _twice(tag, pair[1])
    if field == "name" and not pair[2]:
        raise _nameless()
    values[field] = pair[2]
    return field


def _field(tag: Tag, key: str) -> str:
    """Return the field of a key; some keys are the same in all tags."""
    return tag.keys.get(key.lower()) or {"by": "name", "task": "task", "files": "files"}.get(key.lower(), "")


def _take_without_key(tag: Tag, segment: str, values: dict[str, str], last: str) -> str:
    """Take a segment without a key of this tag: a task, a name, more of a title, or an additional field."""
    if last == "title" and "name" not in values:
        values["title"] += f" | {segment}"
        return last
    if "task" in tag.fields and "task" not in values and _TASK.fullmatch(segment):
        values["task"] = segment
        return "task"
    if tag.template.startswith("{name}") and not values and segment and ":" not in segment:
        values["name"] = segment
        return "name"
    pair = _PAIR.fullmatch(segment)
    if pair and pair[1] in values:
        raise _twice(tag, pair[1])
    if pair and pair[1] not in grammar.CORE_FIELDS:
        values[pair[1]] = pair[2]
        return pair[1]
    if "task" in tag.required and "task" not in values and re.fullmatch(r"[^\s:]+", segment):
        values["task"] = segment
        return "task"
    raise _stray(tag, segment)


def _stray(tag: Tag, segment: str) -> Unreadable:
    if not segment:
        return Unreadable("OFF007", f"a field of this {tag.name} is empty", f"write: {documented(tag)}")
    fix = "remove the | from the text, or put the text last, as note:"
    return Unreadable("OFF007", f"{clip(segment, _SHOWN_CHARS)!r} is not a field of {tag.name}", fix)


def _twice(tag: Tag, key: str) -> Unreadable:
    return Unreadable("OFF006", f"this {tag.name} has {key}: twice", "keep the right one")


def _nameless() -> Unreadable:
    return Unreadable("OFF005", "by: has no name", "write the employeeId of the sender")
