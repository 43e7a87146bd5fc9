"""One line into messages, carefully: every way in which writers stray, with what to say about it.

The fields come from the template if the line fits it to the letter, else from `loose.py`. Then the text is
freed of its trailer and its T, the speaker and the recipients are found, and what is in the wrong file is
noted. Nothing is guessed: a line that could mean two things is refused, and its bytes are kept.
"""

import re
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from palaver.dialects.office import grammar, loose
from palaver.dialects.office.grammar import BY_NAME, EXACT, GENERAL, NONE, Desk, Tag
from palaver.dialects.office.layout import Pen
from palaver.dialects.office.loose import Note, Stray
from palaver.dialects.office.times import is_odd, utc
from palaver.dialects.shared.trailer import without_trailer
from palaver.dialects.shared.translation import is_usable, with_fields
from palaver.model.errors import BadName
from palaver.model.limits import DEPTH, RECIPIENTS
from palaver.model.message import ACTS, PRIORITIES, WORDLESS, Message
from palaver.model.names import EVERYONE, address, short
from palaver.model.saying import heard

_OPENING: Final = "(palaver"
#: How text that was escaped is freed again: by the trailer that says so.
_ESCAPED: Final = " (palaver esc=1)"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SECOND_SPEAKER: Final = re.compile(r"by: \S+(?: \||$)")


@dataclass(slots=True)
class Entry:
    """What a line says: its messages, or why it says nothing; and what is to be said about it."""

    messages: list[Message] = field(default_factory=list)
    reason: str = ""
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    """The parts of a line, before anybody is named."""

    tag: Tag
    act: str
    #: The tag as the message keeps it: empty for the one that is the act's own.
    kept: str
    at: str
    values: dict[str, str]
    beside: dict[str, object]
    escaped: bool


def understand(text: str, pen: Pen) -> Entry:
    """Read one line, without its line end."""
    notes: list[Note] = []
    try:
        said = _parts(text, pen, notes)
        messages = _messages(said, pen, notes)
    except Stray as stray:
        return Entry(reason=stray.note[0], notes=[stray.note])
    return Entry(messages=messages, notes=notes)


def split_trailer(rest: str) -> tuple[str, dict[str, object], bool]:
    """Return what stands before the trailer as it is written, the fields, and whether the text is escaped."""
    cut = rest.rfind(_OPENING) if rest.endswith(")") else -1
    if cut < 0:
        return rest, {}, False
    left, beside = without_trailer(rest[cut:])
    if left:
        return rest, {}, False
    return rest[:cut].removesuffix(" "), beside, re.search(r" esc=[^ )]", rest[cut:]) is not None


def is_exact(text: str) -> bool:
    """Tell whether a line is to the letter of its template: a time, a tag, the fields, perhaps a trailer."""
    head = grammar.LETTER.fullmatch(text)
    if head is None or not utc(head["time"]):
        return False
    return _exact(BY_NAME[head["tag"]], split_trailer(head["rest"])[0]) is not None


def _parts(text: str, pen: Pen, notes: list[Note]) -> _Said:
    head = grammar.HEAD.fullmatch(text)
    if head is None:
        raise loose.no_entry(text)
    word = re.sub("[ -]", "_", head["tag"].strip().upper())
    tag = BY_NAME.get(word)
    at = utc(head["time"] or "")
    if tag is None and not (at and word):
        raise loose.no_entry(text)
    _judge_time(head["time"], at, notes)
    raw, beside, escaped = split_trailer(head["rest"] or "")
    if tag is None:
        carrier = GENERAL.get(pen.desk, BY_NAME["INFO"])
        values = _exact(carrier, raw) or {"text": raw}
        notes.append(
            (
                grammar.UNKNOWN_TAG,
                f"the office has no tag {word!a}",
                "write INFO (workers), REPLY (the manager) or another tag of the manual",
            )
        )
        return _Said(carrier, "inform", word, at, values, beside, escaped)
    values = _exact(tag, raw) or loose.fields(tag, raw, notes)
    return _Said(tag, tag.act, tag.name if tag.variant else "", at, values, beside, escaped)


