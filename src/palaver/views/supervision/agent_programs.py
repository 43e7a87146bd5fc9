"""For each agent the programs that have not ended, and the last one that has."""

from palaver.model.event import Event, number, text
from palaver.views.fold import Fold, on

_TABLES = (
    """create table agent_program (
        agent text, start text, run text, seq integer, ended integer, code integer, signal integer,
        reason text, primary key (agent, start)) without rowid""",
)


class AgentPrograms(Fold):
    """How events change them."""

    TABLES = _TABLES

    @on("run.started")
    def _started(self, event: Event) -> None:
        agent = text(event.data, "agent").lower()
        if agent:
            self._db.execute(
                "insert or ignore into agent_program values (?, ?, ?, ?, 0, 0, 0, '')",
                (agent, event.event_id, text(event.data, "run"), event.seq),
            )

    @on("run.ended")
    def _ended(self, event: Event) -> None:
        data = event.data
        agent, run, start = text(data, "agent").lower(), text(data, "run"), text(data, "start")
        which = "start = ?" if start else "run = ?"
        numbers = (number(data, "exit"), number(data, "signal"))
        done = self._db.execute(
            "update agent_program set ended = ?, code = ?, signal = ?, reason = ? "
            f"where agent = ? and {which} and ended = 0",
            (event.seq, *numbers, text(data, "reason"), agent, start or run),
        )
        if done.rowcount:
            self._db.execute(
                "delete from agent_program where agent = ? and ended > 0 and ended < ?", (agent, event.seq)
            )
