"""Where mounted files hold what should not be there: secrets, and messages whose text was redacted."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from palaver.bus.session import Session
from palaver.model import secrets
from palaver.model.board_files import EventFile
from palaver.model.errors import Refusal
from palaver.model.event import Event, text, texts
from palaver.model.limits import CHUNK_BYTES, SECRET_BYTES, TELLING_CHARS
from palaver.model.message import Message, from_event
from palaver.model.mounted_files import Growth, Kind, Piece, Provenance, Source
from palaver.model.names import BUS
from palaver.model.plain import dumps
from palaver.sync import replaced_files
from palaver.sync.foreign_file import Unfit, open_to_read, read_span
from palaver.sync.intake.file_events import hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.render.debts import local_message
from palaver.sync.render.projected_logs import event_id_of
from palaver.views.files import file_history, known_files
from palaver.views.tasks.event_effects import effects_of


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldText:
    """A line of a mounted file that holds such a text."""

    mount: str
    file: str
    line: int
    #: The family of a secret.
    family: str = ""

    def __str__(self) -> str:
        """Return the place, and what is there."""
        return f"{self.mount}/{self.file}:{self.line}" + (f" ({self.family})" if self.family else "")


def find_secrets(session: Session) -> Iterator[HeldText]:
    """Yield the lines of mounted files that hold a secret now."""
    for mounted, file, _ in _files(session):
        try:
            for line, family in _secrets(mounted.full(file)):
                yield HeldText(mount=mounted.name, file=file, line=line, family=family)
        except (OSError, Unfit):
            # A pass reports it.
            continue


def _secrets(path: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the family of each secret in a file, which is read in pieces."""
    fd, found = open_to_read(path)
    try:
        piece, offset, line = b"", 0, 1
        while offset < found.st_size and (block := os.pread(fd, CHUNK_BYTES, offset)):
            piece += block
            offset += len(block)
            end = len(piece)
            if offset < found.st_size:
                # What begins in the last part may go on in the next piece, and is looked for there.
                end = max(0, end - SECRET_BYTES)
                end = piece.rfind(b"\n", 0, end) + 1 or end
            shown, shown_end = piece.decode("utf-8", "replace"), len(piece[:end].decode("utf-8", "replace"))
            for family, start, _ in secrets.spans(shown):
                if start < shown_end:
                    yield line + shown.count("\n", 0, start), family
            line += piece.count(b"\n", 0, end)
            piece = piece[end:]
    finally:
        os.close(fd)


def _files(session: Session) -> Iterator[tuple[MountPoint, str, Growth]]:
    """Yield the files of all mounts."""
    for mounted in mount_points(session.root.path, session.view.current().roster().mounts):
        for file, growth in mounted.listing().files:
            yield mounted, file, growth


def places(session: Session, events: Sequence[Event], said: Sequence[str]) -> Iterator[HeldText]:
    """Yield the lines of files that say what events did, as they were, and others that hold these texts."""
    spoken = [MessageLines(session, event) for event in events]
    for mounted, file, growth in _files(session):
        try:
            content, _ = read_span(mounted.full(file))
        except (OSError, Unfit):
            # A pass reports it.
            continue
        starts = {start for each in spoken for start in each.starts(mounted, file, growth, content)}
        starts |= {place for form in _forms(said) if (place := content.find(form)) >= 0}
        for line in sorted({content.count(b"\n", 0, start) + 1 for start in starts}):
            yield HeldText(mount=mounted.name, file=file, line=line)


def replaced_with(session: Session, said: Sequence[str]) -> Iterator[str]:
    """Yield the replaced files that are still kept and hold one of these texts."""
    forms = _forms(said)
    for mounted in mount_points(session.root.path, session.view.current().roster().mounts):
        for old in replaced_files.entries(session.root, mounted.name, mounted.path):
            try:
                content, _ = read_span(old.path)
            except (OSError, Unfit):
                continue
            if any(form in content for form in forms):
                yield old.path


