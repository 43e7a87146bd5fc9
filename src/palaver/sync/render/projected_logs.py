"""Logs of a mount that show what the log of the bus has: mail, and all events.

Agents append to them too, and such lines stay where they are. A line of ours that was deleted or edited comes
back, in the order of the log; a message has one line for each recipient, an id of its own, and says whether
it was read and could be delivered. A record that occurs twice has one line, with the fields of both. The file
is replaced as a whole: see `replacement.py`.
"""

import os
from bisect import bisect_right
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from palaver.bus.session import Session
from palaver.model.board_files import EventFile, MailFile, MailLine
from palaver.model.errors import Refusal
from palaver.model.event import Event, flag, text
from palaver.model.limits import DAEMON_PAGE, LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Source
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.sync import foreign_file
from palaver.sync.folded_file import FoldedFile, open_folded
from palaver.sync.foreign_file import Unfit, end_line
from palaver.sync.intake.file_events import hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import replacement
from palaver.sync.render.announcement import announce, announce_lines
from palaver.sync.render.debts import local_message
from palaver.sync.report import Report
from palaver.views.files import known_files, outstanding, projected_logs
from palaver.views.mail import inbox, intake_queries
from palaver.views.tasks.event_effects import effects_of

#: A line of a file, and the event that it shows; 0 for a line that shows none.
Shown = tuple[int, bytes]
#: Loads what the log has; what it returns puts lines right.
Loader = Callable[[], Callable[[list[bytes]], list[bytes]]]


def project_logs(session: Session, mounted: MountPoint, report: Report) -> None:
    """Put right the logs of a mount that may differ from the log of the bus; create missing ones."""
    dialect = mounted.dialect
    if dialect.mail_file is not None:
        mail = dialect.mail_file
        LogProjection(session, mounted, report, mail.file).put_right(
            lambda: MailLines(session, mounted, mail).right
        )
    if dialect.event_file is not None:
        events = dialect.event_file
        LogProjection(session, mounted, report, events.file).put_right(
            lambda: EventLines(session, mounted, events).right
        )


@dataclass(frozen=True, slots=True)
class LogProjection:
    """One log of a mount."""

    session: Session
    mounted: MountPoint
    report: Report
    file: str

    def put_right(self, load: Loader) -> None:
        """Write the file again if it differs from the log of the bus; create it if it is missing."""
        session, mounted, file = self.session, self.mounted, self.file
        path, through = mounted.full(file), session.view.seq
        is_there = os.path.lexists(path)
        if is_there and not projected_logs.is_stale(session.view, mounted.name, file):
            return
        if mounted.barred(os.path.dirname(file)):
            return
        try:
            if is_there:
                with open_folded(path) as current:
                    is_done = self._replace(current, load)
            else:
                is_done = self._create(load)
            if is_done:
                # Only now: a pass that dies before this leaves the file stale, and the next one goes on.
                announce(session, self.report, mounted.name, file, {"through": through})
            self.report.unsettled = self.report.unsettled or not is_done
        except (OSError, Unfit) as fault:
            self.report.trouble(mounted.name, file, fault)

    def _replace(self, current: FoldedFile, load: Loader) -> bool:
        """Return False if the file must be left alone for now."""
        found = recorded_lines(self.session, self.mounted, self.file, current)
        if found is None:
            return False
        old, tail = found
        replacement.check_owner(current)
        new = self._announced(old, load)
        if new == old:
            return True
        root = self.session.root
        is_done = replacement.replace(root, self.mounted, self.file, current, new + tail, grows=True)
        self.report.written += is_done
        return is_done

    def _create(self, load: Loader) -> bool:
        """Return False if the file was created by another program in the meantime."""
        content = self._announced(b"", load)
        folder = os.path.dirname(self.mounted.full(self.file))
        os.makedirs(folder, mode=os.stat(self.mounted.path).st_mode & 0o777, exist_ok=True)
        is_done = replacement.create(self.session.root, self.mounted, self.file, content)
        self.report.written += is_done
        return is_done

    def _announced(self, old: bytes, load: Loader) -> bytes:
        """Return the content as the log has it, once the log was told of its new lines.

        A file may be large, so its lines are gone from the memory when this returns.
        """
        lines = old.split(b"\n")[:-1]
        fresh = load()(lines)
        shas = (hashed(line) for line in fresh if line.strip())
        announce_lines(self.session, self.report, self.mounted.name, self.file, shas)
        return b"\n".join([*fresh, b""]) if fresh else b""


