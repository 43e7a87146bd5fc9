"""What could not be understood, and where it is kept: pieces of foreign files, and lines of the log.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from _sqlite3 import Connection

from palaver.model.event import Event, number, table, text
from palaver.views.asked import Asked, whole

TABLES = (
    """create table quarantine (
        id text primary key, kind text, file text, offset integer, length integer, sha text, reason text,
        at text, seq integer, released text) without rowid""",
)
INDEXES: tuple[str, ...] = ()


_COLUMNS = "id, kind, file, offset, length, sha, reason, at, seq, released"


class Item:
    """One quarantined piece."""

    __slots__ = ("at", "file", "id", "kind", "length", "offset", "reason", "released", "seq", "sha")

    def __init__(self, row: tuple[object, ...]) -> None:
        """Take a row of the table."""
        self.id, self.kind, self.file = map(str, row[:3])
        self.offset, self.length, self.seq = map(whole, (row[3], row[4], row[8]))
        self.sha, self.reason, self.at = map(str, row[5:8])
        self.released = "" if row[9] is None else str(row[9])

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {name: getattr(self, name) for name in _COLUMNS.split(", ")}


def items(db: Asked, *, everything: bool) -> list[Item]:
    """Return what is quarantined, oldest first; with `everything` also what was explained or released."""
    which = "" if everything else "where released is null "
    return [
        Item(row)
        for row in db.execute(f"select {_COLUMNS} from quarantine {which}order by seq, file, offset")
    ]


class Quarantine:
    """What events say of quarantined bytes."""

    __slots__ = ("_db",)

    def __init__(self, db: Connection) -> None:
        """Take the view."""
        self._db = db

    def quarantined(self, event: Event) -> None:
        """Apply `file.quarantined`: bytes of a foreign file that no dialect could read."""
        data = event.data
        src = event.src or table(data, "src")
        self._put(
            text(data, "id") or event.event_id,
            "file",
            (text(src, "file"), number(src, "off"), number(src, "len"), text(src, "sha")),
            ": ".join(each for each in (text(data, "reason"), text(data, "message")) if each),
            event,
        )

    def released(self, event: Event) -> None:
        """Apply `file.released`: it was tried again and understood."""
        self._db.execute(
            "update quarantine set released = ? where id = ? and released is null",
            (event.timestamp, text(event.data, "id")),
        )

    def sealed(self, event: Event) -> None:
        """Apply `log.sealed`: a writer died in the middle of a record that nobody was promised.

        That explains the line, so it counts as released, and its row as a damaged line goes.
        """
        data = event.data
        file = f"log/{number(data, 'segment'):012d}.jsonl"
        place = (file, number(data, "off"), number(data, "len"), text(data, "sha"))
        self._put(
            event.event_id, "sealed", place, "a writer was cut off; the record was not acknowledged", event
        )
        self._db.execute("delete from quarantine where id = ?", (f"{file}:{number(data, 'off')}",))
        self._db.execute("update quarantine set released = at where id = ?", (event.event_id,))

    def unsynced(self, event: Event) -> None:
        """Apply `log.sync_failed`: from here back to the last sync the disk gave no promise."""
        place = (f"log/{number(event.data, 'segment'):012d}.jsonl", 0, 0, "")
        self._put(
            event.event_id,
            "unsynced",
            place,
            f"the disk could not sync it: {text(event.data, 'cause')}",
            event,
        )

    def damaged(self, segment: int, offset: int, length: int) -> None:
        """Note a line of the log that is not what was written."""
        file = f"log/{segment:012d}.jsonl"
        self._db.execute(
            "insert or ignore into quarantine values (?, 'damaged', ?, ?, ?, '', ?, '', 0, null)",
            (f"{file}:{offset}", file, offset, length, "the line is not what was written"),
        )

    def _put(self, item: str, kind: str, place: tuple[str, int, int, str], reason: str, event: Event) -> None:
        self._db.execute(
            "insert or ignore into quarantine values (?, ?, ?, ?, ?, ?, ?, ?, ?, null)",
            (item, kind, *place, reason, event.timestamp, event.seq),
        )
