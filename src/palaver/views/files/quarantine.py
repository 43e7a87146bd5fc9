"""What could not be understood, and where it is kept: pieces of foreign files, and lines of the log."""

from palaver.log.port import Damage, damage_of
from palaver.model.event import Event, number, table, text
from palaver.model.limits import ROWS
from palaver.views.fold import Fold, on
from palaver.views.query import Query, whole

_TABLES = (
    """create table quarantine (
        id text primary key, kind text, file text, offset integer, length integer, sha text, reason text,
        at text, seq integer, released text, lines integer, kept_in text, kept_at integer, kept integer)
        without rowid""",
)


_SHOWN = ("id", "kind", "file", "offset", "length", "sha", "reason", "at", "seq", "released", "lines")
_COLUMNS = f"{', '.join(_SHOWN)}, kept_in, kept_at, kept"


class QuarantineItem:
    """One quarantine entry."""

    __slots__ = (*_SHOWN, "kept", "kept_at", "kept_in")

    def __init__(self, row: tuple[object, ...]) -> None:
        """Take a row of the table."""
        self.id, self.kind, self.file = map(str, row[:3])
        self.offset, self.length, self.seq = map(whole, (row[3], row[4], row[8]))
        self.sha, self.reason, self.at = map(str, row[5:8])
        self.released = "" if row[9] is None else str(row[9])
        self.lines = whole(row[10])
        #: Where the bytes are kept, as far as they are: a file, an offset in it, and a length; of a line of
        #: the log, its place there.
        self.kept_in = str(row[11])
        self.kept_at, self.kept = map(whole, row[12:14])

    def plain(self) -> dict[str, object]:
        """Return the fields that are shown, for programs."""
        return {name: getattr(self, name) for name in _SHOWN}


def items(db: Query, *, everything: bool, limit: int = ROWS) -> list[QuarantineItem]:
    """Return entries, oldest first; with `everything` also those that were explained or released."""
    which = "" if everything else "where released is null "
    question = f"select {_COLUMNS} from quarantine {which}order by seq, file, offset limit ?"
    return [QuarantineItem(row) for row in db.execute(question, (limit,))]


def item(db: Query, wanted: str) -> QuarantineItem | None:
    """Return one entry."""
    # What cannot be encoded is nobody's id, and SQLite would not take it.
    question = f"select {_COLUMNS} from quarantine where id = ?"
    rows = db.execute(question, (wanted.encode(errors="replace").decode(),))
    return QuarantineItem(rows[0]) if rows else None


def count(db: Query, *, everything: bool) -> int:
    """Return the number of entries."""
    [(found,)] = db.execute(
        f"select count(*) from quarantine{'' if everything else ' where released is null'}"
    )
    return whole(found)


class Quarantine(Fold):
    """How events change the quarantine."""

    TABLES = _TABLES

    @on("file.quarantined")
    def quarantined(self, event: Event) -> None:
        """Apply `file.quarantined`: bytes of a foreign file that no dialect could read."""
        data = event.data
        src = event.src or table(data, "src")
        name, kept = text(data, "id") or event.event_id, table(data, "kept")
        length = number(src, "len")
        place = (text(kept, "in"), number(kept, "at"), number(kept, "len"))
        if "lines" not in data:
            # Written before bytes were kept end to end: each entry had a file of its own.
            place = (f"{name}.bin", 0, length)
        self._put(
            name,
            "file",
            (text(src, "file"), number(src, "off"), length, text(src, "sha")),
            ": ".join(each for each in (text(data, "reason"), text(data, "message")) if each),
            event,
            (number(data, "lines") or 1, *place),
        )

    @on("file.released")
    def released(self, event: Event) -> None:
        """Apply `file.released`: it was tried again and understood."""
        self._db.execute(
            "update quarantine set released = ? where id = ? and released is null",
            (event.timestamp, text(event.data, "id")),
        )

    @on("log.sealed")
    def sealed(self, event: Event) -> None:
        """Apply `log.sealed`: a writer died in the middle of a record that nobody was promised.

        That explains the line, so it counts as released, and its row as a damaged line goes.
        """
        torn = damage_of(event)
        why = "a writer was cut off; the record was not acknowledged"
        self._put(event.event_id, "sealed", _span(torn), why, event, (1, torn.place, 0, 0))
        self._db.execute("delete from quarantine where id = ?", (torn.id,))
        self._db.execute("update quarantine set released = at where id = ?", (event.event_id,))

    @on("log.sync_failed")
    def unsynced(self, event: Event) -> None:
        """Apply `log.sync_failed`: from here back to the last sync the disk gave no promise."""
        why = f"the disk could not sync it: {text(event.data, 'cause')}"
        lost = damage_of(event)
        self._put(event.event_id, "unsynced", _span(lost), why, event, (1, lost.place, 0, 0))

    def damaged(self, line: Damage) -> None:
        """Add a corrupted line of the log."""
        self._db.execute(
            "insert or ignore into quarantine values (?, 'damaged', ?, ?, ?, '', ?, '', 0, null, 1, ?, 0, 0)",
            (line.id, *_span(line)[:3], "the line is not what was written", line.place),
        )

    def _put(  # noqa: PLR0917 - the columns of a row
        self,
        item: str,
        kind: str,
        place: tuple[str, int, int, str],
        reason: str,
        event: Event,
        kept: tuple[int, str, int, int] = (1, "", 0, 0),
    ) -> None:
        self._db.execute(
            "insert or ignore into quarantine values (?, ?, ?, ?, ?, ?, ?, ?, ?, null, ?, ?, ?, ?)",
            (item, kind, *place, reason, event.timestamp, event.seq, *kept),
        )


def _span(damage: Damage) -> tuple[str, int, int, str]:
    return (damage.file, damage.offset, damage.length, damage.sha)
