"""The volume of injected text: mail, and the prompts of the agents' programs.

That is the cost of working together: agents have to read all of it.
"""

from palaver.model.event import Event, number, text
from palaver.views.fold import Fold, on
from palaver.views.query import Query

_TABLES = (
    """create table given (
        agent text, kind text, times integer, chars integer, primary key (agent, kind)) without rowid""",
)


class InputVolume(Fold):
    """How events add to the volume."""

    TABLES = _TABLES

    @on("mail.delivered")
    def _delivered(self, event: Event) -> None:
        """Count the text of messages, waited for or put into a program."""
        self._add(text(event.data, "recipient"), "mail", number(event.data, "chars"))

    @on("run.started")
    def _started(self, event: Event) -> None:
        self._add(text(event.data, "agent"), "prompt", number(event.data, "prompt"))

    def _add(self, agent: str, kind: str, chars: int) -> None:
        if not agent or not 0 < chars < 1 << 40:
            return
        self._db.execute(
            "insert into given values (?, ?, 1, ?) on conflict do update "
            "set times = times + 1, chars = chars + excluded.chars",
            (agent, kind, chars),
        )


def given(db: Query) -> list[tuple[str, str, int, int]]:
    """Return (agent, kind, times, characters) of the injected text of each agent."""
    return db.execute("select agent, kind, times, chars from given order by agent, kind")