class MessageLines:
    """The entries of mounted files that say one event, whose text may be redacted by now."""

    def __init__(self, session: Session, event: Event) -> None:
        """Take the event, as it was when its text was known."""
        self._session = session
        self._event = event
        self._message = from_event(event)
        self._shas = {text(event.src or {}, "sha"), *texts(event.data, "shas")} - {""}

    def starts(self, mounted: MountPoint, file: str, growth: Growth, content: bytes) -> Iterator[int]:
        """Yield where the entries begin in a file that say it; a dropped file is one."""
        if growth is Growth.LOG:
            for piece in self.pieces(mounted, file, content):
                if not self._is_redacted(mounted, file, piece, content):
                    yield piece.start
        elif content.strip() and self._rendered(mounted, file) == content.strip():
            yield 0

    def _rendered(self, mounted: MountPoint, file: str) -> bytes:
        """Return what we write into a file to say it."""
        if self._event.event_type != "mail.sent":
            return b""
        try:
            message = local_message(self._session, mounted, self._event)
            rendered = mounted.dialect.render(message, mounted.mount, file)
        except Refusal:
            return b""
        return (mounted.dialect.for_reader(rendered) if message.sender == BUS else rendered).strip()

    def pieces(self, mounted: MountPoint, file: str, content: bytes) -> list[Piece]:
        """Return the entries of a file that say the message."""
        found = self._sources(mounted.name).get(file)
        number = found.number if found is not None else 0
        return [
            piece
            for piece in parsed(mounted, file, content)
            if piece.kind is not Kind.BLANK and self._says_it(piece, content, number)
        ]

    def redacted_form(self, mounted: MountPoint, file: str, piece: Piece, raw: bytes) -> bytes:
        """Return what is written in the place of an entry without its text; blanks around it stay."""
        body = raw.strip()
        start = raw.find(body)
        events = mounted.dialect.event_file
        if events is not None and events.file == file:
            form = self._event_line(events, body)
        else:
            messages = [value for value in piece.values if type(value) is Message]
            forms = [mounted.dialect.render(_without_text(each), mounted.mount, file) for each in messages]
            form = mounted.dialect.appending.separator.join(forms).strip()
        return raw[:start] + form + raw[start + len(body) :] if form else b""

    def _event_line(self, events: EventFile, line: bytes) -> bytes:
        """Return the line of an event file as the log has it now."""
        now = self._session.log.event(self._event.seq)
        lines = events.render(now, effects_of(self._session.view, now)).split(b"\n") if now else []
        return next((each for each in lines if event_id_of(each) == event_id_of(line)), b"")

    def _is_redacted(self, mounted: MountPoint, file: str, piece: Piece, content: bytes) -> bool:
        """Return True if an entry is what is written in the place of a redacted one."""
        raw = content[piece.start : piece.start + piece.length]
        return raw == self.redacted_form(mounted, file, piece, raw)

    def _says_it(self, piece: Piece, content: bytes, number: int) -> bool:
        raw = content[piece.start : piece.start + piece.length]
        sha = hashed(raw)
        if sha in self._shas and len(raw) >= TELLING_CHARS:
            return True
        if file_history.said_by(self._session.view, number, sha) == self._event.seq:
            return True
        if event_id_of(raw) == self._event.event_id:
            return True
        messages = [value for value in piece.values if type(value) is Message and value.id]
        return any(self._is_same_id(each.id) for each in messages)

    def _is_same_id(self, message_id: str) -> bool:
        known = self._known.message(message_id) or self._known.shown_as(message_id)
        return known is not None and known.id == self._message.id

    @cached_property
    def _known(self) -> Known:
        return Known(self._session)

    def _sources(self, mount: str) -> Mapping[str, known_files.KnownFile]:
        return known_files.sources(self._session.view, mount)


def parsed(mounted: MountPoint, file: str, content: bytes) -> Sequence[Piece]:
    """Return the entries of a file."""
    source = Source(path=file, content=content, mount=mounted.mount, provenance=Provenance.NONE)
    return mounted.dialect.parse(source).pieces


def _without_text(message: Message) -> Message:
    """Return a message as a redacted one is written: from whom and to whom it was, and no more."""
    return message.replace(body="(redacted)", subject="", reasoning="", files=[], artifacts=[], meta={})


def _forms(said: Sequence[str]) -> set[bytes]:
    """Return texts as files have them: as they are, and in JSON."""
    found: set[bytes] = set()
    for each in said:
        found |= {each.encode("utf-8", "replace"), dumps(each)[1:-1].encode("utf-8", "replace")}
    return found
