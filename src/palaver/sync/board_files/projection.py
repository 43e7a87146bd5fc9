"""Projection: the files that show the board are written again wherever they differ from it.

Nothing is replaced that is not in the log yet. The log gets the hash of the new content first, so that the
next pass recognises it as ours: of the whole file, or of each line of a file that others append to.
"""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from palaver.bus.session import Session
from palaver.dialects import has_assignments
from palaver.model.board_files import Board, BoardFile, BoardTask, Timeline
from palaver.model.limits import FOREIGN_BYTES, LINE_BYTES
from palaver.model.mounted_files import Growth
from palaver.sync import foreign_file
from palaver.sync.folded_file import FoldedFile, open_folded
from palaver.sync.foreign_file import Unfit, end_line, open_to_append
from palaver.sync.intake.file_events import draft, hashed
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render import replacement
from palaver.sync.render.announcement import announce, announce_lines
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import known_files, outstanding
from palaver.views.query import Query
from palaver.views.tasks import assignments, board
from palaver.views.tasks.event_effects import board_move

# How much of the end of a timeline is searched for lines that were appended already.
_TAIL_BYTES = 1 << 18
# What the files of a board are made from. Every change of a task is a move, except signs of life, which are
# not shown.
_SOURCES = (
    "select max(seq) from task_move",
    "select * from assignment",
    "select id, name, handle, role, retired, homes from agent",
    "select * from setting",
)


def board_state(db: Query) -> int:
    """Return a number that stays the same as long as nothing changes that board files show."""
    return hash(tuple(tuple(db.execute(each)) for each in _SOURCES))


def project(session: Session, mounted: MountPoint, report: Report) -> bool:
    """Write the files of a mount that differ from the board; return False if the next pass must try again."""
    db = session.view
    shown = _board(db, mounted, db.roster())
    files = mounted.dialect.board_files
    projection = Projection(session, mounted, shown, known_files.sources(db, mounted.name), report)
    is_done = True
    try:
        for codec in files.codecs:
            is_done = projection.write_files(codec) and is_done
        if files.timeline is not None:
            moves = board.since(db, outstanding.shown(db, mounted.name))
            is_done = projection.append_moves(files.timeline, moves) and is_done
    except OSError as fault:
        report.trouble(mounted.name, "", fault)
        return False
    return is_done


def _board(db: Query, mounted: MountPoint, roster: Roster) -> Board:
    changed = board.changed(db)
    names = MountNames(mounted, roster)
    assigned: dict[str, str] = {}
    for each in assignments.assignments(db):
        if _looks_here(roster, mounted, each.agent):
            assigned.setdefault(names.shown(each.agent), each.line)
    cards = sorted(board.cards(db), key=lambda card: (card.task.opened, card.task.id))
    return Board(
        mount=mounted.mount,
        names=names,
        tasks={
            card.task.id: BoardTask(
                task=card.task,
                needs=tuple(card.needs),
                waits_for=tuple(card.waits_for),
                changed=changed.get(card.task.id, ""),
            )
            for card in cards
        },
        assignments=assigned,
        moves=lambda task: [board_move(each) for each in board.tried(db, task)],
    )


def _looks_here(roster: Roster, mounted: MountPoint, agent: str) -> bool:
    """Return True if an agent looks for its assignment in this mount, not in another one where it lives."""
    known = roster.agents.get(agent)
    homes = known.homes if known is not None else ()
    places = [home for home in homes if has_assignments(roster.mounts.get(home, {}))]
    return not places or mounted.name in places


