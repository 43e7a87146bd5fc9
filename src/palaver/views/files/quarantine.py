"""What could not be parsed, and where it is kept: pieces of foreign files, and lines of the log."""

from typing import NamedTuple

from palaver.log.port import Damage, damage_of
from palaver.model.event import Event, flag, number, table, text
from palaver.model.limits import ROWS
from palaver.views.fold import Fold, on
from palaver.views.query import Query, marks, typed, whole

_TABLES = (
    """create table quarantine (
        id text primary key, kind text, file text, offset integer, length integer, sha text, reason text,
        at text, seq integer, released text, lines integer, kept_in text, kept_at integer, kept integer,
        places integer) without rowid""",
    # The other runs of lines of an entry, with messages between them in the file.
    """create table quarantine_place (
        id text, seq integer, offset integer, length integer, kept_in text, kept_at integer, kept integer,
        primary key (id, seq)) without rowid""",
)


class QuarantineItem(NamedTuple):
    """One quarantine entry: a row of the table."""

    id: str
    kind: str
    file: str
    offset: int
    length: int
    sha: str
    reason: str
    at: str = ""
    seq: int = 0
    released: str = ""
    lines: int = 1
    #: Where the bytes are kept, as far as they are: a file, an offset in it, and a length; of a line of the
    #: log, its place there.
    kept_in: str = ""
    kept_at: int = 0
    kept: int = 0
    #: How many runs of lines it has: the first is at `offset`, the others are further down in the file.
    places: int = 1

    def plain(self) -> dict[str, object]:
        """Return the fields that are shown, for programs."""
        return {name: value for name, value in self._asdict().items() if not name.startswith("kept")}


_COLUMNS = ", ".join(QuarantineItem._fields)
_KINDS = tuple(QuarantineItem.__annotations__.values())


def items(db: Query, *, everything: bool, limit: int = ROWS) -> list[QuarantineItem]:
    """Return entries, oldest first; with `everything` also those that were explained or released."""
    which = "" if everything else "where released is null "
    question = f"select {_COLUMNS} from quarantine {which}order by seq, file, offset limit ?"
    return [QuarantineItem._make(typed(row, _KINDS)) for row in db.execute(question, (limit,))]


def item(db: Query, wanted: str) -> QuarantineItem | None:
    """Return one entry."""
    # SQLite does not take what cannot be encoded, and no id is like that.
    question = f"select {_COLUMNS} from quarantine where id = ?"
    rows = db.execute(question, (wanted.encode(errors="replace").decode(),))
    return QuarantineItem._make(typed(rows[0], _KINDS)) if rows else None


def runs(db: Query, entry: QuarantineItem) -> list[QuarantineItem]:
    """Return the runs of lines that an entry has, in the order of the file, each like an entry."""
    if entry.places == 1:
        return [entry]
    rows = db.execute(
        "select seq, offset, length, kept_in, kept_at, kept from quarantine_place where id = ? order by seq",
        (entry.id,),
    )
    fields = ("seq", "offset", "length", "kept_in", "kept_at", "kept")
    return [entry._replace(**dict(zip(fields, row, strict=True)), places=1) for row in rows]


def count(db: Query, *, everything: bool) -> int:
    """Return the number of entries."""
    which = "" if everything else " where released is null"
    [(found,)] = db.execute(f"select count(*) from quarantine{which}")
    return whole(found)


class Quarantine(Fold):
    """How events change the quarantine."""

    TABLES = _TABLES

    @on("file.quarantined")
    def _quarantined(self, event: Event) -> None:
        """Apply `file.quarantined`: bytes of a foreign file that no dialect could read."""
        data, kept = event.data, table(event.data, "kept")
        src = event.src or table(data, "src")
        name, length = text(data, "id") or event.event_id, number(src, "len")
        place = (text(kept, "in"), number(kept, "at"), number(kept, "len"))
        if "lines" not in data:
            # Written before bytes were kept end to end: each entry had a file of its own.
            place = (f"{name}.bin", 0, length)
        found = QuarantineItem(
            name,
            "file",
            text(src, "file"),
            number(src, "off"),
            length,
            text(src, "sha"),
            ": ".join(filter(None, (text(data, "reason"), text(data, "message")))) or "redacted",
            event.timestamp,
            event.seq,
            event.timestamp if flag(data, "redacted") else "",
            number(data, "lines") or 1,
            *place,
        )
        if not number(data, "place"):
            self._put(found)
        elif not self._joins(found):
            # The entry that it belongs to is redacted, or released by now.
            self._put(found._replace(id=event.event_id))

    def _joins(self, run: QuarantineItem) -> bool:
        """Add a run of lines to the entry that it belongs to; return False if there is none."""
        done = self._db.execute(
            "update quarantine set lines = lines + ?, length = length + ?, places = places + 1 "
            "where id = ? and released is null",
            (run.lines, run.length, run.id),
        )
        if done.rowcount:
            # The first run has a row of its own only in an entry of several.
            self._db.execute(
                "insert or ignore into quarantine_place select id, seq, offset, length - ?, kept_in, "
                "kept_at, kept from quarantine where id = ? and places = 2",
                (run.length, run.id),
            )
            row = (run.id, run.seq, run.offset, run.length, run.kept_in, run.kept_at, run.kept)
            self._db.execute("insert or ignore into quarantine_place values (?, ?, ?, ?, ?, ?, ?)", row)
        return done.rowcount > 0

    @on("file.released")
    def _released(self, event: Event) -> None:
        """Apply `file.released`: it was tried again and could be parsed."""
        self._db.execute(
            "update quarantine set released = ? where id = ? and released is null",
            (event.timestamp, text(event.data, "id")),
        )

    @on("log.sealed")
    def _sealed(self, event: Event) -> None:
        """Apply `log.sealed`: a writer died in the middle of a record that was not acknowledged.

        That explains the line, so it counts as released, and its row as a damaged line goes.
        """
        torn = damage_of(event)
        why = "a writer was cut off; the record was not acknowledged"
        found = _of_log(torn, event.event_id, "sealed", why)
        self._put(found._replace(at=event.timestamp, seq=event.seq, released=event.timestamp))
        self._db.execute("delete from quarantine where id = ?", (torn.id,))

    @on("log.sync_failed")
    def _unsynced(self, event: Event) -> None:
        """Apply `log.sync_failed`: the disk confirmed nothing from here back to the last sync."""
        why = f"the disk could not sync it: {text(event.data, 'cause')}"
        found = _of_log(damage_of(event), event.event_id, "unsynced", why)
        self._put(found._replace(at=event.timestamp, seq=event.seq))

    def damaged(self, line: Damage) -> None:
        """Add a corrupted line of the log."""
        self._put(_of_log(line, line.id, "damaged", "the line is not what was written")._replace(sha=""))

    def _put(self, row: QuarantineItem) -> None:
        values = [*row[:9], row.released or None, *row[10:]]
        self._db.execute(f"insert or ignore into quarantine values ({marks(len(row))})", values)


def _of_log(damage: Damage, name: str, kind: str, why: str) -> QuarantineItem:
    """Return the entry of bytes of the log."""
    place = (damage.file, damage.offset, damage.length, damage.sha)
    return QuarantineItem(name, kind, *place, why, kept_in=damage.place)
