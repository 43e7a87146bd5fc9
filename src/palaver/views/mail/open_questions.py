"""Open questions: what an agent has asked of another, and waits for.

A question waits for its answer, a ping for a reply, a nudge for any activity, a mention for its
acknowledgement, a shutdown request for its confirmation or a refusal. An answer closes the question that it
names, else the one about the same task, else the oldest between the two agents. A plain message to the agent
that asked is such an answer. When a task ends, nobody waits for answers about it. An answer without power
closes nothing (docs/adr/0051).
"""

from typing import NamedTuple

from palaver.model.event import Event, number, table, text, texts
from palaver.model.names import BUS
from palaver.model.waits import WAITS, is_answer
from palaver.views.fold import Fold, Folds, gist_of, is_again, on, sender_of, task_of
from palaver.views.query import Query, marks
from palaver.views.tasks.board import leased_by

_TABLES = (
    """create table question (
        seq integer, asked text, asker text, kind text, id text, task text, at text, gist text,
        shared integer, primary key (seq, asked)) without rowid""",
    "create index question_asked on question (asked, asker)",
    "create index question_id on question (id)",
)
_KINDS = tuple(kind for kind in WAITS if kind.is_question)
# The kind of question that each act asks.
ASKING = {act: kind.name for kind in _KINDS for act in kind.asked_by}


class OpenQuestion(NamedTuple):
    """One thing that an agent waits for."""

    seq: int
    asked: str
    asker: str
    kind: str
    id: str
    task: str
    at: str
    gist: str


_QUESTION = ", ".join(OpenQuestion._fields)


def _select(db: Query, condition: str, values: tuple[object, ...] = ()) -> list[OpenQuestion]:
    rows = db.execute(f"select {_QUESTION} from question {condition}", values)
    return list(map(OpenQuestion._make, rows))


def questions(db: Query) -> list[OpenQuestion]:
    """Return all open questions, oldest first."""
    return _select(db, "order by seq, asked")


def newest(db: Query, limit: int) -> list[OpenQuestion]:
    """Return the newest open questions, newest first: enough for an overview."""
    return _select(db, "order by seq desc, asked limit ?", (limit,))


def between(db: Query, *, asker: str, asked: str) -> list[OpenQuestion]:
    """Return the unanswered questions of one agent to another."""
    return _select(db, "where asked = ? and asker = ? and kind = 'ask' order by seq", (asked, asker))


def asked_of(db: Query, agent: str, mount: str) -> list[OpenQuestion]:
    """Return the questions that an agent could answer, its own and those to all of a mount, oldest first."""
    fits = "where asked in (?, ?) and asker <> ? and kind = 'ask' order by seq"
    return _select(db, fits, (agent, f"@{mount}", agent))


