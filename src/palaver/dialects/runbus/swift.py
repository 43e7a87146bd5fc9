"""The short way: messages that are written as ours are, one after the other, read with one look each.

Whatever differs in the least is left to the careful reader, which gives the same for what is read here.

The bytes are looked at as Latin-1, in which a place in the text is a place in the file; what is not ASCII is
decoded once it is known to be a text.
"""

import re
from typing import Final

from palaver.dialects.runbus.grammar import NO_RUN, NO_TASK, NONE, TASK, TYPES
from palaver.model.dialect import Kind, Piece
from palaver.model.errors import BadName
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE, address
from palaver.model.saying import heard

_WORD: Final = r"((?![\"'])[!-~]+)"
_LIST: Final = r"([^\n\r\t\0\"'\[]+)"
#: Every day but the 29th of February, which not all years have.
_DAY: Final = r"(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31"
_BLOCK: Final = re.compile(
    r"---\nmessageId: (MSG-(?!00000000)[!-~]+)\ntype: ([A-Z]+)\nagent: ([!-~]+)\n"
    rf"timestamp: (20[0-9]{{2}}-(?:{_DAY})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)\n"
    rf"runId: {_WORD}\ntaskId: {_WORD}\n"
    rf"(?:relatesTo: {_WORD}\n)?(?:files: {_LIST}\n)?(?:artifacts: {_LIST}\n)?---\n\n"
    r"(.+(?:\n(?!\n?---\n).*)*+)\n\n---\n"
)
_EVENT: Final = Kind.EVENT
#: Of a message of one line that relates to nothing.
_LINES: Final = 12
_OPENER: Final = "---\nmessageId:"
#: Characters that make a text worth a second look; looking for one is much faster than for three in a row.
_RISKS: Final = "`~\\\r\0"


class _Agents(dict[str, str]):
    def __missing__(self, word: str) -> str:
        sender = address(word)
        if sender == EVERYONE:
            raise KeyError(word)
        self[word] = sender
        return sender


class _Runs(dict[str, str]):
    def __missing__(self, word: str) -> str:
        self[word] = run = "" if word in NONE or word == NO_RUN else word
        return run


class _Tasks(dict[str, str]):
    def __missing__(self, word: str) -> str:
        self[word] = task = "" if word in NONE or word == NO_TASK else word.removeprefix(TASK)
        return task


class Swift:
    """The runs of such messages in a source."""

    __slots__ = (
        "_agents", "_offset", "_risky", "_runs", "_tasks", "_text", "_whole", "line", "pieces",
    )  # fmt: skip

    def __init__(self, content: bytes, *, offset: int, whole: bool) -> None:
        self._text = text = content.decode("latin-1")
        self._risky = not text.isascii() or any(risk in text for risk in _RISKS)
        self._offset = offset
        self._whole = whole
        self._agents = _Agents()
        self._runs = _Runs()
        self._tasks = _Tasks()
        #: What the last run found, and the line behind it.
        self.pieces: list[Piece] = []
        self.line = 0

    def run(self, at: int, line: int) -> int:
        """Read as many messages as there are from a place on; return where the last one ends."""
        text, offset, risky = self._text, self._offset, self._risky
        agents, runs, tasks = self._agents, self._runs, self._tasks
        look, new, make = _BLOCK.match, Message.__new__, tuple.__new__
        self.pieces = pieces = []
        try:
            while match := look(text, at, at + LINE_BYTES):
                message = new(Message)
                message.id, word, agent, message.at, run, task, related, files, artifacts, body = (
                    match.groups()
                )
                if risky:
                    body = _looked_at(body)
                if "---" in body or (body[0] == "[" and heard(body)):
                    break
                message.sender = agents[agent]
                message.to = [EVERYONE]
                message.body = body
                message.act = TYPES[word]
                message.subject = message.reasoning = message.tag = message.thread = message.event_id = ""
                message.priority = "normal"
                message.task = tasks[task]
                message.run = runs[run]
                message.meta = {}
                message.hops = message.seq = 0
                message.auth = "claimed"
                message.undeliverable = message.redacted = False
                lines = _LINES + body.count("\n")
                if related is None and files is None and artifacts is None:
                    message.reply_to, message.files, message.artifacts = "", [], []
                else:
                    lines += _related(message, related, files, artifacts)
                end = match.end()
                pieces.append(make(Piece, (_EVENT, offset + at, end - at, line, (message,), "")))
                line += lines
                at = end
        except (KeyError, UnicodeDecodeError, BadName):
            pass  # something in it needs a second look
        if pieces and not self._ends(at):
            last = pieces.pop()
            at, line = last.start - offset, last.line
        self.line = line
        return at

    def _ends(self, end: int) -> bool:
        """Tell whether a `---` that ends here can only be a closing one."""
        text = self._text
        while text.startswith("\n", end):
            end += 1
        return text.startswith(_OPENER, end) or (self._whole and end == len(text))


def _looked_at(body: str) -> str:
    if "\\" in body or "\r" in body or "\0" in body or ("`" in body and "```" in body) or "~~~" in body:
        raise KeyError(body)
    return body if body.isascii() else body.encode("latin-1").decode()


def _items(text: str) -> list[str]:
    if not text.isascii():
        text = text.encode("latin-1").decode()
    return [item for part in text.split(",") if (item := part.strip(" "))]


def _related(message: Message, related: str | None, files: str | None, artifacts: str | None) -> int:
    """Put in the fields that a message may lack; return how many lines they are."""
    message.reply_to = related or ""
    message.files = [{"path": path} for path in _items(files)] if files else []
    message.artifacts = _items(artifacts) if artifacts else []
    return (related is not None) + (files is not None) + (artifacts is not None)
