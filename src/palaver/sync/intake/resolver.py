"""What an entry means for the bus: names, ids and threads are resolved, and events are derived.

Nothing is written here, and no file is read: values of a dialect in, drafts of events out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from palaver.bus.mail.message_check import check
from palaver.log.clock import letters, now
from palaver.model.board_files import TaskEdit
from palaver.model.errors import Refusal
from palaver.model.event import Draft, Event, original_file, text
from palaver.model.message import Message, mask_message
from palaver.model.mounted_files import ReadMark, Record, content_id
from palaver.model.names import check_task, is_id
from palaver.model.secrets import find as find_secret
from palaver.model.secrets import mask_value, masked
from palaver.model.waits import ANSWERS, is_answer
from palaver.sync.board_files.edit_events import EditEvents, resolve_names
from palaver.sync.intake import file_events
from palaver.sync.intake.file_events import (
    BlockFindings,
    FilePlace,
    LineNote,
    draft,
    hashed,
    mention_note,
    secret_note,
)
from palaver.sync.intake.known_messages import Known, ReadLines, is_small, says_again
from palaver.sync.intake.task_owner import with_task
from palaver.sync.mount_names import MountNames, Route
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster


class Resolver:
    """Makes events of the entries of one mount, in one pass."""

    def __init__(self, mounted: MountPoint, roster: Roster, known: Known, lines: ReadLines) -> None:
        """Take the mount, the roster, what the log has already, and the lines that were read before."""
        self._mounted = mounted
        self._roster = roster
        self.known = known
        self.lines = lines
        self.names = MountNames(mounted, roster)
        self.findings = BlockFindings()
        self._now = now()

    # --- agents ---

    def begin_block(self, entries: Sequence[Sequence[Message]]) -> list[Draft]:
        """Begin a block, given the messages of each new entry; return the registrations of their senders.

        An agent is at home where it writes. But only the sender of something new lives here: what the log has
        already may be ours. Findings are counted from 0, and all events of a block have one time.
        """
        self.findings = BlockFindings()
        self._now = now()
        self.known.look_up(chain.from_iterable(entries))
        senders: dict[str, None] = {}
        for messages in entries:
            if not self.is_repeated(messages):
                for message in messages:
                    senders[message.sender] = None
        registered: list[Draft] = []
        for written in senders:
            try:
                registered += self.register(self.names.speaker(written))
            except Refusal:
                continue
        return registered

    def register(self, agent: str) -> list[Draft]:
        """Make an agent a resident of this mount, if it is none yet, and those that come with it."""
        known = self._roster.agents.get(agent)
        team, settings = self._mounted.dialect.conventions, self._roster.mounts.get(self._mounted.name, {})
        role = team.lead_role if agent == team.lead(settings) else ""
        if known is not None and self._mounted.name in known.homes and (known.role or not role):
            return []
        data: dict[str, object] = {"agent": agent, "mount": self._mounted.name}
        fresh = draft("agent.registered", data | ({"role": role} if role else {}))
        self._roster.registered(Event({"data": fresh.data, "timestamp": fresh.timestamp}))
        self.names.forget()
        prefix = f"{self._mounted.prefix}/" if self._mounted.prefix else ""
        with_it = (prefix + each for each in self._mounted.dialect.colleagues(agent.removeprefix(prefix)))
        roster = self._roster
        missing = [
            each for each in with_it if each not in roster.agents and roster.meaning(each).kind == "none"
        ]
        return [fresh, *chain.from_iterable(map(self.register, missing))]

    # --- entries ---

    def is_repeated(self, messages: Sequence[Message]) -> bool:
        """Return True if the log has all of these messages: their ids are known, and say the same."""
        return bool(messages) and all(message.id and self.known.same(message) for message in messages)

    def resolve(
        self, place: FilePlace, values: Sequence[object], offset: int, raw: bytes
    ) -> tuple[list[Draft], list[Message]]:
        """Return the events of bytes, and the messages among them; raise a refusal if that cannot be."""
        last = len(values) - 1
        drafts: list[Draft] = []
        messages: list[Message] = []
        sha = hashed(raw)
        again = self.lines.again(place, sha, offset, values)
        if again and file_events.effective(values):
            return [self.copied(place, values, offset, raw)], []
        for nth, value in enumerate(values):
            # Only the last one moves the place to read on from: a crash before it repeats the others.
            src = place.src(offset, len(raw) if nth == last else 0, sha) | again
            key = f"{place.mount}:{place.file}:{place.gen}:{offset}:{nth}" if last else ""
            if type(value) is Message:
                said = file_events.said_by(value)
                is_copy = said and self.lines.is_copy(place, said, offset)
                # A line that has one message was compared as a whole.
                if is_copy or (last and self.known.is_said_elsewhere(value, place, offset)):
                    drafts.append(self._copy(place, value, src, raw))
                    continue
                if said:
                    src |= {"says": said}
                    self.lines.add(place, said)
                message, sent = self._mail(value, place, src, key, raw)
                messages.append(message)
                drafts.append(sent)
            else:
                drafts += self._record(value, place, src, key, raw)
        for message in messages:
            # No line can refer to a message by an id that was drawn just now; an answer may lack the id.
            if message.act == "ask" or message.reply_to or message.event_id[4:] != message.id[4:]:
                self.known.add(message)
        self.lines.add(place, sha)
        return drafts, messages

    # --- records that are no messages ---

    def new_read_marks(self, values: Sequence[object]) -> list[Draft]:
        """Return the read marks of a line that are new, if the log has the rest of the line."""
        drafts: list[Draft] = []
        for value in values:
            if isinstance(value, ReadMark):
                reader = self._reader(value.reader)
                if not self.known.has_read(value.message_id, reader):
                    drafts += self._mark(value, {}, f"read:{value.message_id}:{reader}")[:1]
        return drafts

    def _reader(self, written: str) -> str:
        """Return the agent that has read something, as the bus knows it."""
        try:
            return self.names.speaker(written)
        except Refusal:
            return written

    def _record(
        self, value: object, place: FilePlace, src: dict[str, object], key: str, content: bytes
    ) -> list[Draft]:
        """Return the events of a value that is not a message: a read mark, or a line that shows the board."""
        if isinstance(value, ReadMark):
            return self._mark(value, src, key)
        assert isinstance(value, Record), value
        plain, families = mask_value(file_events.plain_value(value.plain()))
        data: dict[str, object] = {"kind": value.kind, "value": plain}
        file = original_file(place.file)
        codec = self._mounted.dialect.board_files.codec(file)
        edits = codec.read(file, content, self._mounted.mount) if codec else ()
        recorded = draft("file.recorded", data, src, key=key)
        drafts: list[Draft] = []
        if families:
            self.findings.attach(recorded, [secret_note(families).by(self.caretaker)], content)
        for each in edits:
            if isinstance(each, TaskEdit):
                made, notes = self.edit(place, each, src)
                drafts += made
                self.findings.attach(recorded, notes, content)
        return [*drafts, recorded]

    def edit(
        self, place: FilePlace, edit: TaskEdit, src: dict[str, object]
    ) -> tuple[list[Draft], list[LineNote]]:
        """Return the events of an edit of a task, and what was found about it.

        Agents that it names become residents.
        """
        fields, families = mask_value(edit.fields)
        if families and isinstance(fields, dict):
            edit = replace(edit, fields=fields)
        try:
            edit = resolve_names(edit, self.names)
        except Refusal as refused:
            why = refused.why or refused.what
            return [], [LineNote(code="order", said=why, fix="mend the entry", author=self.caretaker)]
        if edit.is_only_for_new and self.known.card(edit.task) is not None:
            return [], []
        named = (str(agent) for agent in (edit.assignee, edit.fields.get("owner")) if agent)
        registered = [each for agent in named for each in self.register(agent)]
        made = EditEvents(
            known=self.known,
            roster=self._roster,
            statuses=self._mounted.dialect.statuses,
            src=src | {"len": 0},
            key=f"order:{':'.join(map(str, src.values()))}",
            history=place.history,
        )
        made.add(edit)
        notes = [
            LineNote(code="order", said=why, fix="look at the board", author=self.caretaker)
            for why in made.problems
        ]
        if families:
            notes.append(secret_note(families).by(edit.by or self.caretaker))
        return [*registered, *made.drafts], notes

    def _mark(self, mark: ReadMark, src: dict[str, object], key: str) -> list[Draft]:
        reader = self._reader(mark.reader)
        data: dict[str, object] = {
            "message_ids": [mark.message_id],
            "reader": reader,
            "read_at": mark.read_at,
        }
        read = draft("mail.read", data, None, actor=reader, auth="claimed", key=key)
        return [read, draft("file.recorded", {"kind": "ReadMark"}, src)]

    # --- messages ---

    def _mail(
        self, written: Message, place: FilePlace, src: dict[str, object], key: str, content: bytes
    ) -> tuple[Message, Draft]:
        """Return a message as the log will have it, and its event, with what was found about its line."""
        if written.task:
            check_task(written.task)
        route = self.names.route(written, place.file)
        message, taken_id = self._identify(written, route)
        message, families = mask_message(message)
        caused_by = ""
        may_answer = message.act in ANSWERS and "again" not in src
        if message.reply_to or (may_answer and self.known.is_asked(message.sender)):
            message, caused_by = self._thread(message)
        # Whether it is for the owner of a task depends on the line itself, not on what it replies to.
        if written.task and not place.history:
            message = with_task(message, self.known, self.names)
            route = self.names.reroute(message, place.file) if len(message.to) > len(route.to) else route
        if not is_small(message):
            # The parser has checked the rest, and whether a body is needed: a DELIVERY needs only fields.
            message = check(message, allow_secret=True, allow_empty=True)
        if route.is_lost:
            message = message.replace(undeliverable=True)
        src |= {"onward": 1} if route.is_onward else {}
        # An edit of a recorded line does nothing again.
        is_edit = taken_id != "" and place.is_rewritten(src)
        src |= {"again": 1} if is_edit else {}
        sent = self._sent(message, src, key, caused_by)
        if route.stranger or taken_id or families:
            notes = self._notes(message, route.stranger, taken_id, families, is_edit=is_edit)
            self.findings.attach(sent, notes, content)
        if message.undeliverable and (words := self._bounce(message, place, content)):
            sent.data["bounce"] = words
        return message, sent

    def _notes(
        self, message: Message, stranger: str, taken_id: str, families: list[str], *, is_edit: bool
    ) -> Iterator[LineNote]:
        """Yield the findings about a message."""
        if stranger:
            close = self.names.misspelt(stranger) or self._roster.nearest(stranger)
            is_for_all = message.to == [f"@{self._mounted.name}"]
            note = mention_note(stranger, [*map(self.names.shown, close)], is_for_all=is_for_all)
            yield note.about(message.id).by(message.sender)
        if taken_id:
            taken_id = masked(taken_id)
            said = f"another message has the id {taken_id} and a different text; this one was given a new id"
            way_out = "give every message an id of its own"
            if is_edit:
                said, way_out = (
                    f"the line of {taken_id} was edited, which moves no work",
                    "append another line",
                )
            note = LineNote(code="id-twice", said=said, fix=way_out, message_id=message.id)
            yield note.by(message.sender)
        if families:
            yield secret_note(families).about(message.id).by(message.sender)

    def _sent(self, message: Message, src: dict[str, object], key: str, caused_by: str) -> Draft:
        fields = message.fields()
        if message.at:
            fields["at"] = message.at
        return Draft(
            "mail.sent",
            actor=message.sender,
            data=fields,
            event_id=message.event_id,
            timestamp=self._now,
            auth=message.auth,
            key=key,
            src=src,
            correlation_id="" if message.thread == message.id else message.thread,
            caused_by=caused_by,
        )

    def _identify(self, written: Message, route: Route) -> tuple[Message, str]:
        """Return a message with its names and an id, and the id that it had, if that is another message's.

        Two teams may number their messages alike, and ids made from the second may collide: such a line is a
        message all the same.
        """
        drawn = letters()
        to, meta, message_id, taken_id = [*route.to], written.meta, written.id, ""
        if route.mentions:
            meta = {**meta, "mentions": [*route.mentions]}
        known = self.known.message(message_id) if message_id and is_id(message_id) else None
        if known is not None and not says_again(written.replace(to=to), known):
            taken_id = message_id
        if message_id and (taken_id or not is_id(message_id) or find_secret(message_id)):
            meta, message_id = {**meta, "id": message_id}, content_id(written)
        message_id = message_id or f"msg-{drawn}"
        message = written.replace(
            sender=route.sender,
            to=to,
            meta=meta,
            id=message_id,
            event_id=f"evt-{drawn}",
            thread=written.thread or message_id,
        )
        return message, taken_id

    def _thread(self, message: Message) -> tuple[Message, str]:
        """Return a message joined to the one that it replies to, and the event that caused it."""
        if is_answer(message.act, message.task) and not message.reply_to:
            asked = self.known.question(message, self.names.askers(message), self.names.reaches)
            if asked:
                message = message.replace(reply_to=asked, meta={**message.meta, "assumed": "reply_to"})
        if not message.reply_to:
            return message, ""
        parent = self.known.message(message.reply_to) or self.known.shown_as(message.reply_to)
        if parent is None:
            return message, ""
        here = f"@{self._mounted.name}"
        # If it names no recipient, it is for the sender of that message, too.
        is_open = message.to == [here] and parent.sender != message.sender
        # An answer has the task of its question, stated or not.
        task = message.task or (parent.task if message.act == "answer" else "")
        return message.replace(
            reply_to=parent.id,
            thread=parent.thread,
            hops=parent.hops + 1,
            task=task,
            run=message.run or parent.run,
            to=[here, parent.sender] if is_open else message.to,
        ), parent.event_id

    # --- notes about lines ---

    def copied(self, place: FilePlace, values: Sequence[object], offset: int, raw: bytes) -> Draft:
        """Return the event of a line that has no effect because it was read before, with what is wrong."""
        message, *_ = file_events.effective(values)
        return self._copy(place, message, place.src(offset, len(raw), hashed(raw)), raw)

    def _copy(self, place: FilePlace, message: Message, src: dict[str, object], raw: bytes) -> Draft:
        event = file_events.kept(src)
        if file_events.effective([message]):
            route = self.names.route(message, place.file)
            self.findings.attach(event, [file_events.copy_note(message, route.sender, route.to)], raw)
        return event

    def find_author(self, place: FilePlace, content: bytes) -> tuple[str, list[Draft]]:
        """Return the author of bytes that could not be read, and its registration; or else who leads."""
        mounted = self._mounted
        file = original_file(place.file)
        return self.known_author(mounted.dialect.corrections.author(content, mounted.mount, file))

    def known_author(self, written: str) -> tuple[str, list[Draft]]:
        """Return the agent that an author's name means, and its registration; without a name, who leads."""
        try:
            author = self.names.speaker(written) if written else ""
        except Refusal:
            author = ""
        author = author or self.caretaker
        is_person = author == text(self._roster.config, "person").lower()
        known = self._roster.agents.get(author)
        # Bytes that nobody can read move no agent from its home to this mount: they may be torn mail of ours.
        is_at_home = is_person or (known is not None and known.homes != [])
        return author, [] if is_at_home or not author else self.register(author)

    @property
    def caretaker(self) -> str:
        """Return the agent that is told of lines without a known author."""
        return Policy(self._roster).caretaker(self._mounted.name)

    def _bounce(self, message: Message, place: FilePlace, content: bytes) -> str:
        """Return what a sender is told of an address that no agent has, with the line to write instead."""
        if place.history or not self._mounted.dialect.bounces or not self.findings.has_room():
            return ""
        # Most messages reach their recipients, and never need it.
        from palaver.sync.intake.bounce_notice import BounceNotice

        bounce = BounceNotice(self._mounted, self.names, self._roster)
        return masked(bounce.words(message, original_file(place.file), content))
