"""Every kind of wait, in one table: who waits for whom, until when, and what ends the wait.

A question, a mention or an escalation waits for the agent it was sent to; a task in some states waits for one
of its parties. `palaver waiting`, the patrol, the dashboard and the reminders all read this table, so a new
kind of wait is one row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from palaver.model.task import TO_DO


class Blocks(Enum):
    """What a wait stops. Only a wait that stops something can be part of a cycle."""

    NOTHING = "nothing"
    TASK = "task"
    #: The agent itself: while it waits, it is not idle.
    AGENT = "agent"


class Party(Enum):
    """A party of a task."""

    NONE = "none"
    HOLDER = "holder"
    #: The agent that handed the task on.
    GIVER = "giver"
    #: The owner, or the giver of a task that has no owner.
    PRINCIPAL = "principal"
    OWNER = "owner"
    #: The owner, or every lead if the task has no owner.
    LEADS = "leads"
    #: The task's checkers, or else the same as `LEADS`.
    CHECKERS = "checkers"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitKind:
    """One row of the table."""

    name: str
    #: What the waiter waits for, as a noun: "bob waits for ada: an answer".
    noun: str
    #: What the other side must do, as a verb: "ada must answer".
    must: str
    #: The act that usually ends the wait.
    act: str
    #: The acts of a message that begins it.
    asked_by: tuple[str, ...] = ()
    #: Of a question: further acts to the asker that end it, besides a reply to it; None if any message does.
    settled_by: frozenset[str] | None = frozenset()
    #: The key of the first deadline; empty if nobody is reminded.
    deadline: str = ""
    #: What a reminder says; `{waiter}` and `{about}` are filled in.
    reminder: str = ""
    blocks: Blocks = Blocks.NOTHING
    #: The states of a task that waits like this, the party that waits, and the party that must act.
    states: tuple[str, ...] = ()
    waiter: Party = Party.NONE
    mover: Party = Party.NONE
    #: Acts with which the mover can end it, the usual one first; and what another agent can do instead.
    offers: tuple[str, ...] = ()
    instead: str = "assign"
    #: Only the patrol cares; no list shows it.
    is_silent: bool = False

    @property
    def is_question(self) -> bool:
        """Return True if a message asks for it, and the answer to that message ends it."""
        return not self.states and self.name != "escalation"

    def is_settled_by(self, act: str) -> bool:
        """Return True if a message with this act to the asker ends the wait."""
        return self.settled_by is None or act in self.settled_by

    @property
    def is_own_work(self) -> bool:
        """Return True if the holder itself must act: an idle agent is nudged for the same thing."""
        return self.mover is Party.HOLDER

    @property
    def is_offer(self) -> bool:
        """Return True if a task was given to an agent that has not taken it: it can go back."""
        return self.is_own_work and not self.is_silent


# Acts that answer a question in plain words, and those that do so if they are about no task.
_PLAIN: Final = frozenset(["answer", "inform", "decide"])
_VERDICTS: Final = frozenset(["approve", "refuse", "accept"])
#: Acts that may answer a question that they do not name.
ANSWERS: Final = _PLAIN | _VERDICTS


def is_answer(act: str, task: str) -> bool:
    """Return True if a message answers the oldest open question of the agent that it is for.

    So does an approval, if the question was for one; but an approval of a task is about that task.
    """
    return act in _PLAIN or (act in _VERDICTS and not task)


WAITS: Final = (
    WaitKind(name="escalation", noun="a decision", must="decide", act="answer", asked_by=("escalate",)),
    WaitKind(
        name="ask", noun="an answer", must="answer", act="answer", asked_by=("ask",), deadline="question",
        blocks=Blocks.AGENT,
        reminder="{waiter} is waiting for your answer to {about}",
    ),
    WaitKind(
        name="approval", noun="an approval", must="approve", act="approve", asked_by=("claim",),
        deadline="claim", blocks=Blocks.TASK, reminder="{waiter} is waiting for your approval of {about}",
        states=("claimed",), waiter=Party.HOLDER, mover=Party.LEADS, offers=("approve", "refuse"),
        instead="approve",
    ),
    WaitKind(
        name="block", noun="help with a block", must="answer", act="answer", asked_by=("block",),
        deadline="block", blocks=Blocks.TASK, reminder="{waiter} is blocked on {about}: help it to continue",
        states=("blocked",), waiter=Party.HOLDER, mover=Party.LEADS, offers=("resume", "assign"),
    ),
    WaitKind(
        name="ping", noun="a sign of life", must="answer", act="answer", asked_by=("ping",), settled_by=None,
        deadline="pong",
        reminder="{waiter} asks for a sign of life ({about})",
    ),
    WaitKind(name="nudge", noun="any activity", must="answer", act="answer", asked_by=("nudge",)),
    WaitKind(
        name="mention", noun="an acknowledgement", must="acknowledge", act="ack",
        settled_by=frozenset(["ack", "claim", "refuse", "answer"]), deadline="mention",
        reminder="{waiter} mentioned you in {about}: acknowledge it",
    ),
    WaitKind(
        name="shutdown", noun="confirmation of the shutdown", must="confirm the shutdown", act="leave",
        asked_by=("shutdown",), settled_by=frozenset(["leave", "refuse"]),
        deadline="shutdown", reminder="{waiter} asks you to shut down ({about}): confirm or refuse",
    ),
    WaitKind(
        name="start", noun="the start of the task", must="take it", act="ack", asked_by=("assign", "rework"),
        deadline="start",
        reminder="{about} is assigned to you: take it or refuse it",
        states=("assigned",), waiter=Party.PRINCIPAL, mover=Party.HOLDER, offers=("ack", "refuse"),
    ),
    WaitKind(
        name="handoff", noun="acceptance of the handoff", must="take it over", act="ack",
        asked_by=("handoff",), deadline="handoff",
        reminder="{waiter} handed {about} to you: take it or refuse it",
        states=("handed",), waiter=Party.GIVER, mover=Party.HOLDER, offers=("ack", "refuse"),
    ),
    WaitKind(
        name="check", noun="a check of the delivery", must="check it", act="accept",
        asked_by=("deliver", "ready"), deadline="delivery",
        reminder="{waiter} delivered {about}: accept it or send it back for rework",
        states=("delivered", "checking"), waiter=Party.HOLDER, mover=Party.CHECKERS,
        offers=("accept", "rework"), instead="ready",
    ),
    WaitKind(
        name="report", noun="a report", must="report", act="deliver", deadline="report",
        reminder="you are working on {about}: deliver it, report progress, or say what blocks it",
        states=("working", "rework"), waiter=Party.OWNER, mover=Party.HOLDER, is_silent=True,
    ),
)  # fmt: skip
KINDS: Final = {kind.name: kind for kind in WAITS}
_BY_STATE: Final = {state: kind for kind in WAITS for state in kind.states}
#: States of a task in which somebody must act, and those that a list of waits shows.
WAITING_STATES: Final = tuple(_BY_STATE)
LISTED_STATES: Final = tuple(state for state, kind in _BY_STATE.items() if not kind.is_silent)

assert all(state in WAITING_STATES for state in TO_DO), "the holder's work is always waited for"


class _Parties(Protocol):
    """What the table reads of a task."""

    @property
    def state(self) -> str: ...
    @property
    def holder(self) -> str: ...
    @property
    def owner(self) -> str: ...
    @property
    def giver(self) -> str: ...
    @property
    def checker(self) -> str: ...


def task_wait(task: _Parties, leads: Sequence[str]) -> tuple[WaitKind, str, list[str]]:
    """Return the kind of wait a task is in, the agent that waits, and the agents that can end it."""
    kind = _BY_STATE[task.state]
    return kind, "".join(_agents(kind.waiter, task, ())), _agents(kind.mover, task, leads)


def _agents(party: Party, task: _Parties, leads: Sequence[str]) -> list[str]:
    above = [task.owner] if task.owner else list(leads)
    match party:
        case Party.HOLDER:
            return [task.holder]
        case Party.GIVER:
            return [task.giver]
        case Party.OWNER:
            return [task.owner]
        case Party.PRINCIPAL:
            return [task.owner or task.giver]
        case Party.LEADS:
            return above
        case Party.CHECKERS:
            return task.checker.split() or above
        case Party.NONE:
            return []