def _exact(tag: Tag, raw: str) -> dict[str, str] | None:
    match = EXACT[tag.name].fullmatch(raw)
    return dict(zip(tag.fields, match.groups(""), strict=True)) if match else None


def _judge_time(written: str | None, at: str, notes: list[Note]) -> None:
    if written is None or written.strip() in ("", NONE):
        notes.append((grammar.NO_TIME, "the entry has no timestamp", "begin it with [<ISO timestamp>]"))
    elif not at:
        notes.append(
            (grammar.IMPOSSIBLE_TIME, f"{written[:40]!a} is no time", "write it like 2026-02-11T10:00:00Z")
        )
    elif is_odd(at):
        notes.append((grammar.ODD_TIME, f"the entry is of the year {int(at[:4])}", "set the writer's clock"))


def _messages(said: _Said, pen: Pen, notes: list[Note]) -> list[Message]:
    act, task, body, worded = _words(said)
    sender, to = _parties(said, pen)
    beside = _usable(said.beside, notes)
    tasks = [task]
    if "tasks" in said.values:
        # One line may give back several tasks; each of them is free again, so each is a message.
        tasks = [loose.stripped(each) for each in re.split(r",\s*", said.values["tasks"])]
        tasks = ["" if each in ("none", NONE) else each for each in tasks]
    kept = said.kept if said.act == act else ""
    found = []
    for each in tasks:
        message = Message(
            sender=sender,
            to=list(to),
            body=body,
            act=act,
            task=each,
            files=split_files(said.values.get("files", "")),
            meta=_meta(said),
            tag=kept,
            at=said.at,
        )
        message, unusable = with_fields(message, beside)
        assert not unusable, unusable
        found.append(message)
    _judge_words(said, found[0], notes, worded=worded)
    _judge_file(said.tag, found[0], pen, notes)
    for message in found:
        message.auth = found[0].auth
    return found


def _words(said: _Said) -> tuple[str, str, str, bool]:
    """Return act, task and body, and whether a T decided."""
    text = said.values.get(said.tag.text, "")
    if said.escaped:
        text, _ = without_trailer(text + _ESCAPED)
    task = said.values.get("task") or said.values.get("task?") or ""
    if said.tag.dash and text == NONE:
        text = ""
    if general := heard(text):
        act, named, body = general
        return act, named or task, body, True
    if said.tag.name == "INFO" and not said.kept and text.rstrip(" \t").endswith(grammar.QUESTION_MARKS):
        return "ask", task, text, False
    return said.act, task, text, False


def _parties(said: _Said, pen: Pen) -> tuple[str, list[str]]:
    """Return who speaks, and to whom."""
    if said.tag.desk is Desk.MANAGER:
        names = said.values.get("names") or said.values.get("name") or ""
        listed = names.split(", ") if names else [EVERYONE]
        return pen.manager, _addresses([_name(each) for each in listed])
    name = said.values.get("name", "")
    if name and said.tag.name == "INFO" and _SECOND_SPEAKER.match(said.values.get("text", "")):
        raise Stray(grammar.KEY_TWICE, "by: stands twice in this INFO", "keep the one that is meant")
    sender = _speaker(_name(name)) if name else pen.owner
    if not sender:
        raise Stray(
            grammar.BAD_NAME,
            "neither the line nor the name of the file says who speaks",
            "write by: <employeeId>",
        )
    if sender == pen.manager and pen.owner not in ("", sender):
        return sender, [pen.owner]
    return sender, [pen.manager]


def _name(text: str) -> str:
    try:
        return address(text)
    except BadName as bad:
        raise Stray(grammar.BAD_NAME, str(bad.what) + ": " + str(bad.why), str(bad.way_out)) from bad


def _speaker(name: str) -> str:
    if name == EVERYONE:
        raise Stray(grammar.BAD_NAME, "everyone cannot speak", "write the employeeId of whoever speaks")
    return name.removeprefix("@")


def _addresses(names: list[str]) -> list[str]:
    if len(names) > RECIPIENTS:
        raise Stray(
            grammar.CROWD,
            f"the line has {len(names)} recipients",
            f"name at most {RECIPIENTS}, or write To all",
        )
    return names


