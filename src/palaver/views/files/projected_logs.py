"""Logs of a mount that are projections, though agents append to them too: mail, and all events.

A file is stale from an event on that it may not show yet: a message was read, its line needs a correction, or
another program has rewritten the file. It is put right once, and the log says so (`file.projected`).
"""

from collections.abc import Iterator

from palaver.dialects import mail_file
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
from palaver.views.fold import FOUND, Fold, on
from palaver.views.mail.inbox import Inbox
from palaver.views.query import Query, marks, whole

_TABLES = (
    # The messages that have a line in the mail file of a mount.
    "create table shown_mail (mount text, seq integer, primary key (mount, seq)) without rowid",
    # Ids of lines that another message had already, and the message that such a line is.
    """create table renamed_mail (
        mount text, written text, seq integer, primary key (mount, seq)) without rowid""",
    # Messages in lines that a replaced mail file gained, until the lines are copied: a line may have several.
    """create table late_mail (
        mount text, file text, offset integer, seq integer, primary key (mount, seq)) without rowid""",
    "create table stale_log (mount text, file text, seq integer, primary key (mount, file)) without rowid",
)


def is_stale(db: Query, mount: str, file: str) -> bool:
    """Return True if a file may not show what the log has."""
    return bool(db.execute("select 1 from stale_log where mount = ? and file = ?", (mount, file)))


def shown_mail(db: Query, mount: str) -> dict[str, int]:
    """Return the messages that have a line in the mail file of a mount: id → event, oldest first."""
    rows = db.execute(
        "select m.id, m.seq from shown_mail s join message m on m.seq = s.seq "
        "where s.mount = ? order by m.seq",
        (mount,),
    )
    return {str(message_id): whole(seq) for message_id, seq in rows}


def count_recipients(db: Query, mount: str) -> dict[str, int]:
    """Return how many addresses each of these messages names, oldest first."""
    rows = db.execute(
        "select m.id, (select count(distinct coalesce(via, agent)) from delivery d where d.message = m.seq) "
        "+ (select count(*) from undelivered u where u.message = m.seq) "
        "from shown_mail s join message m on m.seq = s.seq where s.mount = ? order by m.seq",
        (mount,),
    )
    return {str(message_id): max(1, whole(count)) for message_id, count in rows}


def taken_ids(db: Query, mount: str) -> set[str]:
    """Return the ids that lines of more than one message have."""
    rows = db.execute("select distinct written from renamed_mail where mount = ?", (mount,))
    return {str(written) for (written,) in rows}


def undelivered_mail(db: Query, mount: str) -> set[tuple[int, str]]:
    """Return the messages in the mail file of a mount, and their addresses, that reached no agent."""
    rows = db.execute(
        "select u.message, u.address from shown_mail s join undelivered u on u.message = s.seq "
        "where s.mount = ?",
        (mount,),
    )
    return {(whole(seq), str(address).lstrip("@")) for seq, address in rows}


def quarantined_lines(db: Query, mount: str, file: str) -> set[str]:
    """Return the hashes of lines of a file that are in quarantine: they say nothing, whatever their id."""
    rows = db.execute(
        "select piece.sha from source join piece on piece.source = source.number "
        "where source.mount = ? and source.file = ? and piece.seq in ("
        "select seq from quarantine where released is null union "
        "select p.seq from quarantine_place p join quarantine q using (id) where q.released is null)",
        (mount, file),
    )
    return {str(sha) for (sha,) in rows}


