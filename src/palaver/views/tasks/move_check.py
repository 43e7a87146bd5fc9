"""Whether a move is allowed: by the table of moves, and by the objections to a move that the table allows.

The fold uses it when the log has decided, and a command before it writes anything: so a command is refused
for the same reasons for which a line in a file is ignored.
"""

from dataclasses import replace
from typing import NamedTuple

from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.task import FINISHED, GIVEN, NOT_ENDED, TAKING, Bar, Barred, Move, Task, judge
from palaver.views.agents.autonomy import level
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.fold import sender_of
from palaver.views.query import Query
from palaver.views.tasks.board import card, held, level_of

# What an agent acknowledges: work that it was given and has not begun.
NOT_TAKEN = ("assigned", "handed", "rework")
# Acts about the work of those that they address, if they name no task.
VERDICTS = ("approve", "refuse", "accept")
# The states of the tasks that an act without a task can mean.
_IMPLIED_STATES = {"ack": NOT_TAKEN, "accept": ("delivered", "checking")}
#: Why a line has no effect that somebody wrote into the file of another agent.
MISFILED = "it is in a file that belongs to another agent"
# How many tasks of an agent are looked at; more than one is ambiguous already.
_IMPLIED = 64


class MoveCheck(NamedTuple):
    """Whether a move is allowed: the row of the table that it follows, or why there is none."""

    move: Move | None
    bar: Bar | None
    why: str
    #: The agents that the message names.
    to: list[str]


