"""What mounts are still owed: messages that must be written to their files, and those that are there already.

A message is owed to the mounts where its recipients live. It is settled when a pass has read it there.
"""

from palaver.dialects import mail_file
from palaver.model.event import REPLACED, Event, number, original_file, text, texts
from palaver.model.message import origin_of
from palaver.model.names import BUS, EVERYONE
from palaver.views.fold import Fold, on, sender_of
from palaver.views.query import Query, marks, whole

_TABLES = (
    """create table outstanding (
        mount text, seq integer, silent integer, primary key (mount, seq)) without rowid""",
    """create table echo (
        mount text, seq integer, file text, stage text, primary key (mount, seq, file)) without rowid""",
    "create table shown (mount text primary key, seq integer, since integer) without rowid",
)


def outstanding(db: Query, mount: str, limit: int) -> list[tuple[int, str, bool]]:
    """Return the messages that a mount is owed, oldest first: the event, and its place in the log.

    The last value is True if the message was withdrawn: then it is only recognised, not written.
    """
    rows = db.execute(
        "select o.seq, m.place, o.silent from outstanding o "
        "join message m on m.seq = o.seq where o.mount = ? order by o.seq limit ?",
        (mount, limit),
    )
    return [(whole(seq), str(place), bool(silent)) for seq, place, silent in rows]


def meant(db: Query, seq: int) -> dict[str, str]:
    """Return the agents that the names of a message meant when it was sent, for names that mean one."""
    rows = db.execute(
        "select d.via, min(a.id) from delivery d join agent a on a.number = d.agent "
        "where d.message = ? and d.via <> ? and d.shared = 0 group by d.via having count(*) = 1",
        (seq, EVERYONE),
    )
    return dict(rows)


def waiting(db: Query) -> dict[str, int]:
    """Return how many messages must still be written, by mount."""
    return dict(db.execute("select mount, count(*) from outstanding group by mount"))


def echoed(db: Query, mount: str) -> dict[tuple[int, str], str]:
    """Return where outstanding messages of a mount are already: (event, file) → echoed or prepared."""
    rows = db.execute("select seq, file, stage from echo where mount = ?", (mount,))
    return {(whole(seq), str(file)): str(stage) for seq, file, stage in rows}


def shown(db: Query, mount: str) -> int:
    """Return the last event that is in a mount's file of events."""
    return shown_span(db, mount)[1]


def shown_span(db: Query, mount: str) -> tuple[int, int]:
    """Return which events are in a mount's file of events: those after the first number, up to the last."""
    rows = db.execute("select since, seq from shown where mount = ?", (mount,))
    return (whole(rows[0][0]), whole(rows[0][1])) if rows else (0, 0)


def late_lines(db: Query, mount: str, limit: int) -> list[tuple[int, str, int, int]]:
    """Return the lines that files gained after they were replaced, and that are not in the new ones yet.

    Oldest first: the event, the replaced file, the offset and the length.
    """
    rows = db.execute(
        "select seq, file, offset, length from late_line where mount = ? order by seq limit ?", (mount, limit)
    )
    return [(whole(seq), str(file), whole(offset), whole(length)) for seq, file, offset, length in rows]


def late_mounts(db: Query) -> set[str]:
    """Return the mounts in which lines must still be copied from replaced files."""
    return {str(mount) for (mount,) in db.execute("select distinct mount from late_line")}


def has_late_lines(db: Query, mount: str, file: str) -> bool:
    """Return True if lines must still be copied from a replaced file."""
    return bool(db.execute("select 1 from late_line where mount = ? and file = ? limit 1", (mount, file)))


class Outstanding(Fold):
    """How events change it."""

    TABLES = _TABLES

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        """Find the mounts that a message must be written to: where its recipients live, not its own.

        A mount that keeps all mail of its agents has what they send, too.
        """
        mounts, known = self._roster.mounts, self._roster.agents
        src = event.src or {}
        if not mounts or src.get("history"):
            # What was sent before the mount existed is no news elsewhere.
            return
        written = texts(event.data, "to")
        found: set[str] = set()
        for agent in self._roster.recipients(sender_of(event), written).reached:
            found.update(known[agent].homes)
        for address in written:
            found.update(mounts if address == EVERYONE else (address.lstrip("@"),))
        # A move that concerns nobody else has no recipients, and is no mail.
        sender = known.get(sender_of(event)) if written else None
        found.update(home for home in (sender.homes if sender else ()) if mail_file(mounts.get(home, {})))
        if not _is_edit(src, mounts):
            found.discard(text(src, "mount"))
        if src.get("onward") or event.src is None:
            found.add(origin_of(event))
        for mount in sorted(found & mounts.keys()):
            self.collect("insert or ignore into outstanding values (?, ?, 0)", (mount, event.seq))

    @on("mail.withdrawn")
    def _withdrawn(self, event: Event) -> None:
        """Apply `mail.withdrawn`: a message that was not read yet is not written, only recognised."""
        self.flush()
        self._db.execute(
            "update outstanding set silent = 1 where seq = "
            "(select seq from message where id = ? and (sender = ? or ? = ?)) and not exists "
            "(select 1 from delivery d where d.message = outstanding.seq and d.read is not null)",
            (text(event.data, "message_id"), event.actor, event.actor, BUS),
        )

    @on("config.applied")
    def _configured(self, event: Event) -> None:
        """Forget the debts of mounts that are no more; a new mount is owed nothing of the past."""
        self.flush()
        keep = list(self._roster.mounts)
        for mount in keep:
            self._db.execute("insert or ignore into shown values (?, ?, ?)", (mount, event.seq, event.seq))
        for name in ("outstanding", "echo", "shown"):
            self._db.execute(f"delete from {name} where mount not in ({marks(len(keep))})", keep)

    @on("file.echoed")
    def _echoed(self, event: Event) -> None:
        """Apply `file.echoed`: what we wrote is there; `done` has no other file to be written to."""
        data = event.data
        mount, file = text(event.src or data, "mount"), text(event.src or data, "file")
        self.flush()
        self._stage(mount, file, data, "echoed")
        done = _rows(data, "done", mount)
        self._db.executemany("delete from outstanding where mount = ? and seq = ?", done)
        self._db.executemany("delete from echo where mount = ? and seq = ?", done)
        through = number(data, "through")
        if through:
            self._db.execute("update shown set seq = ? where mount = ?", (through, mount))
            self._db.execute(
                "delete from echo where mount = ? and file = ? and seq <= ?", (mount, file, through)
            )

    @on("file.prepared")
    def _prepared(self, event: Event) -> None:
        """Apply `file.prepared`: it is whole, beside its place, and only has to be moved there."""
        src = event.src or {}
        self._stage(text(src, "mount"), text(src, "file"), event.data, "prepared")

    def _stage(self, mount: str, file: str, data: dict[str, object], stage: str) -> None:
        rows = _rows(data, "messages", mount, file, stage)
        self._db.executemany(
            "insert or replace into echo (mount, file, stage, seq) values (?, ?, ?, ?)", rows
        )


def _is_edit(src: dict[str, object], mounts: dict[str, dict[str, object]]) -> bool:
    """Return True if a message is what another file of a mount with a file for all mail asked for."""
    mail, file = mail_file(mounts.get(text(src, "mount"), {})), text(src, "file")
    return mail not in ("", original_file(file)) and not file.startswith(REPLACED)


def _rows(data: dict[str, object], name: str, *head: str) -> list[tuple[object, ...]]:
    """Return a row for each event number in a list of an event."""
    value = data.get(name)
    return [(*head, each) for each in value if type(each) is int] if type(value) is list else []