def recorded_lines(
    session: Session, mounted: MountPoint, file: str, current: FoldedFile
) -> tuple[bytes, bytes] | None:
    """Return the lines of a file that the log has, and the rest; None while the file must be left alone.

    Lines behind were appended since, or are our own and not confirmed yet: they stay as they are.
    """
    content, found = current.content, current.found
    source = known_files.sources(session.view, mounted.name).get(file)
    is_same = source is not None and source.mark == f"{found.st_dev}:{found.st_ino}"
    if source is None or not is_same or not source.ending <= current.fingerprint.size == found.st_size:
        return None
    if content and not content.endswith(b"\n"):
        # A program is in the middle of a line. But an abandoned line must not block the file for ever.
        if foreign_file.is_quiet(found):
            end_line(mounted.full(file))
        return None
    taken = content.rfind(b"\n", 0, current.position(source.ending)) + 1
    return content[:taken], content[taken:]


def merged(lines: Iterable[Shown], missing: list[Shown]) -> list[bytes]:
    """Return the lines with those that are missing, each before the first line of a later event."""
    found: list[bytes] = []
    left = sorted(missing, key=lambda shown: shown[0])
    for seq, line in lines:
        while left and left[0][0] < seq:
            found.append(left.pop(0)[1])
        found.append(line)
    return [*found, *(line for _, line in left)]


def with_additions(line: bytes, other: bytes) -> bytes:
    """Return a record with the fields that only another line of the same record has."""
    one, two = (loads_object(each.removeprefix(BOM_UTF8).strip()) for each in (line, other))
    both = _union(one, two)
    return line if both == one else dumps(both).encode()


def _union(one: dict[str, object], two: dict[str, object]) -> dict[str, object]:
    found = {**two, **one}
    for name in one.keys() & two.keys():
        first, second = one[name], two[name]
        if type(first) is dict and type(second) is dict:
            found[name] = _union(first, second)
    return {name: found[name] for name in (*one, *(each for each in two if each not in one))}


