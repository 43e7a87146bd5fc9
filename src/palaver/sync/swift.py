"""The short way of a line into the log: a message that says nothing unusual is written out at once.

A mount may bring a hundred thousand lines of history, and nearly all of them are alike: one message, between
those who have spoken before, that answers nothing and holds no secret. Whatever differs takes the careful way
(`drafting.py`), which gives the same record for what is taken here; a test holds the two together.
"""

from _json import encode_basestring as quoted
from typing import NamedTuple

from palaver.bus.sending import judge
from palaver.model import secrets
from palaver.model.dialect import Piece
from palaver.model.errors import Refusal
from palaver.model.limits import ENVELOPE_BYTES, LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import address, is_id
from palaver.model.plain import dumps, prints
from palaver.sync.drafting import Drafting, is_plain
from palaver.sync.names import Route, parties
from palaver.sync.pieces import Batch, Place

# What they mean depends on what was said before, or what is said next depends on them.
_THREADED = frozenset(["ask", "answer"])
_ROOM = LINE_BYTES - ENVELOPE_BYTES


class _Between(NamedTuple):
    """All that the records of those who speak to each other have in common, in the order of a record."""

    #: What it was made of: when somebody new is there, it may be another one.
    route: Route
    #: From the type of the event to the place of the bytes.
    head: str
    #: From their hash to the id of the message.
    middle: str
    #: From there to its recipients.
    names: str
    #: Whether the recipients are written as `address` would write them.
    canonical: bool


class Swift:
    """The short way of the pieces of one file."""

    __slots__ = ("_batch", "_between", "_drafting", "_mentions", "_place")

    def __init__(self, drafting: Drafting, place: Place, batch: Batch) -> None:
        """Take who makes events of pieces the careful way, where those stand, and where the events go."""
        self._drafting = drafting
        self._place = place
        self._batch = batch
        self._mentions = drafting.names.are_mentioned
        self._between: dict[tuple[object, ...], _Between] = {}

    def takes(self, piece: Piece, sha: str) -> bool:
        """Write out the event of a piece that is one plain message; else do nothing, and say so."""
        values, drafting, batch = piece.values, self._drafting, self._batch
        if len(values) != 1 or type(message := values[0]) is not Message:
            return False
        key = parties(message)
        route = drafting.names.settled(key)
        if route is None or not self._is_usual(message, route) or (batch.drafts and not batch.write_out()):
            return False
        between = self._between.get(key)
        if between is None or between.route is not route:
            between = self._between[key] = self._written(message, route)
        if not is_plain(message) and not (between.canonical and _is_sound(message)):
            return False
        drawn = drafting.draw()
        text = (
            f'"event_id":"evt-{drawn}",{between.head}{piece.start},"len":{piece.length},"sha":"{sha}"'
            f"{between.middle}{message.id or f'msg-{drawn}'}{between.names}{_said(message)}}}"
        )
        if not prints(text) or len(record := text.encode()) > _ROOM:
            return False
        if message.id:
            drafting.known.remember(message.id, record)
        batch.written.append(record)
        batch.messages += 1
        return True

    def _is_usual(self, message: Message, route: Route) -> bool:
        """Tell whether all that the log has already does not change what a message says."""
        known = self._drafting.known
        return not (
            route.lost
            or message.act in _THREADED
            or message.reply_to
            or (message.id and not (known.is_new(message.id) and is_id(message.id)))
            or (message.task and not self._drafting.history and known.giver(message.task, route.sender))
            or (self._mentions and "@" in message.body)
            or secrets.find(message.body)
            or (message.subject and secrets.find(message.subject))
            or (message.reasoning and secrets.find(message.reasoning))
        )

    def _written(self, message: Message, route: Route) -> _Between:
        """Write out what a message has in common with others between the same."""
        place, sender = self._place, quoted(route.sender)
        self._batch.to.update(route.to)
        marks = f',"mark":{quoted(place.mark)}' if place.mark else ""
        marks += ',"onward":1' * route.onward + ',"history":1' * self._drafting.history
        try:
            canonical = [address(each) for each in route.to] == route.to
        except Refusal:
            canonical = False
        return _Between(
            route,
            f'"event_type":"mail.sent","timestamp":"{self._drafting.now}","actor":{sender},'
            f'"auth":"{message.auth}","src":{{"mount":{quoted(place.mount)},"file":{quoted(place.file)},'
            f'"gen":{place.gen},"off":',
            f'{marks}}},"data":{{"message_id":"',
            f'","from":{sender},"to":{dumps(route.to)}',
            canonical,
        )


def _is_sound(message: Message) -> bool:
    """Tell whether nothing is wrong with what most messages do not have."""
    try:
        judge(message, allow_secret=True, allow_empty=True)
    except Refusal:
        return False
    return True


def _said(message: Message) -> str:
    """Return what a message says, as `Message.fields` and the time have it."""
    text = "" if message.act == "inform" else f',"act":"{message.act}"'
    if message.subject:
        text += f',"subject":{quoted(message.subject)}'
    text += f',"body":{quoted(message.body)}'
    if message.priority != "normal":
        text += f',"priority":"{message.priority}"'
    for name, value in (("reasoning", message.reasoning), ("task", message.task), ("run", message.run)):
        if value:
            text += f',"{name}":{quoted(value)}'
    for name, more in (("files", message.files), ("artifacts", message.artifacts), ("meta", message.meta)):
        if more:
            text += f',"{name}":{dumps(more)}'
    if message.tag:
        text += f',"tag":{quoted(message.tag)}'
    return f'{text},"at":{quoted(message.at)}' if message.at else text
