"""The volume of injected text: mail, and the prompts of the agents' programs.

That is the cost of working together: agents have to read all of it.
"""

from typing import ClassVar

from palaver.model.event import Event, number, text
from palaver.views.fold import Fold, Reactions
from palaver.views.query import Query

_TABLES = (
    """create table given (
        agent text, kind text, times integer, chars integer, primary key (agent, kind)) without rowid""",
)


class InputVolume(Fold):
    """How events add to the volume."""

    TABLES = _TABLES

    def delivered(self, event: Event) -> None:
        """Apply `mail.delivered`: the text of messages, waited for or put into a program."""
        self._add(text(event.data, "recipient"), "mail", number(event.data, "chars"))

    def started(self, event: Event) -> None:
        """Apply `run.started`: the prompt of a program."""
        self._add(text(event.data, "agent"), "prompt", number(event.data, "prompt"))

    def _add(self, agent: str, kind: str, chars: int) -> None:
        if not agent or not 0 < chars < 1 << 40:
            return
        self._db.execute(
            "insert into given values (?, ?, 1, ?) on conflict do update "
            "set times = times + 1, chars = chars + excluded.chars",
            (agent, kind, chars),
        )

    REACTIONS: ClassVar[Reactions] = {
        "mail.delivered": delivered,
        "run.started": started,
    }


def given(db: Query) -> list[tuple[str, str, int, int]]:
    """Return (agent, kind, times, characters) of the injected text of each agent."""
    return db.execute("select agent, kind, times, chars from given order by agent, kind")
