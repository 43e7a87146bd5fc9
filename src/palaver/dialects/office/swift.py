"""The short way: a line that fits its template to the letter and says nothing unusual, in few steps.

One expression for all tags. It is stricter than the templates: a text that begins like a T or ends like a
question, a dash for a field that nobody gave, a path with a space, a trailer: these do not match, and take
the careful way. What does match gives the message that the careful way would give (a test compares them).
"""

import re
from dataclasses import dataclass
from typing import Final

from palaver.dialects.office.grammar import PATTERNS, TAGS, TIME, Desk, expression, is_extra, parts
from palaver.dialects.office.layout import Pen
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.names import address

_DASH: Final = r"(?!-(?: |$))"
# A text may not end in `)` here, because a trailer does; and nothing may hold a `]`, because an entry that is
# quoted, or glued to this one, does.
_TEXT: Final = r"[^\]]*[^\]?\uff1f\- \t)]"
_STRICT: Final = PATTERNS | {
    "text": rf"((?!\[|by: ){_TEXT})",
    "idle": rf"(has been idle for [0-9]+ polls?\. {_TEXT})",
    "words": rf"{_DASH}(?![ \[])([^|\]]*[^|\]\s])",
    "files": rf"{_DASH}([^\s|,\]]+(?:, [^\s|,\]]+)*)",
    "names": PATTERNS["name"],
}
_VALUE: Final = rf"{_DASH}(?! )([^|\]]*[^|\]\s)])"
_OPTIONAL: Final = re.compile(r"\[( \| board-read-at:[^\]]*)\]")
# A field of meta that may be absent makes two branches, so that no group of it is ever empty. A tag whose one
# line can be several messages has none.
_BRANCHES: Final = tuple(
    (tag, template)
    for tag in TAGS
    if "tasks" not in tag.fields
    for template in dict.fromkeys((_OPTIONAL.sub("", tag.template), _OPTIONAL.sub(r"\1", tag.template)))
)
#: A whole line. The last group of each branch is empty and says which one it was.
LINE: Final = re.compile(
    rf"\[({TIME})\] \[(?:"
    + "|".join(
        rf"{tag.name}\] {''.join(expression(template, _STRICT, _VALUE))}()" for tag, template in _BRANCHES
    )
    + ")"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """Where the groups of one branch are, and what follows from its tag alone."""

    by_worker: bool
    act: str
    #: What the message keeps of the tag.
    kept: str
    #: Groups of time, name, task and text, the empty one where the tag has no such field; then those of meta.
    groups: tuple[int, ...]
    keys: tuple[str, ...]
    #: The only one of them, if there is one.
    key: str
    #: All three of them, if there are so many.
    claim: tuple[str, ...]
    files: int


def _forms() -> dict[int | None, _Form]:
    forms: dict[int | None, _Form] = {}
    mark = 1
    for tag, template in _BRANCHES:
        fields = [what for kind, what in parts(template) if kind == "field"]
        at = {field: mark + n for n, field in enumerate(fields, start=1)}
        mark += len(at) + 1
        core = ("name" if "name" in at else "names", "task?" if "task?" in at else "task", tag.text)
        keys = tuple(field for field in fields if is_extra(field))
        forms[mark] = _Form(
            by_worker=tag.desk is Desk.WORKER,
            act=tag.act,
            kept=tag.name if tag.variant else "",
            groups=(1, *(at.get(field, mark) for field in (*core, *keys))),
            keys=keys,
            key=keys[0] if len(keys) == 1 else "",
            claim=keys if len(keys) == 3 else (),
            files=at.get("files", 0),
        )
    return forms


#: By the number of the last group that matched.
_FORMS: Final = _forms()
_fit: Final = LINE.fullmatch
_blank: Final = Message.__new__


class Swift:
    """The short way through one file."""

    __slots__ = ("by_worker", "known", "manager", "owner")

    def __init__(self, pen: Pen) -> None:
        """Take whose file it is."""
        self.by_worker = pen.desk is Desk.WORKER
        self.manager = pen.manager
        # In a file that nobody owns, and in a log that the manager keeps as if it were an employee, it is not
        # plain who talks to whom.
        muddled = pen.desk is Desk.NEITHER or (self.by_worker and pen.owner == pen.manager)
        self.owner = "" if muddled else pen.owner
        #: Names as written → as they are.
        self.known: dict[str, str] = {}

    def read(self, text: str) -> Message | None:
        """Return the message of a plain line, or None."""
        match = _fit(text)
        if match is None:
            return None
        form = _FORMS[match.lastindex]
        if form.key:
            at, name, task, words, value = match.group(*form.groups)
            meta = {form.key: value}
        elif form.claim:
            # A claim has three; written out, because a table of so few takes longer than all before it.
            at, name, task, words, first, second, third = match.group(*form.groups)
            one, two, three = form.claim
            meta = {one: first, two: second, three: third}
        elif form.keys:
            at, name, task, words, *more = match.group(*form.groups)
            meta = dict(zip(form.keys, more, strict=True))
        else:
            at, name, task, words = match.group(*form.groups)
            meta = {}
        if form.by_worker:
            to = self.manager if self.by_worker and name == self.owner else ""
        else:
            to = self.known.get(name) or self.learn(name)
        if not to:
            return None
        message = _blank(Message)
        message.sender = self.owner
        message.to = [to]
        message.act = form.act
        message.task = task or ""
        message.body = words or ""
        message.at = at
        message.tag = form.kept
        message.auth = "channel"
        message.meta = meta
        message.files = [{"path": path} for path in match[form.files].split(", ")] if form.files else []
        message.artifacts = []
        message.priority = "normal"
        message.id = message.subject = message.reasoning = message.run = message.reply_to = ""
        message.thread = message.event_id = ""
        message.hops = message.seq = 0
        message.undeliverable = message.redacted = False
        return message

    def learn(self, name: str) -> str:
        """Return whom the manager speaks to by this name, or nothing; and remember it."""
        if self.by_worker or not self.owner:
            return ""
        try:
            found = address(name)
        except BadName:
            return ""
        self.known[name] = found
        return found