@dataclass(frozen=True, slots=True)
class Projection:
    """Writes the board to the files of one mount."""

    session: Session
    mounted: MountPoint
    shown: Board
    known: dict[str, known_files.KnownFile]
    report: Report

    def write_files(self, codec: BoardFile) -> bool:
        """Write the files of a codec that differ from the board; return True if all of them show it then."""
        if self.mounted.barred(codec.watched.folder):
            return False
        is_done = True
        for file in self._files(codec):
            is_done = self._write(codec, file) and is_done
        return is_done

    def _write(self, codec: BoardFile, file: str) -> bool:
        most = FOREIGN_BYTES if codec.watched.growth is Growth.LOG else LINE_BYTES
        with ExitStack() as stack:
            try:
                current = stack.enter_context(open_folded(self.mounted.full(file), most))
            except FileNotFoundError:
                current = None
            except Unfit:
                # The pass has reported it.
                return False
            is_ready = current is None or self._is_in_log(codec, file, current)
            return is_ready and self._put_right(codec, file, current)

    def _put_right(self, codec: BoardFile, file: str, current: FoldedFile | None) -> bool:
        content = current.content if current else b""
        fresh = codec.write(file, content, self.shown)
        if fresh == content and (current or not codec.is_always_there):
            return True
        grows, root = codec.watched.growth is Growth.LOG, self.session.root
        if current:
            try:
                replacement.check_owner(current)
            except Unfit as unfit:
                # The next change of the board tries it again.
                self.report.trouble(self.mounted.name, file, unfit)
                return True
        self._announce(file, fresh, grows=grows)
        if current:
            is_done = replacement.replace(root, self.mounted, file, current, fresh, grows=grows)
        else:
            is_done = replacement.create(root, self.mounted, file, fresh)
        self.report.written += is_done
        return is_done

    def _files(self, codec: BoardFile) -> Iterable[str]:
        """Return the files that the board needs, and the small ones that exist."""
        wanted = codec.files(self.shown)
        if codec.watched.growth is Growth.LOG:
            if codec.is_always_there:
                self._make_folder(codec)
            return wanted
        of_codec = self.mounted.dialect.board_files.codec
        there = [each for each in self.known if of_codec(each) is codec and self._exists(each)]
        files = dict.fromkeys([*wanted, *there])
        if files:
            self._make_folder(codec)
        return files

    def _make_folder(self, codec: BoardFile) -> None:
        if codec.watched.folder:
            mode = os.stat(self.mounted.path).st_mode & 0o777
            os.makedirs(self.mounted.full(codec.watched.folder), mode=mode, exist_ok=True)

    def _exists(self, file: str) -> bool:
        return os.path.lexists(self.mounted.full(file))

    def _is_in_log(self, codec: BoardFile, file: str, current: FoldedFile) -> bool:
        """Return True if the log has the whole file; else it must be left alone for now."""
        grows = codec.watched.growth is Growth.LOG
        is_in_log = self._has_lines(file, current) if grows else self._has_content(file, current.content)
        if current.fingerprint.size == current.found.st_size and is_in_log:
            return True
        self.report.unsettled = True
        if grows and foreign_file.is_quiet(current.found) and not current.content.endswith(b"\n"):
            end_line(self.mounted.full(file))
        return False

    def _has_content(self, file: str, content: bytes) -> bool:
        """Return True if the log has the content of a small file."""
        source = self.known.get(file)
        return source is not None and source.gen > 0 and source.sha == hashed(content)

    def _has_lines(self, file: str, current: FoldedFile) -> bool:
        """Return True if the log has every line of a file."""
        content, source = current.content, self.known.get(file)
        if source is None:
            return not content.strip()
        held = known_files.remembered(self.session.view, source.number)
        lines = [line for line in current.lines() if line.strip()]
        return content[-1:] in (b"", b"\n") and all(held.get(hashed(line), (0, 0))[0] for line in lines)

    def _announce(self, file: str, content: bytes, *, grows: bool) -> None:
        """Append the hashes of what is about to be written to the log."""
        name = self.mounted.name
        if grows:
            shas = [hashed(line) for line in content.splitlines()]
            announce_lines(self.session, self.report, name, file, shas)
        else:
            announce(self.session, self.report, name, file, {"sha": hashed(content)})

    def append_moves(self, timeline: Timeline, moves: list[board.MoveAttempt]) -> bool:
        """Append the moves that a timeline does not have to the file; return False if that must wait."""
        if not moves:
            return True
        self.session.log.sync()
        try:
            fd, found = open_to_append(self.mounted.full(timeline.file))
        except Unfit as unfit:
            self.report.trouble(self.mounted.name, timeline.file, unfit)
            return False
        try:
            tail = os.pread(fd, _TAIL_BYTES, max(0, found.st_size - _TAIL_BYTES))
            is_torn = bool(tail) and not tail.endswith(b"\n")
            if is_torn and not foreign_file.is_quiet(found):
                self.report.unsettled = True
                return False
            present = set(tail.splitlines(keepends=True))
            lines = [timeline.line(board_move(each), self.shown) for each in moves]
            fresh = b"".join(line for line in lines if line not in present)
            if fresh:
                os.write(fd, (b"\n" if is_torn else b"") + fresh)
                os.fsync(fd)
                self.report.written += 1
        finally:
            os.close(fd)
        data: dict[str, object] = {"mount": self.mounted.name, "file": timeline.file, "messages": []}
        self.session.log.append([draft("file.echoed", {**data, "through": moves[-1].seq})])
        self.report.events += 1
        return True