class ProjectedLogs(Fold):
    """How events change it."""

    TABLES = _TABLES

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        src = event.src
        if src is None:
            return
        file, mount = text(src, "file"), text(src, "mount")
        if file.startswith(ROTATED) and original_file(file) == self._mail_file(mount):
            # Its line is not in the file of all mail.
            src = {**src, "file": original_file(file)}
            self._spoil(src, event)
        if file.startswith(REPLACED) and original_file(file) == self._mail_file(mount):
            late = (mount, file, number(src, "off"), event.seq)
            self.collect("insert or ignore into late_mail values (?, ?, ?, ?)", late)
        if not self._is_mail(src):
            return
        self._show(mount, event.seq)
        if written := text(table(event.data, "meta"), "id"):
            row = (mount, written, event.seq)
            self.collect("insert or ignore into renamed_mail values (?, ?, ?)", row)
        if written or flag(event.data, "undeliverable"):
            self._spoil(src, event)

    @on("mail.read")
    def _read(self, event: Event) -> None:
        for mount in self._roster.mounts:
            if (file := self._mail_file(mount)) and self._shows(mount, texts(event.data, "message_ids")):
                self._spoil({"mount": mount, "file": file}, event)

    def _shows(self, mount: str, ids: list[str]) -> bool:
        """Return True if one of these messages has a line in the mail file of a mount."""
        self.flush()
        self._folds.get(Inbox).flush()
        query = "select 1 from message m join shown_mail s on s.seq = m.seq where m.id = ? and s.mount = ?"
        return any(self._db.execute(query, (message_id, mount)).fetchone() for message_id in ids)

    @on("file.echoed", "file.kept")
    def _found(self, event: Event) -> None:
        """Note the messages whose lines we wrote, and late lines, which may need a correction."""
        src = event.src or event.data
        mount = text(src, "mount")
        carried = [each for seq in _numbers(event, "carried") for each in self._of_line(mount, seq)]
        for seq in (*_numbers(event, "messages"), *carried) if self._is_mail(src) else carried:
            self._show(mount, seq)
        if self._is_mail(src) and (carried or flag(event.data, "repeated")):
            self._spoil(src, event)

    def _of_line(self, mount: str, seq: int) -> list[int]:
        """Return the messages of a late line that was copied, given the last of them; forget its place."""
        self.flush()
        rows = self._db.execute(
            "select other.seq from late_mail line join late_mail other using (mount, file, offset) "
            "where line.mount = ? and line.seq = ? order by other.seq",
            (mount, seq),
        ).fetchall()
        found = [whole(other) for (other,) in rows] or [seq]
        self._db.executemany(
            "delete from late_mail where mount = ? and seq = ?", [(mount, each) for each in found]
        )
        return found

    @on("file.rewritten")
    def _rewritten(self, event: Event) -> None:
        if event.src is not None and not flag(event.data, "ours"):
            self._spoil(event.src, event)

    @on("file.found", FOUND)
    def _noted(self, event: Event) -> None:
        src = source_of(event)
        if self._is_mail(src):
            self._spoil(src, event)

    @on("file.projected")
    def _projected(self, event: Event) -> None:
        self.flush()
        row = (text(event.data, "mount"), text(event.data, "file"), number(event.data, "through"))
        self._db.execute("delete from stale_log where mount = ? and file = ? and seq <= ?", row)

    @on("config.applied")
    def _configured(self, _: Event) -> None:
        """Forget the mounts that are no more."""
        self.flush()
        keep = list(self._roster.mounts)
        for name in ("shown_mail", "renamed_mail", "late_mail", "stale_log"):
            self._db.execute(f"delete from {name} where mount not in ({marks(len(keep))})", keep)

    def _show(self, mount: str, seq: int) -> None:
        if self._mail_file(mount):
            self.collect("insert or ignore into shown_mail values (?, ?)", (mount, seq))

    def _spoil(self, src: dict[str, object], event: Event) -> None:
        row = (text(src, "mount"), text(src, "file"), event.seq)
        self.collect("insert or replace into stale_log values (?, ?, ?)", row)

    def _is_mail(self, src: dict[str, object]) -> bool:
        return text(src, "file") == self._mail_file(text(src, "mount")) != ""

    def _mail_file(self, mount: str) -> str:
        return mail_file(self._roster.mounts.get(mount, {}))


def _numbers(event: Event, name: str) -> Iterator[int]:
    value = event.data.get(name)
    return (each for each in value if type(each) is int) if type(value) is list else iter(())