class MailLines:
    """What the log has of the lines of a mail file."""

    def __init__(self, session: Session, mounted: MountPoint, spec: MailFile) -> None:
        """Take the mount, and its file."""
        db, name = session.view, mounted.name
        self._session = session
        self._mounted = mounted
        self._spec = spec
        self._known = Known(session)
        self._shown = projected_logs.shown_mail(db, name)
        self._recipients = projected_logs.count_recipients(db, name)
        self._taken = projected_logs.taken_ids(db, name)
        self._lost = projected_logs.undelivered_mail(db, name)
        self._read = intake_queries.read_marks(db, list(self._shown))
        self._quarantined = projected_logs.quarantined_lines(db, name, spec.file)

    def right(self, lines: list[bytes]) -> list[bytes]:
        """Return the lines as the log has them, and those that are missing."""
        # By message and recipient; a line that is neither is known by its place.
        kept: dict[tuple[str, str], bytes] = {}
        for place, (line, message) in enumerate(zip(lines, self._messages(lines), strict=True)):
            is_read = message is not None and hashed(line) not in self._quarantined
            written = self._spec.read(line) if is_read else None
            message_id = self._id_of(message) if message and is_read else ""
            if written and message_id:
                key = (message_id, written.to)
                kept[key] = with_additions(kept[key], line) if key in kept else line
            elif message_id not in self._shown:
                kept["", str(place)] = line
            # Else it names several recipients, and each of them gets a line.
        found = [self._right_line(message_id, line) for (message_id, _), line in kept.items()]
        return merged(found, list(self._missing(set(kept))))

    def _right_line(self, message_id: str, line: bytes) -> Shown:
        written = self._spec.read(line) if message_id else None
        if written is None:
            return 0, line
        return self._shown.get(message_id, 0), self._corrected(line, written, message_id)

    def _missing(self, seen: set[tuple[str, str]]) -> Iterator[Shown]:
        """Yield the lines of messages that are not among these, by message and recipient."""
        counted = Counter(message_id for message_id, _ in seen)
        for message_id, recipients in self._recipients.items():
            if counted[message_id] < recipients:
                for seq, to, line in self._rendered(message_id):
                    if (message_id, to) not in seen:
                        yield seq, line

    def _messages(self, lines: list[bytes]) -> list[Message | None]:
        """Return the message of each line; None for one that cannot be read."""
        # No message is longer.
        lines = [line if len(line) <= LINE_BYTES else b"" for line in lines]
        content = b"".join(line + b"\n" for line in lines)
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        found: list[Message | None] = [None] * len(lines)
        source = Source(path=self._spec.file, content=content, mount=self._mounted.mount)
        for piece in self._mounted.dialect.parse(source).pieces:
            first, end = (
                bisect_right(starts, piece.start) - 1,
                bisect_right(starts, piece.start + piece.length - 1),
            )
            for value in piece.values:
                if type(value) is Message:
                    found[first:end] = [value] * (end - first)
        return found

    def _id_of(self, message: Message) -> str:
        """Return the id that the log has for the message of a line; empty if it has none."""
        if message.id in self._shown and message.id not in self._taken:
            return message.id
        known = self._known.same(message)
        return known.id if known else ""

    def _corrected(self, line: bytes, written: MailLine, message_id: str) -> bytes:
        changes: dict[str, object] = {}
        if written.id != message_id:
            changes["id"] = message_id
        names = {written.to, f"{self._mounted.prefix}/{written.to}"}
        times = filter(None, (self._read.get((message_id, name)) for name in names))
        if not written.is_read and (at := next(times, "")):
            changes["read_at"] = at
        seq = self._shown.get(message_id, 0)
        if not written.is_undeliverable and any((seq, name) in self._lost for name in names):
            changes["undeliverable"] = True
        return self._spec.correct(line, changes) if changes else line

    def _rendered(self, message_id: str) -> Iterator[tuple[int, str, bytes]]:
        """Yield the lines of a message: its event, the recipient, the line; a redacted one has none."""
        row = inbox.found(self._session.view, message_id)
        event = self._session.said(row) if row else None
        if event is None or flag(event.data, "redacted"):
            return
        mounted = self._mounted
        try:
            message = local_message(self._session, mounted, event)
            lines = mounted.dialect.render(message, mounted.mount, self._spec.file).split(b"\n")[:-1]
        except Refusal:
            # It cannot be said here, and never was.
            return
        for line in lines:
            written = self._spec.read(line)
            assert written is not None, "what we render we can read"
            yield event.seq, written.to, self._corrected(line, written, message_id)


class EventLines:
    """What the log has of the lines of an event file."""

    def __init__(self, session: Session, mounted: MountPoint, spec: EventFile) -> None:
        """Take the mount, and its file."""
        since, through = outstanding.shown_span(session.view, mounted.name)
        self._session = session
        self._spec = spec
        self._expected = {
            event_id_of(line): (event.seq, line)
            for event in self._events(since, through)
            for line in spec.render(event, effects_of(session.view, event)).split(b"\n")[:-1]
        }

    def _events(self, since: int, through: int) -> Iterator[Event]:
        while since < through and (page := self._session.log.read(since, DAEMON_PAGE)):
            since = page[-1].seq
            for event in page:
                if event.seq <= through and not event.event_type.startswith(self._spec.omitted):
                    yield event

    def right(self, lines: list[bytes]) -> list[bytes]:
        """Return the lines as the log has them, and those that are missing."""
        found: list[Shown] = []
        places: dict[str, int] = {}
        for line in lines:
            event_id = event_id_of(line)
            if event_id not in self._expected:
                found.append((0, line))
            else:
                seq, right = self._expected[event_id]
                place = places.setdefault(event_id, len(found))
                if place == len(found):
                    found.append((seq, right))
                found[place] = (seq, with_additions(found[place][1], line))
        return merged(found, [shown for event_id, shown in self._expected.items() if event_id not in places])


def event_id_of(line: bytes) -> str:
    """Return the id of the event that a line of an event file shows."""
    try:
        return text(loads_object(line.strip()), "event_id")
    except NotAnObject:
        return ""
