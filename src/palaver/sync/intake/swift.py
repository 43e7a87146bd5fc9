"""The short way of lines into the log: messages that say nothing unusual are written out at once.

A mount may bring a hundred thousand lines of history, and nearly all of them are alike: one message, between
those who have spoken before, that answers nothing and holds no secret. Whatever differs takes the careful way
(`drafting.py`), which gives the same record for what is taken here; a test holds the two together.
"""

from _json import encode_basestring as quoted
from itertools import islice
from typing import NamedTuple

from palaver.bus.mail.message_check import judge
from palaver.model.dialect import Piece
from palaver.model.errors import Refusal
from palaver.model.limits import ENVELOPE_BYTES, LINE_BYTES
from palaver.model.message import ACTS, Message
from palaver.model.names import address, is_id
from palaver.model.plain import dumps, prints
from palaver.model.secrets import find
from palaver.sync.intake.drafting import Drafting, is_plain
from palaver.sync.intake.events import Batch, Place, hashed
from palaver.sync.names import parties

# What a record says of an act. Of some it depends on what was said before, and later words depend on them.
_SAID = {act: f',"act":"{act}"' for act in ACTS if act not in ("ask", "answer")} | {"inform": ""}
_TABLES = ("files", "artifacts", "meta")
_ROOM = LINE_BYTES - ENVELOPE_BYTES


class _Common(NamedTuple):
    """All that the records of those who speak to each other have in common, in the order of a record."""

    #: From the type of the event to where its bytes begin; nothing, if such messages take the careful way.
    head: str = ""
    #: From the hash of the bytes to the id of the message.
    middle: str = ""
    #: From there to its recipients.
    names: str = ""
    #: That it reaches nobody.
    lost: str = ""
    sender: str = ""
    #: Whether the recipients are written as `address` would write them.
    canonical: bool = False


_NOTHING = _Common()


class Swift:
    """The short way of the pieces of one file."""

    __slots__ = ("_batch", "_common", "_drafting", "_known", "_mentions", "_names", "_place", "_version")

    def __init__(self, drafting: Drafting, place: Place, batch: Batch) -> None:
        """Take who makes events of pieces the careful way, where those stand, and where the events go."""
        self._drafting = drafting
        self._known = drafting.known
        self._names = drafting.names
        self._place = place
        self._batch = batch
        self._mentions = drafting.names.are_mentioned
        # Who speaks to whom, written out once, as of a version of the names.
        self._common: dict[tuple[object, ...], _Common] = {}
        self._version = 0

    def run(self, pieces: list[Piece], place: int, content: bytes, start: int, stops: set[int]) -> int:
        """Write out pieces from a place on, as long as each is one plain message; return where that ends.

        Their bytes are in `content`, which begins at `start` in the file. One that begins at a stop is odd.
        """
        batch, begun = self._batch, place
        if batch.drafts and not batch.write_out():
            return place
        common_of, written, draw = self._fresh().get, batch.written.append, self._drafting.draw
        for _, offset, length, _, values, _ in islice(pieces, place, None):
            if len(values) != 1 or type(message := values[0]) is not Message or offset in stops:
                break
            common = common_of(key := parties(message)) or self._settled(key, message)
            said = common.head and self._said(message, common)
            if not said:
                break
            drawn, named = draw(), message.id
            sha = hashed(content[offset - start : offset - start + length])
            text = (
                f'"event_id":"evt-{drawn}",{common.head}{offset},"len":{length},"sha":"{sha}"'
                f"{common.middle}{named or f'msg-{drawn}'}{common.names}{said}"
            )
            if not prints(text) or len(record := text.encode()) > _ROOM:
                break
            if named:
                self._known.remember(named, record)
            written(record)
            place += 1
        batch.messages += place - begun
        return place

    def _fresh(self) -> dict[tuple[object, ...], _Common]:
        """Return who speaks to whom, as far as it still holds."""
        if self._version != self._names.version:
            self._version = self._names.version
            self._common.clear()
        return self._common

    def _said(self, message: Message, common: _Common) -> str:
        """Return what a message says, as a record ends; nothing, if it needs a second look."""
        act, body, task, known = _SAID.get(message.act), message.body, message.task, self._known
        if act is None or message.reply_to or ("@" in body and self._mentions) or find(body):
            return ""
        if task and known.givers and known.giver(task, common.sender):
            return ""
        if message.id and not (known.is_new(message.id) and is_id(message.id)):
            return ""
        if message.subject or message.reasoning:
            if find(message.subject) or find(message.reasoning):
                return ""
            act = f'{act},"subject":{quoted(message.subject)}' if message.subject else act
        if not is_plain(message) and not (common.canonical and _is_sound(message)):
            return ""
        at = f',"at":{quoted(message.at)}' if message.at else ""
        return f'{act},"body":{quoted(body)}{_more(message)}{common.lost}{at}}}'

    def _settled(self, key: tuple[object, ...], message: Message) -> _Common:
        """Write out what a message has in common with others between the same."""
        route, drafting, place = self._names.settled(key), self._drafting, self._place
        if route is None or (route.lost and drafting.bounces):
            return _NOTHING
        self._batch.to.update(route.to)
        sender = quoted(route.sender)
        marks = f',"mark":{quoted(place.mark)}' if place.mark else ""
        marks += ',"onward":1' * route.onward + ',"history":1' * drafting.history
        found = self._common[key] = _Common(
            head=f'"event_type":"mail.sent","timestamp":"{drafting.now}","actor":{sender},'
            f'"auth":"{message.auth}","src":{{"mount":{quoted(place.mount)},"file":{quoted(place.file)},'
            f'"gen":{place.gen},"off":',
            middle=f'{marks}}},"data":{{"message_id":"',
            names=f'","from":{sender},"to":{dumps(route.to)}',
            lost=',"undeliverable":true' if route.lost else "",
            sender=route.sender,
            canonical=_is_canonical(route.to),
        )
        return found


def _more(message: Message) -> str:
    """Return what a message says beside its text, in the order of its fields."""
    text = "" if message.priority == "normal" else f',"priority":{quoted(message.priority)}'
    if message.reasoning:
        text += f',"reasoning":{quoted(message.reasoning)}'
    if message.task:
        text += f',"task":{quoted(message.task)}'
    if message.run:
        text += f',"run":{quoted(message.run)}'
    if message.files or message.artifacts or message.meta:
        tables = {name: value for name in _TABLES if (value := getattr(message, name))}
        text += f",{dumps(tables)[1:-1]}"
    return f'{text},"tag":{quoted(message.tag)}' if message.tag else text


def _is_canonical(to: list[str]) -> bool:
    try:
        return [address(each) for each in to] == to
    except Refusal:
        return False


def _is_sound(message: Message) -> bool:
    """Tell whether nothing is wrong with what most messages do not have."""
    try:
        judge(message, allow_secret=True, allow_empty=True)
    except Refusal:
        return False
    return True
