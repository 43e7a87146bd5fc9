"""Foreign files: how far each was read, and what it held before.

Every event that came from a file names its bytes (`src`), so the place to read on from is in the log and
cannot disagree with it. What a file held before it was rewritten is remembered by hash, so that a line
that was there already is not taken for a new one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import attrgetter
from typing import NamedTuple

from palaver.model.event import (
    REPLACED,
    ROTATED,
    Event,
    flag,
    number,
    original_file,
    source_of,
    table,
    text,
    texts,
)
from palaver.model.limits import ROTATIONS
from palaver.views.files.findings import findings_of
from palaver.views.fold import FOUND, Fold, Folds, on
from palaver.views.query import Query, marks, typed, whole

_TABLES = (
    """create table source (
        number integer primary key, mount text, file text, gen integer, mark text, ending integer,
        offset integer, length integer, sha text, events integer, quarantined integer, ours integer,
        found integer, seq integer, intent text, past integer, rewritten integer, former integer,
        unique (mount, file))""",
    """create table piece (
        source integer, sha text, now integer, before integer, held integer, seq integer,
        primary key (source, sha)) without rowid""",
    """create table span (
        source integer, offset integer, length integer, sha text,
        primary key (source, offset)) without rowid""",
    """create table dropped (
        mount text, words text, seq integer, primary key (mount, words, seq)) without rowid""",
    """create table read_line (
        mount text, line text, seq integer, primary key (mount, line)) without rowid""",
    """create table late_line (
        mount text, file text, offset integer, length integer, seq integer,
        primary key (mount, file, offset)) without rowid""",
)
# How many values one query has at most.
_VALUES = 500
# What the bytes that an event came from count as.
_COUNTED = {
    "mail.sent": "events",
    "file.recorded": "events",
    "file.quarantined": "quarantined",
    "file.prepared": "ours",
    "file.echoed": "ours",
    "file.kept": "ours",
}
_READ_LINE = "insert or ignore into read_line values (?, ?, ?)"


@dataclass(slots=True)
class KnownFile:
    """One foreign file, as the log knows it: a row of the table."""

    number: int
    mount: str
    file: str
    #: How many times it was opened or rewritten.
    gen: int = 0
    mark: str = ""
    #: Where the bytes end that were read, and the last piece of them.
    ending: int = 0
    offset: int = 0
    length: int = 0
    sha: str = ""
    #: How many bytes are events, are in quarantine, or are ours.
    events: int = 0
    quarantined: int = 0
    ours: int = 0
    found: int = 0
    seq: int = 0
    #: What we were about to put in its place, by hash, until it is read there.
    intent: str = ""
    #: Its size when it was opened, and when another program rewrote it.
    past: int = 0
    rewritten: int = 0
    #: How many files the log knew it as before: under another name, or in another mount.
    former: int = 0


class Span(NamedTuple):
    """A piece of a file that grows, as the log recorded it."""

    offset: int
    length: int
    sha: str


_COLUMNS = tuple(KnownFile.__annotations__)
_KINDS = tuple(KnownFile.__annotations__.values())
_FIELDS = ", ".join(_COLUMNS)
_INSERT = f"insert or replace into source ({_FIELDS}) values ({marks(len(_COLUMNS))})"
_row = attrgetter(*_COLUMNS)


# --- queries ---


def select(db: Query, condition: str, values: tuple[object, ...]) -> list[KnownFile]:
    """Return the files that meet a condition of SQL."""
    rows = db.execute(f"select {_FIELDS} from source where {condition}", values)
    return [KnownFile(*typed(row, _KINDS)) for row in rows]


def sources(db: Query, mount: str) -> dict[str, KnownFile]:
    """Return the files of a mount, by path."""
    return {each.file: each for each in select(db, "mount = ? order by file", (mount,))}


def remembered(db: Query, source: int) -> dict[str, tuple[int, int]]:
    """Return by hash how often each piece of a file is in it now, and how often it was there before."""
    rows = db.execute("select sha, now, before from piece where source = ?", (source,))
    return {str(sha): (whole(now), whole(before)) for sha, now, before in rows}


def spans(db: Query, source: int) -> Iterator[Span]:
    """Yield the recorded pieces of a file that grows, in their order."""
    rows = db.execute("select offset, length, sha from span where source = ? order by offset", (source,))
    for offset, length, sha in rows:
        yield Span(whole(offset), whole(length), str(sha))


def counted(db: Query, source: int, sha: str) -> tuple[int, int]:
    """Return how often one piece is in a file now, and how often it was there before."""
    rows = db.execute("select now, before from piece where source = ? and sha = ?", (source, sha))
    return (whole(rows[0][0]), whole(rows[0][1])) if rows else (0, 0)


def first_entry(db: Query, source: int, offset: int, end: int) -> int:
    """Return where the first piece begins that was recorded from an offset on; `end` if there is none."""
    rows = db.execute(
        "select offset from span where source = ? and offset between ? and ? order by offset limit 1",
        (source, offset, end),
    )
    return whole(rows[0][0]) if rows else end


def line_key(file: str, sha: str, *, is_dropped: bool) -> str:
    """Return what a line is known by in its mount: its bytes; a dropped file has its time in its name."""
    return f"{sha}:{file}" if is_dropped else sha


def read_lines(db: Query, mount: str, lines: Sequence[str]) -> dict[str, int]:
    """Return for each of these lines the event that first said it; a line that is new has none."""
    found: dict[str, int] = {}
    for start in range(0, len(lines), _VALUES):
        some = lines[start : start + _VALUES]
        rows = db.execute(
            f"select line, seq from read_line where mount = ? and line in ({marks(len(some))})",
            (mount, *some),
        )
        found |= {str(line): whole(seq) for line, seq in rows}
    return found


# --- changes by events ---


class KnownFiles(Fold):
    """How events change what is known of foreign files; the rows of one batch are collected first."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._known: dict[tuple[str, str], KnownFile] = {}
        self._dirty: dict[int, KnownFile] = {}
        # How often a piece was found, and the event that says the same.
        self._pieces: dict[tuple[int, str], tuple[int, int]] = {}
        self._spans: list[tuple[object, ...]] = []

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._dirty:
            self._db.executemany(_INSERT, map(_row, self._dirty.values()))
            self._dirty = {}
        if self._pieces:
            self._db.executemany(
                "insert into piece values (?, ?, ?, 0, 0, ?) on conflict "
                "do update set now = now + excluded.now, seq = max(seq, excluded.seq)",
                [(*key, *found) for key, found in self._pieces.items()],
            )
            self._pieces = {}
        if self._spans:
            self._db.executemany("insert or replace into span values (?, ?, ?, ?)", self._spans)
            self._spans = []
        super().flush()

    @on("mail.sent")
    def _said(self, event: Event) -> None:
        """Note the line that says a message, and what it says: neither says anything a second time."""
        src = event.src
        if src is not None:
            file = original_file(text(src, "file"))
            for known_by in filter(None, (text(src, "sha"), text(src, "says"))):
                line = line_key(file, known_by, is_dropped="mark" in src)
                self.collect(_READ_LINE, (text(src, "mount"), line, event.seq))

    @on(*_COUNTED)
    def _spanned(self, event: Event) -> None:
        """Note the bytes that an event came from, and what they count as: a stretch of blanks as nothing."""
        src = event.src
        if src is None:
            return
        kind = "" if flag(event.data, "blank") else _COUNTED[event.event_type]
        source = self._source(src, event)
        gen, offset, length = number(src, "gen"), number(src, "off"), number(src, "len")
        if gen < source.gen:
            return
        source.intent = ""
        mark, sha = text(src, "mark"), text(src, "sha")
        if gen > source.gen:
            # A file that is replaced as a whole says so with its first bytes.
            self._renew(source, gen)
        source.mark = mark or source.mark
        if offset + length >= source.ending:
            source.ending, source.offset, source.length, source.sha = offset + length, offset, length, sha
        if kind:
            setattr(source, kind, getattr(source, kind) + length)
        if kind and length:
            self._note_piece(source, event, src, kind)

    def _note_piece(self, source: KnownFile, event: Event, src: dict[str, object], kind: str) -> None:
        """Note what a piece of a file is known by: its place, if the file grows, and its content."""
        if "mark" not in src:
            self._spans.append((source.number, number(src, "off"), number(src, "len"), text(src, "sha")))
        if kind != "ours" and "mark" not in src:
            # The lines of a quarantine entry are known by their own hashes, if there are several.
            lines = texts(event.data, "shas") if kind == "quarantined" else []
            self._count(source, lines or [text(src, "sha")], repeat(event.seq))
        if source.file.startswith(REPLACED):
            late = (source.mount, source.file, number(src, "off"), number(src, "len"), event.seq)
            self._db.execute("insert or ignore into late_line values (?, ?, ?, ?, ?)", late)
        if words := text(src, "words"):
            # The text of a dropped file: a line of a log may repeat it.
            dropped = (source.mount, words, number(src, "seq") or event.seq)
            self._db.execute("insert or ignore into dropped values (?, ?, ?)", dropped)

    @on("file.opened", "file.rewritten")
    def _opened(self, event: Event) -> None:
        """Apply `file.opened` and `file.rewritten`: from here on it is another file, or a new one."""
        src = event.src
        if src is None:
            return
        source = self._source(src, event)
        mark, known = source.mark, source.ending
        if number(src, "gen") > source.gen:
            if flag(event.data, "rotated"):
                self._keep_rotated(source)
            self._renew(source, number(src, "gen"))
        source.mark, source.past = text(event.data, "mark"), number(event.data, "size")
        is_kept = flag(event.data, "ours") or flag(event.data, "rotated")
        is_foreign = event.event_type == "file.rewritten" and not is_kept
        # A file that is saved in place is empty for a moment.
        ending = max(source.past, known if mark == source.mark else 0)
        source.rewritten = ending if is_foreign else 0
        start = number(src, "off")
        if start > source.ending:
            # A replaced file that is only watched for what it gains.
            source.ending = source.offset = source.ours = start
        self._inherit(source, event)

    def _keep_rotated(self, source: KnownFile) -> None:
        """Keep a file that was rotated as a file of its own, and forget the oldest of them."""
        self.flush()
        rows = self._db.execute(
            "select number, file from source where mount = ? and gen <= ?",
            (source.mount, source.gen - ROTATIONS),
        ).fetchall()
        for oldest, file in rows:
            if file.startswith(ROTATED) and original_file(file) == source.file:
                self._known.pop((source.mount, file), None)
                for rows_of in ("source where number", "piece where source", "span where source"):
                    self._db.execute(f"delete from {rows_of} = ?", (oldest,))
        moved = replace(source, number=self._next_number(), file=f"{ROTATED}{source.gen}/{source.file}")
        self._known[moved.mount, moved.file] = self._dirty[moved.number] = moved
        self._db.execute("update span set source = ? where source = ?", (moved.number, source.number))

    def _inherit(self, source: KnownFile, event: Event) -> None:
        """Take what a file held under other names, or in other mounts, for what it held before."""
        found = event.data.get("former")
        others = [each for each in found if type(each) is dict] if type(found) is list else []
        numbers = [self._source(each, event).number for each in others]
        source.former += len(numbers)
        self._dirty[source.number] = source
        self.flush()
        self._db.executemany(
            """insert into piece
               select ?, sha, 0, max(now, before), 0, seq from piece where source = ?
               on conflict do update set before = max(before, excluded.before)""",
            [(source.number, each) for each in numbers],
        )

    @on("file.echoed", "file.kept")
    def _found_again(self, event: Event) -> None:
        """Count pieces that the log has, and forget the late lines and dropped files among them."""
        src = event.src or event.data
        messages = event.data.get("messages")
        said = messages if type(messages) is list else []
        shas = texts(event.data, "shas")
        self._count(self._source(src, event), shas, chain(said, repeat(0)))
        late = event.data.get("carried")
        if type(late) is list:
            rows = [(text(src, "mount"), seq) for seq in late]
            self._db.executemany("delete from late_line where mount = ? and seq = ?", rows)
        mount, same = text(src, "mount"), number(event.data, "same_as")
        for sha, seq in zip(shas, said or [same] * (same > 0), strict=False):
            self.collect(_READ_LINE, (mount, sha, seq))
        if same:
            row = (mount, same)
            self._db.execute("delete from dropped where mount = ? and seq = ?", row)

    @on("file.projected")
    def _projected(self, event: Event) -> None:
        """Apply `file.projected`: what we are about to put in the place of a file is no news from there."""
        source = self._source(event.data, event)
        source.intent = text(event.data, "sha")
        self.flush()
        self._db.executemany(
            "insert into piece values (?, ?, 0, 1, 0, 0) on conflict do update set before = max(before, 1)",
            [(source.number, sha) for sha in texts(event.data, "shas")],
        )

    @on("file.found", FOUND)
    def _found(self, event: Event) -> None:
        """Count what is odd about lines that were kept."""
        self._source(source_of(event), event).found += len(findings_of(event))

    @on("file.released")
    def _released(self, event: Event) -> None:
        """Apply `file.released`: bytes that were quarantined can be parsed now."""
        src = table(event.data, "src")
        if not src:
            return
        source = self._source(src, event)
        if number(src, "gen") == source.gen:
            source.quarantined -= number(src, "len")
            source.events += number(src, "len")

    @on("config.applied")
    def _configured(self, _: Event) -> None:
        """Apply `config.applied`: forget the late lines of mounts that are no more."""
        keep = list(self._roster.mounts)
        self._db.execute(f"delete from late_line where mount not in ({marks(len(keep))})", keep)

    def _source(self, src: dict[str, object], event: Event) -> KnownFile:
        """Return a file that an event is about; its row is written with the batch."""
        key = (text(src, "mount"), text(src, "file"))
        found = self._known.get(key)
        if found is None:
            self.flush()
            row = self._db.execute(
                f"select {_FIELDS} from source where mount = ? and file = ?", key
            ).fetchone()
            if row is None:
                found = KnownFile(self._next_number(), *key, seq=event.seq)
            else:
                found = KnownFile(*typed(row, _KINDS))
            self._known[key] = found
        self._dirty[found.number] = found
        return found

    def _next_number(self) -> int:
        [(last,)] = self._db.execute("select coalesce(max(number), 0) from source")
        return whole(last) + 1

    def _renew(self, source: KnownFile, gen: int) -> None:
        """Begin another generation of a file: its content is now what was there before."""
        self.flush()
        source.gen = gen
        source.ending = source.offset = source.length = 0
        source.events = source.quarantined = source.ours = source.rewritten = 0
        source.mark = source.sha = ""
        self._dirty[source.number] = source
        self._db.execute(
            "update piece set before = max(before, now), held = now, now = 0 where source = ?",
            (source.number,),
        )
        self._db.execute("delete from span where source = ?", (source.number,))

    def _count(self, source: KnownFile, shas: list[str], said: Iterable[int]) -> None:
        for sha, seq in zip(shas, said, strict=False):
            key = (source.number, sha)
            count, known = self._pieces.get(key, (0, 0))
            self._pieces[key] = (count + 1, max(known, seq))
