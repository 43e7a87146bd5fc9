"""Runs: which program ran as which agent, how far it is, and how it ended.

Only what the log records: `runs/process_table.py` examines the processes of this machine.
"""

from typing import NamedTuple

from palaver.model.event import Event, number, text
from palaver.views.fold import Fold, on
from palaver.views.query import Query, marks

_TABLES = (
    """create table run (
        start text primary key, seq integer, run text, agent text, task text, command text, by text,
        host text, boot text, pid integer, ticks integer, pgid integer, runner integer, runner_ticks integer,
        at text, bytes integer, line text, heard text, idle text, ended text, code integer, signal integer,
        reason text, message text,
        killing integer, outer_run text) without rowid""",
    "create index run_agent on run (run, agent, seq)",
    "create index run_of_agent on run (agent, seq)",
    "create table run_token (digest text primary key, start text) without rowid",
    # For each agent the programs that have not ended, and the last one that has.
    """create table agent_program (
        agent text, start text, run text, seq integer, ended integer, code integer, signal integer,
        reason text, primary key (agent, start)) without rowid""",
)
_INDEXES = ("create index run_open on run (ended, agent)",)
# The values of a run that has just started: bytes, line, heard, idle, ended, code, signal, reason;
# the message for which it was started follows.
_FRESH = (0, "", "", "", "", 0, 0, "")


class Run(NamedTuple):
    """One execution of one program, as the log records it."""

    start: str
    seq: int
    run: str
    agent: str
    task: str
    command: str
    by: str
    host: str
    boot: str
    pid: int
    ticks: int
    pgid: int
    runner: int
    runner_ticks: int
    at: str
    bytes: int
    line: str
    heard: str
    idle: str
    ended: str
    code: int
    signal: int
    reason: str
    #: The id of the mail that it was started for, if it was.
    message: str = ""

    def plain(self) -> dict[str, object]:
        """Return what the log records of it, for programs."""
        named = {
            name: getattr(self, name) for name in ("run", "agent", "task", "command", "by", "pid", "pgid")
        }
        return {
            **named,
            "keeper": self.runner,
            "started_at": self.at,
            "bytes": self.bytes,
            "line": self.line,
            "output_at": self.heard or None,
            "ended_at": self.ended or None,
            "exit": self.code if self.ended and not self.signal else None,
            "signal": self.signal or None,
            "reason": self.reason,
        }


_COLUMNS = ", ".join(Run._fields)


def runs(db: Query, *, run: str = "", agent: str = "", going: bool = False, limit: int = 20) -> list[Run]:
    """Return the newest runs that fit, the newest first; `going` are those whose end is not in the log."""
    wanted = {"run = ?": run, "agent = ?": agent}
    where = ["ended = ''" if going else "1", *(clause for clause, value in wanted.items() if value)]
    rows = db.execute(
        f"select {_COLUMNS} from run where {' and '.join(where)} order by seq desc limit ?",
        (*(value for value in wanted.values() if value), limit),
    )
    return list(map(Run._make, rows))


def names(db: Query) -> list[str]:
    """Return the names of all runs."""
    return [str(row[0]) for row in db.execute("select distinct run from run")]


def is_over(db: Query, start: str) -> bool:
    """Return True if the log says how a run ended."""
    return bool(db.execute("select 1 from run where start = ? and ended <> ''", (start,)))


def is_being_killed(db: Query, start: str) -> bool:
    """Return True if a kill of the run was announced."""
    return bool(db.execute("select 1 from run where start = ? and killing = 1", (start,)))


def by_token(db: Query, digest: str) -> Run | None:
    """Return the run whose program was given the token with this digest."""
    rows = db.execute(f"select {_COLUMNS} from run_token join run using (start) where digest = ?", (digest,))
    return Run._make(rows[0]) if rows else None


class Runs(Fold):
    """How events change the runs."""

    TABLES = _TABLES
    INDEXES = _INDEXES

    @on("run.started")
    def _started(self, event: Event) -> None:
        data = event.data
        run, agent = text(data, "run"), text(data, "agent").lower()
        if not run or not agent:
            return
        words = [text(data, name) for name in ("task", "command", "by", "host", "boot")]
        numbers = [number(data, name) for name in ("pid", "ticks", "pgid", "keeper", "keeper_ticks")]
        self._db.execute(
            f"insert or ignore into run ({_COLUMNS}, killing, outer_run) values ({marks(24)}, 0, ?)",
            (
                event.event_id,
                event.seq,
                run,
                agent,
                *words,
                *numbers,
                event.timestamp,
                *_FRESH,
                text(data, "message"),
                text(event.inside or {}, "run"),
            ),
        )
        self._db.execute(
            "insert or ignore into agent_program values (?, ?, ?, ?, 0, 0, 0, '')",
            (agent, event.event_id, run, event.seq),
        )
        if digest := text(data, "token"):
            self._db.execute("insert or ignore into run_token values (?, ?)", (digest, event.event_id))

    @on("run.output")
    def _heard(self, event: Event) -> None:
        self._db.execute(
            "update run set bytes = max(bytes, ?), line = ?, heard = ?, idle = ''"
            " where start = ? and ended = ''",
            (number(event.data, "bytes"), text(event.data, "line"), event.timestamp, self._start(event)),
        )

    @on("run.idle")
    def _idle(self, event: Event) -> None:
        self._db.execute(
            "update run set idle = ? where start = ? and ended = ''", (event.timestamp, self._start(event))
        )

    @on("run.killing")
    def _killing(self, event: Event) -> None:
        """Note that it is being killed, so its end is not a crash."""
        self._db.execute("update run set killing = 1 where start = ?", (self._start(event),))

    @on("run.ended")
    def _ended(self, event: Event) -> None:
        """Close a run; it ends once."""
        data = event.data
        how = (number(data, "exit"), number(data, "signal"), text(data, "reason"))
        self._db.execute(
            "update run set ended = ?, code = ?, signal = ?, reason = ?, bytes = max(bytes, ?),"
            " line = coalesce(nullif(?, ''), line) where start = ? and ended = ''",
            (event.timestamp, *how, number(data, "bytes"), text(data, "line"), self._start(event)),
        )
        agent, run, start = text(data, "agent").lower(), text(data, "run"), text(data, "start")
        done = self._db.execute(
            "update agent_program set ended = ?, code = ?, signal = ?, reason = ? "
            f"where agent = ? and {'start' if start else 'run'} = ? and ended = 0",
            (event.seq, *how, agent, start or run),
        )
        if done.rowcount:
            older = "delete from agent_program where agent = ? and ended > 0 and ended < ?"
            self._db.execute(older, (agent, event.seq))

    def _start(self, event: Event) -> str:
        """Return the start that an event is about: the one it names, or the newest of its run and agent."""
        named = text(event.data, "start")
        if named:
            return named
        found = self._db.execute(
            "select start from run where run = ? and agent = ? order by seq desc limit 1",
            (text(event.data, "run"), text(event.data, "agent").lower()),
        ).fetchone()
        return str(found[0]) if found else ""