class Judge(NamedTuple):
    """Judges moves by what a view holds."""

    view: Query
    roster: Roster

    @property
    def policy(self) -> Policy:
        """Return the policy in force."""
        return Policy(self.roster)

    def check(self, task: Task, event: Event) -> MoveCheck:
        """Return whether a message moves a task, or why not."""
        act = text(event.data, "act")
        sender = sender_of(event)
        meta = table(event.data, "meta")
        to = self.addressed(event)
        # A handoff to several agents also passes on finished work.
        finished = (
            flag(meta, "finished") or len(to) > 1 or self.policy.conventions(event).handoff_is_finished_work
        )
        given = False
        if act == "approve" and self.policy.conventions(event).approval_assigns:
            newcomer = [] if to else self._newcomer(event)
            given = task.holder not in to and (len(to) == 1 or (task.state != "claimed" and newcomer != []))
            to = to or newcomer
            if given and task.holder and self.roster.meaning(task.holder).kind == "none":
                # It was given to a name that is no agent's, misspelt perhaps: nobody works on it.
                task = replace(task, state="open", holder="")
        leads = self.policy.leads_for(event) | self.policy.heads(task.holder) | self._owners(task)
        gated = task.state == "open" and level(self.view, sender) == "gated"
        found: Move | Barred = _objection(MISFILED)
        if not self.policy.misfiled(event):
            found = judge(task, act, sender, leads=leads, finished=finished, given=given, gated=gated)
        if isinstance(found, Move):
            found = self._stale(task, event) or self._objection(task, found, to) or found
        if isinstance(found, Move) and task.state == "open" and _takes(found, sender, to):
            found = self._unclaimable(task, act, sender, event) or found
        if isinstance(found, Move):
            # A role checks work: any of its agents may.
            checks = found.to in ("delivered", "checking")
            return MoveCheck(found, None, "", self.addressed(event, roles=True) if checks else to)
        return MoveCheck(None, found.bar, found.why, to)

    def implied_tasks(self, event: Event) -> list[Task]:
        """Return the tasks that a message moves if it means them, though it names none.

        A verdict is about the work of those that it addresses, everything else about that of the sender.
        """
        act = text(event.data, "act")
        holders = self.addressed(event) if act in VERDICTS else [sender_of(event)]
        states = _IMPLIED_STATES.get(act, NOT_ENDED)
        found: list[Task] = []
        for task in (task for holder in holders for task in held(self.view, holder, states, _IMPLIED)):
            move = self.check(task, event).move
            if move is not None and move.to != task.state:
                found.append(task)
        return found

    def _stale(self, task: Task, event: Event) -> Barred | None:
        """Return why the sender may not move it: it is too late, or has no power in that name."""
        fence = number(table(event.data, "meta"), "fence")
        if fence and fence != task.fence:
            return _objection(f"fence {fence} is no longer valid: the task has changed hands since")
        why = self.policy.powerless(text(event.data, "act"), event)
        return Barred(Bar.PERMISSION, why) if why else None

    def _objection(self, task: Task, move: Move, to: list[str]) -> Barred | None:
        is_verdict = move.act in ("approve", "refuse") and task.state == "claimed" and move.when != GIVEN
        if is_verdict and to and task.holder not in to:
            return _objection(f"{task.holder} claimed it")
        announced = move.act == "assign" and task.state == "open"
        if move.to in ("assigned", "handed") and len(to) != 1 and not announced:
            return _objection("it does not name the one agent that gets it")
        return None

    def _unclaimable(self, task: Task, act: str, sender: str, event: Event) -> Barred | None:
        """Return why an open task is not for this agent, by whatever act it takes it, or None."""
        waits = card(self.view, task).waits_for
        if waits:
            return _objection(f"it waits for {', '.join(f'task {each}' for each in waits)}")
        if task.restricted and sender not in self.roster.meaning(task.restricted).agents:
            return Barred(Bar.PERMISSION, f"it is for {task.restricted} only")
        wanted, senior = task.level or task.difficulty, level_of(self.view, sender)
        if senior and senior < wanted:
            return _objection(f"it needs level {wanted}, and {sender} has {senior}")
        if act not in ("claim", "ack") and (task.approval or level(self.view, sender) == "gated"):
            return _objection(f"{sender} has not claimed it")
        if self.policy.allows_one_task(sender, event):
            held = self.view.execute(
                "select id from task where holder = ? and holder <> '' and id <> ? "
                "and state in ('working', 'blocked', 'rework') order by id",
                (sender, task.id),
            )
            if held:
                return _objection(f"{sender} has task {held[0][0]}, and one at a time is the policy")
        read_at = text(table(event.data, "meta"), "board-read-at")
        if read_at and read_at.rstrip("Z") < task.since.rstrip("Z") and task.seq != task.opened:
            return _objection(f"the board was read at {read_at}, and the task moved since")
        return None

    def _newcomer(self, event: Event) -> list[str]:
        """Return the agent that a message names before the bus knows it: nobody has to write first."""
        named = texts(event.data, "to")
        can_be = self.policy.conventions(event).is_agent_name
        return [each for each in named if can_be(each) and self.roster.meaning(each).kind == "none"][:1]

    def _owners(self, task: Task) -> frozenset[str]:
        """Return the agents of the role that owns a task."""
        meaning = self.roster.meaning(task.owner) if task.owner else None
        return frozenset(meaning.agents if meaning and meaning.kind == "role" else ())

    def addressed(self, event: Event, *, roles: bool = False) -> list[str]:
        """Return the agents that a message names, without the members of lists and @all.

        A role is one agent only if it has one; with `roles`, all of its agents are named.
        """
        named: dict[str, None] = {}
        for written in texts(event.data, "to"):
            meaning = self.roster.meaning(written)
            if meaning.kind == "agent" or (meaning.kind == "role" and (roles or len(meaning.agents) == 1)):
                named.update(dict.fromkeys(meaning.agents))
        return list(named)


def _takes(move: Move, sender: str, to: list[str]) -> bool:
    """Return True if the sender holds an open task after a move: it claims it, or does without a claim."""
    if move.to in ("assigned", "handed"):
        return to == [sender]
    return move.act in TAKING or move.when == FINISHED


def _objection(why: str) -> Barred:
    return Barred(Bar.OBJECTION, why)
