"""The fields of a line that strays from its template: read where they can mean one thing only.

    [CLAIM] by: emp-a1 |task-4| title: Home      keys in any order, any spacing: read
    [CLAIM] task-4 | by: emp-a1 | by: emp-b2     two answers to one question: refused
    [APPROVAL] go ahead                          about which task? refused

Whatever is missing is noted.
"""

import re
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.grammar import EXACT, Desk, Tag
from palaver.model.limits import META_FIELDS

#: Code, message, way out.
Note = tuple[str, str, str]

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
# An employeeId has a digit or a hyphen; "approved for the user" names nobody.
_ID: Final = r"(?=[^\s|,:;]*[0-9-])([^\s|,:;]*[^\s|,:;.])"
_FIRST: Final = re.compile(_ID)
_PERSON: Final = re.compile(rf"\b(?:for|by|to) {_ID}", re.I)
_CONFLICT: Final = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_SHOWN_CHARS: Final = 40


class Stray(Exception):
    """Raised inside this dialect when a line cannot be understood; it never leaves the parser."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        """Take what a finding says."""
        self.note: Note = (code, message, fix)
        super().__init__(*self.note)


def no_entry(text: str) -> Stray:
    """Return what to say of a line that is no entry at all."""
    if _CONFLICT.match(text):
        return Stray(grammar.NO_ENTRY, "git has left a conflict marker", "resolve the merge: keep both sides")
    return Stray(
        grammar.NO_ENTRY,
        f"{text[:_SHOWN_CHARS]!a} is not an entry",
        "write [<ISO timestamp>] [<TAG>] and the fields, all on one line",
    )


def fields(tag: Tag, raw: str, notes: list[Note]) -> dict[str, str]:
    """Return the fields of what stands behind a tag, as far as they can be told; note what is missing."""
    if tag.template.startswith("To "):
        values = _addressed(raw)
    elif tag.template == grammar.GENERAL[Desk.WORKER].template:
        values = _free(raw)
    elif tag.keys and "name" in tag.fields and "|" in re.sub(r"\[.*", "", tag.template):
        values = _pairs(tag, raw)
    else:
        values = _sentence(tag, raw)
    if "task" in tag.required and not values.get("task"):
        raise Stray(grammar.NO_TASK, f"this {tag.name} names no task", f"write: {documented(tag)}")
    # An own log says whose heartbeat it is; nobody needs to be told.
    needed = [field for field in tag.required if field != "name" or tag.name != "HEARTBEAT"]
    missing = [_known_as(tag, field) for field in needed if not values.get(field)]
    if missing:
        notes.append(
            (
                grammar.FIELD_MISSING,
                f"this {tag.name} has no {', no '.join(missing)}",
                f"write: {documented(tag)}",
            )
        )
    return values


def documented(tag: Tag) -> str:
    """Return the template as people read it."""
    shown = tag.template.replace("{task}", "task-<id>").replace("{task?}", "<task-id or none>")
    shown = shown.replace("{name}", "<employeeId>").replace("{names}", "<employeeId or all>")
    shown = shown.replace("{words}", "<reason>").replace("{idle}", "has been idle for <N> polls. <text>")
    shown = shown.replace("{inactive}", "marked inactive after <N> missed heartbeats")
    return f"[<ISO timestamp>] [{tag.name}] " + re.sub(r"\{([a-z-]+)\}", r"<\1>", shown)


def stripped(task: str) -> str:
    """Return the id of a task without the `task-` that the office puts before it."""
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
    """Read a sentence of the manager's that is not the template's: what is left of it, else task and name."""
    tidy = re.sub(r"[ \t]+", " ", raw).strip(" ")
    match = EXACT[tag.name].fullmatch(tidy) or EXACT[tag.name].fullmatch(f"{tidy}.")
    if match:
        return dict(zip(tag.fields, match.groups(""), strict=True))
    before, _, _ = raw.partition("|")
    task = _TASK_INSIDE.search(before)
    person = _FIRST.match(before) if tag.template.startswith("{name}") else _PERSON.search(before)
    values = {tag.text: raw}
    if task:
        values["task"] = task[1]
    if person:
        values["name"] = person[1]
    return values


def _pairs(tag: Tag, raw: str) -> dict[str, str]:
    """Read `key: value | key: value`; the text, which comes last, keeps its pipes."""
    values: dict[str, str] = {}
    segments = raw.split("|")
    if len(segments) > META_FIELDS:
        raise Stray(grammar.STRAY_FIELD, "the line has too many fields", f"write: {documented(tag)}")
    last = ""
    for number, segment in enumerate(segments):
        last = _take(tag, segment.strip(" \t"), values, last)
        if last == "text":
            rest = _PAIR.fullmatch("|".join(segments[number:]).lstrip(" \t"))
            values["text"] = rest[2] if rest else ""
            break
    if " | " in values.get("title", "") and "name" not in values:
        # Only `by:` says where such a title ends.
        raise _stray(tag, values["title"])
    for field in ("task", "task?"):
        if field in values:
            values[field] = "" if values[field] in ("none", grammar.NONE) else stripped(values[field])
    return values


def _take(tag: Tag, segment: str, values: dict[str, str], last: str) -> str:
    """Put one segment where it belongs; return the field."""
    pair = _PAIR.fullmatch(segment)
    field = _field(tag, pair[1]) if pair else ""
    if pair is None or not field:
        return _loner(tag, segment, values, last)
    if field in values:
        raise _twice(tag, pair[1])
    if field == "name" and not pair[2]:
        raise _nameless()
    values[field] = pair[2]
    return field


def _field(tag: Tag, key: str) -> str:
    """Return the field of a key; what every line may say has the same key in all of them."""
    return tag.keys.get(key.lower()) or {"by": "name", "task": "task", "files": "files"}.get(key.lower(), "")


def _loner(tag: Tag, segment: str, values: dict[str, str], last: str) -> str:
    """Place a segment that has no key of this tag: a task, a name, more of a title, a field of its own."""
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
    if pair and grammar.is_extra(pair[1]):
        values[pair[1]] = pair[2]
        return pair[1]
    if "task" in tag.required and "task" not in values and re.fullmatch(r"[^\s:]+", segment):
        values["task"] = segment
        return "task"
    raise _stray(tag, segment)


def _stray(tag: Tag, segment: str) -> Stray:
    return Stray(
        grammar.STRAY_FIELD,
        f"{segment[:_SHOWN_CHARS]!a} is no field of {tag.name}",
        "take the | out of the text, or put the text last, as note:",
    )


def _twice(tag: Tag, key: str) -> Stray:
    return Stray(grammar.KEY_TWICE, f"{key}: stands twice in this {tag.name}", "keep the one that is meant")


def _nameless() -> Stray:
    return Stray(grammar.BAD_NAME, "by: names nobody", "write the employeeId of whoever speaks")
