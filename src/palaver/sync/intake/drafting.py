"""Pieces of a foreign file into events: a message, a record, or bytes for the quarantine.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Iterable

from palaver.bus.mail.message_check import check
from palaver.log.stamp import many_letters, new_id, now
from palaver.model.dialect import Kind, Piece
from palaver.model.errors import Refusal
from palaver.model.event import Draft, Event
from palaver.model.limits import FINDINGS, RECIPIENTS, SUBJECT_CHARS
from palaver.model.message import Message
from palaver.model.names import BUS, is_id
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.masking import masked
from palaver.sync.intake.repeating import says_again
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.names import Names
from palaver.sync.wishes import Wish, Wishes
from palaver.views.agents.roster import Roster

# Ids that are drawn at once.
_DRAWN = 256


class Drafting:
    """Makes events of the pieces of one file."""

    __slots__ = (
        *("_batch", "_drawn", "_mounted", "_noted", "_place", "_roster", "history", "known", "names", "now"),
    )

    def __init__(self, mounted: MountPoint, place: Place, roster: Roster, known: Known, batch: Batch) -> None:
        """Take where the pieces stand, who there is, what is known, and where the events go."""
        self._mounted = mounted
        self._place = place
        self._roster = roster
        self.known = known
        self._batch = batch
        self.names = Names(mounted, roster, place.file)
        self._drawn: list[str] = []
        self._noted = 0
        self.now = now()
        # Whether this was said before anybody listened: then nobody is told that it reached nobody.
        self.history = False

    def welcome(self, pieces: Iterable[Piece]) -> None:
        """Let the log know everyone who speaks in the pieces: an agent lives where it writes."""
        fresh: dict[str, None] = {}
        for piece in pieces:
            for value in piece.values:
                if type(value) is Message:
                    fresh[value.sender] = None
        for written in fresh:
            try:
                self.resident(self.names.speaker(written))
            except Refusal:
                continue

    def resident(self, agent: str) -> None:
        """Let an agent live in this mount, if it does not yet."""
        known = self._roster.agents.get(agent)
        if known is not None and self._mounted.name in known.homes:
            return
        fresh = draft("agent.registered", {"agent": agent, "mount": self._mounted.name})
        self._batch.drafts.append(fresh)
        self._roster.registered(Event({"data": fresh.data, "timestamp": fresh.timestamp}))
        self.names.forget()

    def repeats(self, piece: Piece) -> bool:
        """Tell whether the log has all that a piece says: its ids are known, and say the same."""
        messages = [value for value in piece.values if type(value) is Message]
        for message in messages:
            known = self.known.message(message.id) if message.id else None
            if known is None or not says_again(message, known):
                return False
        return bool(messages)

    def mark(self, piece: Piece) -> None:
        """Let the log know what a line that it has says anew: that it was read."""
        for value in piece.values:
            if type(value).__name__ == "ReadMark":
                mark = {name: getattr(value, name) for name in ("message_id", "reader", "read_at")}
                message_id, reader = str(mark["message_id"]), self._reader(str(mark["reader"]))
                if not self.known.has_read(message_id, reader):
                    key = f"read:{message_id}:{reader}"
                    self._batch.drafts += self._mark(mark, {}, key)[:1]

    def _reader(self, written: str) -> str:
        """Return the agent who has read something, as the bus knows him."""
        try:
            return self.names.speaker(written)
        except Refusal:
            return written

    def take(self, piece: Piece, content: bytes, sha: str) -> str:
        """Make events of a piece; return why it cannot be done, or nothing."""
        assert piece.kind is Kind.EVENT
        last = len(piece.values) - 1
        made: list[Draft] = []
        messages: list[Message] = []
        named: list[bool] = []
        for place, value in enumerate(piece.values):
            # Only the last one moves the place to read on from: a crash before it repeats the others.
            length = piece.length if place == last else 0
            key = self._key(piece, place) if last else ""
            src = self._place.src(piece.start, length, sha)
            if type(value) is not Message:
                made += self._record(value, src, key)
                continue
            named.append(bool(value.id))
            try:
                made += self._mail(value, src, key, content)
            except Refusal as refused:
                return refused.code
            messages.append(value)
        for message, is_named in zip(messages, named, strict=True):
            if is_named or message.act == "ask":
                # Nobody can speak yet of one that has just got its id.
                self.known.add(message)
            self._batch.to.update(message.to)
        self._batch.messages += len(messages)
        self._batch.drafts += made
        return ""

    def _key(self, piece: Piece, place: int) -> str:
        return f"{self._place.mount}:{self._place.file}:{self._place.gen}:{piece.start}:{place}"

    def _record(self, value: object, src: dict[str, object], key: str) -> list[Draft]:
        """Return what a line says that is no message: a work order, an assignment, a mark of reading."""
        kind = type(value).__name__
        plain = {name: getattr(value, name) for name in getattr(value, "__slots__", ())}
        if kind == "ReadMark":
            return self._mark(plain, src, key)
        if kind == "WorkOrder":
            return self._ordered(value, _plain(plain), src)
        data: dict[str, object] = {"kind": kind, "value": _plain(plain)}
        return [draft("file.recorded", data, src, key=key)]

    def _ordered(self, value: object, plain: object, src: dict[str, object]) -> list[Draft]:
        """Return a work order, and what it says that the board does not know."""
        from palaver.dialects.vermas.values import WorkOrder
        from palaver.sync.orders import wished

        assert isinstance(value, WorkOrder)
        recorded = draft("file.recorded", {"kind": "WorkOrder", "value": plain}, src)
        try:
            wish = wished(value, self.names)
        except Refusal as refused:
            words = refused.why or refused.what
            odd = [self.found("order", words, value.render(), "mend the line")] if self.may_note() else []
            return [*odd, recorded]
        return [*self.wish(wish, src, value.render()), recorded]

    def wish(self, wish: Wish, src: dict[str, object], content: bytes) -> list[Draft]:
        """Return what somebody says of a task that the board does not know; who is named there lives here."""
        for agent in (wish.assignee, wish.fields.get("owner")):
            if agent:
                self.resident(str(agent))
        key = f"order:{':'.join(map(str, src.values()))}"
        said = Wishes(self.known, self._roster, history=self.history).said(wish, src, key)
        noted = [words for words in said.odd if self.may_note()]
        odd = [self.found("order", words, content, "look at the board") for words in noted]
        return [*said.drafts, *odd]

    def _mark(self, mark: dict[str, object], src: dict[str, object], key: str) -> list[Draft]:
        reader = self._reader(str(mark["reader"]))
        data: dict[str, object] = {
            "message_ids": [mark["message_id"]],
            "reader": reader,
            "read_at": mark["read_at"],
        }
        read = draft("mail.read", data, None, actor=reader, auth="claimed", key=key)
        return [read, draft("file.recorded", {"kind": "ReadMark"}, src)]

    def _mail(self, message: Message, src: dict[str, object], key: str, content: bytes) -> list[Draft]:
        route = self.names.settle(message)
        taken = self._identified(message)
        secret = masked(message)
        named = message.task
        caused_by = self._threaded(message) if message.reply_to or message.act == "answer" else ""
        if named and self._address_giver(message):
            route = self.names.judged(message)
        if not is_plain(message):
            # The dialect has judged what needs words: an office's DELIVERY says all with its fields.
            check(message, allow_secret=True, allow_empty=True)
        message.undeliverable = route.lost
        told = [self._sent(message, src, key, caused_by, onward=route.onward)]
        message.thread = message.thread or message.id
        if taken and self.may_note():
            said = f"another message has the id {taken}, and says something else; this one has got a new id"
            told.append(self.found("id-twice", said, content, "give every message an id of its own"))
        if secret and self.may_note():
            told.append(self.found("secret", f"it held a secret ({secret}); the log has it masked", content))
        if message.undeliverable and self.bounces and self.may_note():
            told += self._bounce(message)
        return told

    def _sent(
        self, message: Message, src: dict[str, object], key: str, caused_by: str, *, onward: bool
    ) -> Draft:
        if onward:
            src["onward"] = 1
        if self.history:
            src["history"] = 1
        fields = message.fields()
        if message.at:
            fields["at"] = message.at
        return Draft(
            "mail.sent",
            actor=message.sender,
            data=fields,
            event_id=message.event_id,
            timestamp=self.now,
            auth=message.auth,
            key=key,
            src=src,
            correlation_id=message.thread,
            caused_by=caused_by,
        )

    def _identified(self, message: Message) -> str:
        """Give a message an id; return the one that it had, if that is another message's.

        Two teams may count their messages alike, and ids that are made of the second meet: who wrote such a
        line meant it to be read.
        """
        drawn = self.draw()
        message.event_id = f"evt-{drawn}"
        written = message.id
        known = self.known.message(written) if written and is_id(written) else None
        is_taken = known is not None and not says_again(message, known)
        if written and (is_taken or not is_id(written)):
            message.meta = {**message.meta, "id": written}
            message.id = ""
        message.id = message.id or f"msg-{drawn}"
        return written if is_taken else ""

    def draw(self) -> str:
        """Return the letters of a new id."""
        if not self._drawn:
            self._drawn = many_letters(_DRAWN)
        return self._drawn.pop()

    def _threaded(self, message: Message) -> str:
        """Join a message to the one that it answers; return the event that caused it."""
        if message.act == "answer" and not message.reply_to:
            message.reply_to = self.known.asked(message, self.names.agents(message.to))
            if message.reply_to:
                message.meta = {**message.meta, "assumed": "reply_to"}
        if not message.reply_to:
            return ""
        parent = self.known.message(message.reply_to) or self.known.shown_as(message.reply_to)
        if parent is None:
            return ""
        message.reply_to, message.thread = parent.id, parent.thread
        message.hops = parent.hops + 1
        if message.act == "answer":
            # It is about what the question was about, whether it says so or not.
            message.task = message.task or parent.task
        here = f"@{self._mounted.name}"
        if message.to == [here] and parent.sender != message.sender:
            # It names nobody but the message: then whoever sent that is meant too.
            message.to = [here, parent.sender]
        return parent.event_id

    def _address_giver(self, message: Message) -> bool:
        """Let what names nobody but a task reach whoever gave its sender that task, wherever he lives."""
        giver = "" if self.history else self.known.giver(message.task, message.sender)
        if not giver or not self.names.names_nobody(message):
            return False
        to_all = message.to[0].startswith("@")
        if giver in (message.sender, *message.to) or (to_all and self.names.lives_here(giver)):
            return False
        if not self.names.agents([giver]):
            # Who gave the task has left; that is no fault of the one who did it.
            return False
        message.to = [*message.to, giver]
        return True

    @property
    def bounces(self) -> bool:
        """Tell whether a sender hears that a name meant nobody."""
        return not self.history and self._mounted.dialect.bounces and self._noted < FINDINGS

    def may_note(self) -> bool:
        """Return True if one more finding or notice may be made of these pieces, and count it.

        Without a limit, a program that writes a million odd lines gets a million answers.
        """
        self._noted += 1
        return self._noted <= FINDINGS

    def _bounce(self, message: Message) -> list[Draft]:
        """Tell the sender that a name meant nobody."""
        lost = [each for each in message.to if self._roster.meaning(each).kind == "none"]
        close = self._roster.nearest(lost[0])
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        notice = Message(
            sender=BUS,
            to=[message.sender],
            body=f"Your message reached nobody under {', '.join(lost)}: no such agent{hint}",
            id=new_id("msg"),
            reply_to=message.id,
        )
        data = notice.fields()
        return [
            draft(
                "mail.sent",
                data,
                correlation_id=message.thread,
                caused_by=message.event_id,
                key=f"{message.event_id}:undeliverable:0",
            )
        ]

    def found(self, code: str, said: str, content: bytes, fix: str = "take it out", line: int = 0) -> Draft:
        """Return the event of something odd about a line that was kept."""
        self._batch.findings += 1
        data: dict[str, object] = {
            "code": code,
            "message": said,
            "fix": fix,
            "line": line,
            "src": {"mount": self._place.mount, "file": self._place.file, "sha": hashed(content)},
        }
        return draft("file.found", data)


def is_plain(message: Message) -> bool:
    """Tell whether a message has nothing that a parser has not checked already."""
    return (
        bool(message.body.strip())
        and len(message.subject) <= SUBJECT_CHARS
        and len(message.to) <= RECIPIENTS
        and not (message.meta or message.files or message.artifacts)
    )


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float | bool | list | None) else str(value)