def _usable(beside: dict[str, object], notes: list[Note]) -> dict[str, object]:
    """Return the fields of the trailer that mean something; names are checked like all names."""
    usable = {key: value for key, value in beside.items() if _means(key, value)}
    if len(usable) < len(beside):
        notes.append(
            (
                grammar.BAD_TRAILER,
                f"the trailer's {', '.join(key for key in beside if key not in usable)} cannot be used",
                "leave trailers to palaver",
            )
        )
    sender, to = usable.get("from"), usable.get("to")
    if isinstance(sender, str):
        usable["from"] = _speaker(_name(sender))
    if isinstance(to, list):
        usable["to"] = _addresses([_name(each) for each in to])
    return usable


def _means(key: str, value: object) -> bool:
    if key == "act":
        return value in ACTS
    if key == "priority":
        return value in PRIORITIES
    return is_usable(key, value) and _is_plain(value, DEPTH)


def _is_plain(value: object, depth: int) -> bool:
    """Tell whether a value can be stored: no endless number, no half of a surrogate pair, not too deep."""
    if isinstance(value, str):
        return value.isascii() or not _SURROGATE.search(value)
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return depth > 0 and all(_is_plain(each, depth - 1) for each in (*value, *value.values()))
    if isinstance(value, list):
        return depth > 0 and all(_is_plain(each, depth - 1) for each in value)
    return True


def split_files(written: str) -> list[dict[str, object]]:
    """Return the files of a list as it stands in a line."""
    if written in ("", NONE):
        return []
    return [{"path": path.strip(" \t")} for path in written.split(",") if path.strip(" \t")]


def _meta(said: _Said) -> dict[str, object]:
    """Return the further fields of the template, and those that the line has besides, by their own keys."""
    further = {key: value for key, value in said.values.items() if grammar.is_extra(key)}
    meta: dict[str, object] = {key: value for key, value in further.items() if value not in ("", NONE)}
    if said.tag.desk is Desk.MANAGER and not (said.values.get("names") or said.values.get("name")):
        # Everyone of this office, but not everyone everywhere: only who writes `all` says that.
        meta["to"] = "absent"
    return meta


def _judge_words(said: _Said, message: Message, notes: list[Note], *, worded: bool) -> None:
    if message.body or worded or "body" in said.beside or said.tag.text not in said.tag.required:
        return
    text = said.values.get(said.tag.text, "")
    if said.tag.dash:
        if text != NONE and not any(note[0] == grammar.FIELD_MISSING for note in notes):
            notes.append(
                (
                    grammar.FIELD_MISSING,
                    f"this {said.tag.name} gives no reason",
                    f"write: {loose.documented(said.tag)}",
                )
            )
    elif message.act not in WORDLESS and not said.beside:
        raise Stray(
            grammar.NOTHING_SAID, f"this {said.tag.name} says nothing", "put the text behind the fields"
        )


def _judge_file(tag: Tag, message: Message, pen: Pen, notes: list[Note]) -> None:
    """Note a line that stands in somebody else's file; what stands in one's own is proved by that."""
    note = _misfiled(tag, message, pen)
    if note:
        notes.append(note)
    elif pen.owner and message.sender == pen.owner:
        message.auth = "channel"


def _misfiled(tag: Tag, message: Message, pen: Pen) -> Note | None:
    if pen.desk is Desk.MANAGER and tag.desk is Desk.WORKER:
        return (
            grammar.WORKER_IN_MANAGER_INBOX,
            f"{message.sender} wrote {tag.name} into the manager's inbox",
            f"write it to employee-{short(message.sender)}.log",
        )
    if pen.desk is not Desk.WORKER:
        return None
    if tag.desk is Desk.MANAGER or (message.sender == pen.manager and message.sender != pen.owner):
        return (
            grammar.MANAGER_IN_EMPLOYEE_LOG,
            f"the manager's {tag.name} stands in an employee's log, where no worker reads it",
            "write it to manager-inbox.log",
        )
    if short(message.sender) != pen.owner:
        return (
            grammar.ANOTHERS_LOG,
            f"{message.sender} wrote into the log of {pen.owner or 'nobody'}",
            f"write it to employee-{short(message.sender)}.log, or say by: {pen.owner} if that is you",
        )
    return None