class Questions(Fold):
    """How messages open and close questions."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start from what the database holds."""
        super().__init__(folds)
        # The agents with open questions: most messages come from others, and cost nothing here.
        self._busy = {asked for (asked,) in self._db.execute("select distinct asked from question")}

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        """Close the questions that a message answers, and open those that it asks."""
        if is_again(event):
            return
        data = event.data
        act = text(data, "act") or "inform"
        sender = sender_of(event)
        if act == "leave" and leased_by(self._folds, sender):
            # It is ignored while the sender holds work: the agent that asked for it still waits.
            return
        may_answer = (sender in self._busy or "reply_to" in data) and event.actor != BUS
        # What the bus sends in the name of an agent answers nothing.
        if may_answer and not self._folds.policy.powerless("reply", event):
            self._close(event, act, sender)
        mentions = texts(table(data, "meta"), "mentions") if "meta" in data else []
        if mentions and number(event.src or {}, "history"):
            # History: its recipients are not waited for.
            mentions = []
        if act in ASKING and event.actor != BUS:
            self._open(event, ASKING[act], sender, texts(data, "to"))
        elif mentions:
            self._open(event, "mention", sender, mentions)

    @on("mail.withdrawn")
    def _withdrawn(self, event: Event) -> None:
        self._db.execute(
            "delete from question where id = ? and asker = ?", (text(event.data, "message_id"), event.actor)
        )

    @on("mail.acknowledged")
    def _acknowledged(self, event: Event) -> None:
        """Close mentions: an acknowledgement is what they wait for."""
        by = text(event.data, "by").lower()
        if by in self._busy:
            for message_id in texts(event.data, "message_ids"):
                self._db.execute(
                    "delete from question where id = ? and asked = ? and kind = 'mention'", (message_id, by)
                )

    def _open(self, event: Event, kind: str, sender: str, to: list[str]) -> None:
        gist = gist_of(event)
        for written in to:
            meaning = self._roster.meaning(written)
            # One answer is enough, however many agents were asked.
            shared = int(len(to) > 1 or meaning.kind in ("role", "list", "mount", "all"))
            agents = [each for each in meaning.agents if each != sender and meaning.kind != "none"]
            policy = self._folds.policy
            if meaning.kind == "mount":
                agents = [each for each in agents if not policy.is_anonymous(each)]
            if kind == "shutdown":
                # A request of an agent that does not lead, or is not known to, is ignored.
                is_void = policy.powerless(kind, event) != ""
                agents = [each for each in agents if not is_void and policy.may_end(sender, event.auth, each)]
            if meaning.kind == "mount" and not agents and kind == "ask":
                # No other agent is registered there yet; any that comes may answer.
                agents = [f"@{written.lstrip('@').lower()}"]
            for agent in agents:
                self._busy.add(agent)
                row = (event.seq, agent, sender, kind, text(event.data, "message_id"))
                about = (task_of(event), event.timestamp, gist, shared)
                self._db.execute(f"insert or ignore into question values ({marks(9)})", (*row, *about))

    def _close(self, event: Event, act: str, sender: str) -> None:
        """Close the questions that a message answers."""
        self._db.execute("delete from question where asked = ? and kind = 'nudge'", (sender,))
        reply_to = text(event.data, "reply_to")
        if reply_to:
            # A question to several agents is answered by one of them, or by a later member.
            self._db.execute(
                "delete from question where id = ? and asker <> ? and (asked = ? or shared = 1)",
                (reply_to, sender, sender),
            )
        meanings = [self._roster.meaning(written) for written in texts(event.data, "to")]
        for asker in {agent for meaning in meanings for agent in meaning.agents}:
            self._settle(act, sender, asker)
        if is_answer(act, task_of(event)):
            # A plain message answers the agent that it is for, not everyone that it reaches.
            heard = [each for each in meanings if act == "answer" or each.kind in ("agent", "role")]
            for asker in {agent for meaning in heard for agent in meaning.agents}:
                self._acknowledge(sender, asker)
                if not reply_to:
                    self._answer(sender, asker, task_of(event))

    def _acknowledge(self, sender: str, asker: str) -> None:
        """Close the mentions of an agent by one that it writes to: a reply says that they were read."""
        self._db.execute(
            "delete from question where asked = ? and asker = ? and kind = 'mention'", (sender, asker)
        )

    def task_ended(self, task: str) -> None:
        """Close the questions about a task that has ended."""
        self._db.execute("delete from question where task = ? and kind = 'ask'", (task,))

    def _settle(self, act: str, sender: str, asker: str) -> None:
        """Close the questions of one agent to the sender that are settled by this act."""
        for kind in _KINDS:
            if kind.is_settled_by(act):
                self._db.execute(
                    "delete from question where asked = ? and asker = ? and kind = ?",
                    (sender, asker, kind.name),
                )

    def _answer(self, sender: str, asker: str, task: str) -> None:
        """Close the question that an answer to one agent means: the one about the task, or the oldest."""
        found = self._db.execute(
            "select seq from question where asked = ? and asker = ? and kind = 'ask' "
            "order by (task <> ? or task = ''), seq limit 1",
            (sender, asker, task),
        ).fetchone()
        if found:
            self._db.execute(
                "delete from question where seq = ? and (asked = ? or shared = 1)", (found[0], sender)
            )
