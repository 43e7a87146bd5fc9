"""Foreign files: how far each was read, and what it held before.

Every event that came from a file names its bytes (`src`), so the place to read on from is in the log and
cannot disagree with it. What a file held before it was rewritten is remembered by hash, so that a line
that was there already is not taken for a new one.
"""

from palaver.model.event import Event, flag, number, table, text, texts
from palaver.views.files import late_lines
from palaver.views.fold import Fold, Folds, on
from palaver.views.query import Query, whole

_TABLES = (
    """create table source (
        number integer primary key, mount text, file text, gen integer, mark text, ending integer,
        offset integer, length integer, sha text, events integer, quarantined integer, ours integer,
        found integer, seq integer, intent text, past integer, unique (mount, file))""",
    """create table piece (
        source integer, sha text, now integer, before integer, primary key (source, sha)) without rowid""",
    """create table dropped (
        mount text, words text, seq integer, primary key (mount, words, seq)) without rowid""",
    *late_lines.TABLES,
)

_COLUMNS = (
    "number", "mount", "file", "gen", "mark", "ending", "offset", "length", "sha", "events", "quarantined",
    "ours", "found", "seq", "intent", "past",
)  # fmt: skip
_FIELDS = ", ".join(_COLUMNS)


class KnownFile:
    """One foreign file, as the log knows it."""

    __slots__ = _COLUMNS

    def __init__(self, row: tuple[object, ...]) -> None:
        """Take a row of the table."""
        self.number, self.gen, self.ending = map(whole, (row[0], row[3], row[5]))
        self.mount, self.file = str(row[1]), str(row[2])
        self.mark, self.sha = str(row[4]), str(row[8])
        self.offset, self.length = map(whole, row[6:8])
        self.events, self.quarantined, self.ours, self.found, self.seq = map(whole, row[9:14])
        # What we were about to put in its place, by hash, until it is read there; its size when it opened.
        self.intent = str(row[14])
        self.past = whole(row[15])

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        return tuple(getattr(self, column) for column in _COLUMNS)


# --- what it can be asked ---


def sources(db: Query, mount: str) -> dict[str, KnownFile]:
    """Return the files of a mount, by path."""
    rows = db.execute(f"select {_FIELDS} from source where mount = ? order by file", (mount,))
    return {str(row[2]): KnownFile(row) for row in rows}


def remembered(db: Query, source: int) -> dict[str, tuple[int, int]]:
    """Return how often each piece of a file stands in it now, and how often it stood there before."""
    rows = db.execute("select sha, now, before from piece where source = ?", (source,))
    return {str(sha): (whole(now), whole(before)) for sha, now, before in rows}


def counted(db: Query, source: int, sha: str) -> tuple[int, int]:
    """Return how often one piece stands in a file now, and how often it stood there before."""
    rows = db.execute("select now, before from piece where source = ? and sha = ?", (source, sha))
    return (whole(rows[0][0]), whole(rows[0][1])) if rows else (0, 0)


def dropped(db: Query, mount: str, words: str) -> list[int]:
    """Return the messages that were dropped with these words and not yet seen in the log, oldest first."""
    rows = db.execute("select seq from dropped where mount = ? and words = ? order by seq", (mount, words))
    return [whole(seq) for (seq,) in rows]


# --- what events do to it ---


