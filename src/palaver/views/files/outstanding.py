"""What mounts are still owed: messages that must be written to their files, and what is there already.

A message is owed to the mounts where its recipients live. It is settled when a pass has read it there.
"""

from palaver.model.event import Event, number, text, texts
from palaver.model.names import BUS, EVERYONE
from palaver.views.fold import Fold, Folds, on, sender_of
from palaver.views.query import Query, whole

_TABLES = (
    """create table outstanding (
        mount text, seq integer, silent integer, primary key (mount, seq)) without rowid""",
    """create table echo (
        mount text, seq integer, file text, stage text, primary key (mount, seq, file)) without rowid""",
    "create table shown (mount text primary key, seq integer) without rowid",
)


def outstanding(db: Query, mount: str, limit: int) -> list[tuple[int, str, bool]]:
    """Return the messages that must still stand in a mount, oldest first: number, and place in the log.

    And whether it is only to be known there, because it was withdrawn.
    """
    rows = db.execute(
        "select o.seq, m.place, o.silent from outstanding o "
        "join message m on m.seq = o.seq where o.mount = ? order by o.seq limit ?",
        (mount, limit),
    )
    return [(whole(seq), str(place), bool(silent)) for seq, place, silent in rows]


def meant(db: Query, seq: int) -> dict[str, str]:
    """Return whom the names of a message meant when it was sent, for those that stand for one agent."""
    rows = db.execute(
        "select d.via, a.id from delivery d join agent a on a.number = d.agent "
        "where d.message = ? and d.via is not null and d.shared = 0",
        (seq,),
    )
    found: dict[str, list[str]] = {}
    for via, agent in rows:
        found.setdefault(str(via), []).append(str(agent))
    return {via: agents[0] for via, agents in found.items() if len(agents) == 1 and via != EVERYONE}


def waiting(db: Query) -> dict[str, int]:
    """Return how many messages must still be written, by mount."""
    rows = db.execute("select mount, count(*) from outstanding group by mount")
    return {str(mount): whole(count) for mount, count in rows}


def echoed(db: Query, mount: str) -> dict[tuple[int, str], str]:
    """Return where outstanding messages of a mount stand already: (number, file) → how far that is."""
    rows = db.execute("select seq, file, stage from echo where mount = ?", (mount,))
    return {(whole(seq), str(file)): str(stage) for seq, file, stage in rows}


def shown(db: Query, mount: str) -> int:
    """Return the last event that stands in a mount's file of events."""
    rows = db.execute("select seq from shown where mount = ?", (mount,))
    return whole(rows[0][0]) if rows else 0


class Outstanding(Fold):
    """How events change it; the new rows of one batch are collected first."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._owed: list[tuple[str, int]] = []

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._owed:
            self._db.executemany("insert or ignore into outstanding values (?, ?, 0)", self._owed)
            self._owed = []

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        """Find the mounts that a message must be written to: where its recipients live, not its own."""
        mounts = self._roster.mounts
        if not mounts:
            return
        known = self._roster.agents
        written = texts(event.data, "to")
        agents = self._roster.recipients(sender_of(event), written).reached
        found = dict.fromkeys(home for agent in agents for home in known[agent].homes if home in mounts)
        for address in written:
            if address == EVERYONE:
                found.update(dict.fromkeys(mounts))
            elif address.lstrip("@") in mounts:
                found[address.lstrip("@")] = None
        src = event.src or {}
        if src.get("history"):
            # It was said before the mount was there: whoever should have it elsewhere has moved on.
            return
        if src and not src.get("onward"):
            found.pop(text(src, "mount"), None)
        elif src:
            found[text(src, "mount")] = None
        self._owed += [(mount, event.seq) for mount in found]

    @on("mail.withdrawn")
    def _withdrawn(self, event: Event) -> None:
        """Apply `mail.withdrawn`: what is written nowhere yet need not be; if it is, it is still known."""
        self.flush()
        self._db.execute(
            "update outstanding set silent = 1 where seq = "
            "(select seq from message where id = ? and (sender = ? or ? = ?)) and not exists "
            "(select 1 from delivery d where d.message = outstanding.seq and d.read is not null)",
            (text(event.data, "message_id"), event.actor, event.actor, BUS),
        )

    @on("config.applied")
    def _configured(self, event: Event) -> None:
        """Forget what was to be written into mounts that are no more; a new one owes nothing of the past."""
        self.flush()
        keep = list(self._roster.mounts)
        marks = ", ".join("?" * len(keep))
        for name in ("outstanding", "echo"):
            self._db.execute(f"delete from {name} where mount not in ({marks})", keep)
        for mount in keep:
            self._db.execute("insert or ignore into shown values (?, ?)", (mount, event.seq))
        self._db.execute(f"delete from shown where mount not in ({marks})", keep)

    @on("file.echoed")
    def _echoed(self, event: Event) -> None:
        """Apply `file.echoed`: what we wrote is there; `done` has no other file to be written to."""
        data = event.data
        mount, file = text(event.src or data, "mount"), text(event.src or data, "file")
        self.flush()
        self._staged(mount, file, data, "echoed")
        done = [(mount, seq) for seq in _numbers(data, "done")]
        self._db.executemany("delete from outstanding where mount = ? and seq = ?", done)
        self._db.executemany("delete from echo where mount = ? and seq = ?", done)
        through = number(data, "through")
        if through:
            self._db.execute("insert or replace into shown values (?, ?)", (mount, through))
            self._db.execute(
                "delete from echo where mount = ? and file = ? and seq <= ?", (mount, file, through)
            )

    @on("file.prepared")
    def _prepared(self, event: Event) -> None:
        """Apply `file.prepared`: it is whole, beside its place, and only has to be moved there."""
        src = event.src or {}
        self._staged(text(src, "mount"), text(src, "file"), event.data, "prepared")

    def _staged(self, mount: str, file: str, data: dict[str, object], stage: str) -> None:
        self._db.executemany(
            "insert or replace into echo values (?, ?, ?, ?)",
            [(mount, seq, file, stage) for seq in _numbers(data, "messages")],
        )


def _numbers(data: dict[str, object], name: str) -> list[int]:
    value = data.get(name)
    return [each for each in value if type(each) is int] if type(value) is list else []