class Sources(Fold):
    """How events change what is known of foreign files; the rows of one batch are collected first."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._known: dict[tuple[str, str], KnownFile] = {}
        self._dirty: dict[int, KnownFile] = {}
        self._pieces: dict[tuple[int, str], int] = {}

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._dirty:
            marks = ", ".join("?" * len(_COLUMNS))
            rows = [source.row() for source in self._dirty.values()]
            self._db.executemany(f"insert or replace into source ({_FIELDS}) values ({marks})", rows)
            self._dirty = {}
        if self._pieces:
            self._db.executemany(
                "insert into piece values (?, ?, ?, 0) on conflict do update set now = now + excluded.now",
                [(*key, count) for key, count in self._pieces.items()],
            )
            self._pieces = {}

    @on("mail.sent", "file.recorded")
    def _recorded(self, event: Event) -> None:
        self.spanned(event, "events")

    @on("file.quarantined")
    def _quarantined(self, event: Event) -> None:
        self.spanned(event, "quarantined")

    @on("file.prepared")
    def _prepared(self, event: Event) -> None:
        self.spanned(event, "ours")

    def spanned(self, event: Event, kind: str) -> None:
        """Note the bytes that an event came from; `kind` is what they count as, nothing for blanks."""
        src = event.src
        if src is None:
            return
        source = self._source(src, event)
        gen, offset, length = number(src, "gen"), number(src, "off"), number(src, "len")
        if gen < source.gen:
            return
        source.intent = ""
        mark = text(src, "mark")
        if gen > source.gen:
            # A file that is replaced as a whole says so with its first bytes.
            self._renewed(source, gen, mark)
        source.mark = mark or source.mark
        if offset + length >= source.ending:
            source.ending, source.offset, source.length = offset + length, offset, length
            source.sha = text(src, "sha")
        if kind:
            setattr(source, kind, getattr(source, kind) + length)
        self._dirty[source.number] = source
        if not mark and kind not in ("", "ours") and length:
            # The lines of a quarantine entry are known by their own hashes, if there are several.
            lines = texts(event.data, "shas") if kind == "quarantined" else []
            self._count(source, lines or [text(src, "sha")])
        if kind and length and source.file.startswith("attic/"):
            late_lines.add(self._db, (source.mount, source.file, offset, length, event.seq))
        self._remember_text(source, src, event)

    def _remember_text(self, source: KnownFile, src: dict[str, object], event: Event) -> None:
        """Remember the text of a dropped file: a line of a log may repeat it."""
        words = text(src, "words") if number(src, "len") else ""
        if words:
            row = (source.mount, words, number(src, "seq") or event.seq)
            self._db.execute("insert or ignore into dropped values (?, ?, ?)", row)

    @on("file.opened", "file.rewritten")
    def opened(self, event: Event) -> None:
        """Apply `file.opened` and `file.rewritten`: from here on it is another file, or a new one."""
        src = event.src
        if src is None:
            return
        source = self._source(src, event)
        gen = number(src, "gen")
        if gen > source.gen:
            self._renewed(source, gen, text(event.data, "mark"))
        source.mark, source.past = text(event.data, "mark"), number(event.data, "size")
        start = number(src, "off")
        if start > source.ending:
            # An old file of ours that is only watched for what still comes.
            source.ending = source.offset = start
            source.ours = start
        self._dirty[source.number] = source

    @on("file.kept")
    def kept(self, event: Event) -> None:
        """Apply `file.kept`: pieces that the log has already, or a long stretch of nothing."""
        self.spanned(event, "" if flag(event.data, "blank") else "ours")
        src = event.src or {}
        source = self._source(src, event)
        self._count(source, texts(event.data, "shas"))
        same = number(event.data, "same_as")
        if same:
            self._db.execute("delete from dropped where mount = ? and seq = ?", (text(src, "mount"), same))
        late_lines.forget(self._db, text(src, "mount"), event.data)

    @on("file.echoed")
    def echoed(self, event: Event) -> None:
        """Apply `file.echoed`: what we wrote is there."""
        self.spanned(event, "ours")
        src = event.src or event.data
        self._count(self._source(src, event), texts(event.data, "shas"))
        late_lines.forget(self._db, text(src, "mount"), event.data)

    @on("file.projected")
    def projected(self, event: Event) -> None:
        """Apply `file.projected`: what we are about to put in the place of a file is no news from there."""
        data = event.data
        source = self._source(data, event)
        source.intent = text(data, "sha")
        self._dirty[source.number] = source
        self.flush()
        self._db.executemany(
            "insert into piece values (?, ?, 0, 1) on conflict do update set before = max(before, 1)",
            [(source.number, sha) for sha in texts(data, "shas")],
        )

    @on("file.found")
    def found(self, event: Event) -> None:
        """Apply `file.found`: something odd about a line that was kept."""
        source = self._source(event.src or table(event.data, "src"), event)
        source.found += 1
        self._dirty[source.number] = source

    @on("file.released")
    def released(self, event: Event) -> None:
        """Apply `file.released`: bytes that were quarantined are understood now."""
        src = table(event.data, "src")
        if not src:
            return
        source = self._source(src, event)
        if number(src, "gen") == source.gen:
            source.quarantined -= number(src, "len")
            source.events += number(src, "len")
            self._dirty[source.number] = source

    @on("config.applied")
    def configured(self, _: Event) -> None:
        """Apply `config.applied`: forget the late lines of mounts that are no more."""
        keep = list(self._roster.mounts)
        marks = ", ".join("?" * len(keep))
        self._db.execute(f"delete from late_line where mount not in ({marks})", keep)

    def _source(self, src: dict[str, object], event: Event) -> KnownFile:
        key = (text(src, "mount"), text(src, "file"))
        found = self._known.get(key)
        if found is None:
            self.flush()
            row = self._db.execute(
                f"select {_FIELDS} from source where mount = ? and file = ?", key
            ).fetchone()
            if row is None:
                [(count,)] = self._db.execute("select count(*) from source")
                row = (count + len(self._dirty) + 1, *key, 0, "", 0, 0, 0, "", 0, 0, 0, 0, event.seq, "", 0)
            found = self._known[key] = KnownFile(row)
            self._dirty[found.number] = found
        return found

    def _renewed(self, source: KnownFile, gen: int, mark: str) -> None:
        """Begin another life of a file: what stood in it is what was there before."""
        self.flush()
        source.gen, source.mark = gen, mark
        source.ending = source.offset = source.length = 0
        source.events = source.quarantined = source.ours = 0
        source.sha = ""
        self._db.execute(
            "update piece set before = max(before, now), now = 0 where source = ?", (source.number,)
        )

    def _count(self, source: KnownFile, shas: list[str]) -> None:
        for sha in shas:
            key = (source.number, sha)
            self._pieces[key] = self._pieces.get(key, 0) + 1
