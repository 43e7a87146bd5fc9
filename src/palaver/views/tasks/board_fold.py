"""How events change the board: one table of moves, applied in the order of the log.

Total: whatever the log contains becomes a move, or an ignored move with its reason; never an exception. The
consequences of a move (a refusal for the second claimant, a notice to the agents that waited, the mechanical
part of an absent manager) are pending until the event that carries them out is in the log.
"""

from palaver.model.event import Event, number, table, text, texts
from palaver.model.limits import TASK_CHARS
from palaver.model.names import BUS
from palaver.model.task import (
    COLUMNS,
    ENDED,
    GIVEN,
    GIVING,
    LEASED,
    LOST_CLAIM,
    TAKING,
    TASK_ACTS,
    Move,
    Task,
    is_repeat,
    open_task,
)
from palaver.views.agents.autonomy import AUTONOMOUS, level
from palaver.views.fold import (
    ABOUT_TASK,
    BY_BUS,
    Fold,
    Folds,
    first_line,
    gist_of,
    is_again,
    on,
    sender_of,
    task_of,
    with_act,
)
from palaver.views.mail.open_questions import Questions
from palaver.views.query import marks
from palaver.views.tasks import board, etiquette
from palaver.views.tasks.assignments import Assignments
from palaver.views.tasks.board import card, concerns_question, from_row, is_live, owe, owe_once
from palaver.views.tasks.lost_claims import rejects_lost_claim
from palaver.views.tasks.move_check import MISFILED, Judge, MoveCheck
from palaver.views.tasks.task_fields import add_checkers, keep_words, set_fields, take_state_of_file

_QUOTED = ", ".join(f'"{column}"' for column in COLUMNS)
_INSERT = f"insert or replace into task ({_QUOTED}) values ({marks(len(COLUMNS))})"
# Rules of notices: messages of `palaver` that move nothing, whatever their act.
NOTICES = (
    *("granted", "second-claim", "no-effect", "no-power", "supervised", "gated"),
    *("unblocked", "pending", "lease-ends", "lease-ended"),
)

# Acts whose task may be implied.
IMPLYING = ("ack", "block", "handoff", "deliver", "approve", "refuse", "accept")


class BoardFold(Fold):
    """How events change the board; the tasks of one batch are collected first."""

    TABLES = board.TABLES
    INDEXES = board.INDEXES

    def __init__(self, folds: Folds) -> None:
        """Start from what the database holds."""
        super().__init__(folds)
        self._known: dict[str, Task | None] = {}
        self._dirty: dict[str, Task] = {}
        self._policy = folds.policy

    def flush(self) -> None:
        """Write the tasks that have changed since the last call."""
        if self._dirty:
            rows = [task.row() for _, task in sorted(self._dirty.items())]
            self._db.executemany(_INSERT, rows)
            self._dirty = {}
        if len(self._known) > TASK_CHARS:
            self._known = {}

    # --- events ---

    @on(BY_BUS)
    def _carried_out(self, event: Event) -> None:
        """Forget the pending consequence that this event carries out."""
        if event.key:
            self._db.execute("delete from task_due where key = ?", (event.key,))

    @on(ABOUT_TASK)
    def _sent(self, event: Event) -> None:
        data = event.data
        task_id = self._named(event)
        if not 0 < len(task_id) <= TASK_CHARS:
            return
        is_notice = event.actor == BUS and event.key and text(table(data, "meta"), "rule") in NOTICES
        if is_notice or is_again(event):
            return
        act = text(data, "act") or "inform"
        sender = sender_of(event)
        task = self._task(task_id)
        if task is None and concerns_question(self._db, task_id, act):
            return
        if task is None:
            if not etiquette.can_open(self._policy, act, event):
                self._report_unknown(task_id, act, sender, event)
                return
            task = self._implied_task(task_id, act, sender, event)
        if act in TASK_ACTS:
            self._move(task, act, sender, event)
        elif sender == task.holder:
            task.touched, task.heard = event.timestamp, event.seq
            self._dirty[task.id] = task

    @on(*map(with_act, IMPLYING))
    def _sent_without_task(self, event: Event) -> None:
        """Move the only task that a message can mean, if it names none and its protocol allows that."""
        if text(event.data, "task") or not self._policy.conventions(event).implies_task:
            return
        self.flush()
        act, sender = text(event.data, "act"), sender_of(event)
        found = sorted(task.id for task in Judge(self._folds, self._roster).implied_tasks(event))
        task = self._task(found[0]) if len(found) == 1 else None
        if task is not None:
            self._move(task, act, sender, event)
        elif found and is_live(event):
            why = f"You said '{act}' without a task, and it can mean {' or '.join(found)}; name the task"
            owe(self._db, event, ("which-task", ""), sender, why)

    @on(with_act("leave"))
    def _left(self, event: Event) -> None:
        self.flush()
        named = [self._roster.meaning(written) for written in texts(event.data, "to")]
        to = [meaning.agents[0] for meaning in named if meaning.kind == "agent"]
        etiquette.report_departure(self._db, self._folds, event, to)

    @on("task.opened")
    def _opened(self, event: Event) -> None:
        """Open a task; one that is known only from messages gets the fields that it lacks."""
        task_id = task_of(event)
        if not 0 < len(task_id) <= TASK_CHARS:
            return
        task = self._task(task_id)
        if task is not None and task.title and task.owner:
            why = "there is one of that id"
            self._record(task, event, by=event.actor, act="open", before=task.state, why=why)
            return
        fresh = task is None
        if task is None:
            task = open_task(task_id, owner=event.actor, at=event.timestamp, seq=event.seq)
            task.lease = self._policy.number("lease", event)
            task.approval = self._policy.flag("approval", event)
            self._known[task_id] = task
        if not task.owner and event.actor != BUS:
            # It was claimed before it was opened.
            task.owner = event.actor
        why = set_fields(self._folds, task, event)
        before = "" if fresh else task.state
        if fresh and event.actor == BUS and event.auth == "token":
            take_state_of_file(task, event)
        self._record(task, event, by=event.actor, act="open", before=before, why=why)

    @on("task.changed")
    def _changed(self, event: Event) -> None:
        task = self._task(task_of(event))
        if task is None:
            return
        owners = self._policy.leads_for(event) | {BUS, task.owner}
        why = self._policy.powerless("change", event)
        if not why and task.owner and event.actor not in owners:
            why = f"only its owner ({task.owner}) may change it"
        why = why or set_fields(self._folds, task, event)
        self._record(task, event, by=event.actor, act="change", before=task.state, why=why)

    @on("task.lease_ended")
    def _lease_ended(self, event: Event) -> None:
        """Open the task again, if it is still that claim."""
        task = self._task(task_of(event))
        if task is None or event.actor != BUS:
            return
        before, holder = task.state, task.holder
        still = (task.fence, task.heard) == (number(event.data, "fence"), number(event.data, "heard"))
        if not still or task.state not in LEASED:
            # It was reassigned, or its holder was active, before this event was logged.
            return
        self._free(task)
        self._enter(task, "open", event)
        self._record(task, event, by=BUS, act="lease", before=before, gist=f"{holder} lost it")
        owe(self._db, event, ("lease-ended", task.id), holder)

    @on("mail.acknowledged")
    def _acknowledged(self, event: Event) -> None:
        """Let the agent that acknowledges the mail that gave it a task take it."""
        by = text(event.data, "by").lower()
        for message_id in texts(event.data, "message_ids"):
            row = self._db.execute(
                "select task, seq from message where id = ? and act in ('assign', 'handoff') and task <> ''",
                (message_id,),
            ).fetchone()
            task = self._task(row[0].lower()) if row else None
            if task is None or (task.holder, task.fence) != (by, row[1]):
                continue
            if (before := task.state) in ("assigned", "handed"):
                self._enter(task, "working", event)
                self._record(task, event, by=by, act="ack", before=before)

    @on("agent.registered")
    def _registered(self, event: Event) -> None:
        if level := number(event.data, "level"):
            values = (text(event.data, "agent").lower(), level)
            self._db.execute("insert or replace into level values (?, ?)", values)

    # --- a move ---

    def _move(self, task: Task, act: str, sender: str, event: Event) -> None:
        self.flush()
        verdict = Judge(self._folds, self._roster).check(task, event)
        before = task.state
        if verdict.move is None and etiquette.says_again(self._folds, task, act, event, verdict.to):
            keep_words(task, act, event)
            if not self._policy.powerless("check", event):
                add_checkers(task, act, Judge(self._folds, self._roster).addressed(event, roles=True))
            self._dirty[task.id] = task
            return
        if verdict.move is None and rejects_lost_claim(self._db, task, act, verdict):
            verdict = verdict._replace(why=LOST_CLAIM)
        if verdict.move is None:
            self._record(task, event, by=sender, act=act, before=before, why=verdict.why)
            self._report_ignored(task, sender, event, verdict)
            return
        move, to = verdict.move, verdict.to
        self._report_broken_rule(task, event, to)
        if act == "assign" and before == "open" and len(to) != 1:
            # A task that is assigned to everyone is open.
            self._record(task, event, by=sender, act=act, before="")
            return
        rival = task.holder if move.when == GIVEN else ""
        self._hand(task, move, sender, to, event)
        keep_words(task, act, event)
        self._enter(task, "open" if move.to == "rework" and not task.holder else move.to, event)
        self._record(task, event, by=sender, act=act, before=before)
        if rival and is_live(event):
            owe(self._db, event, ("second-claim", task.id), rival, f"{task.holder} has it")
        if before == "open" and task.state in ("claimed", "working") and is_live(event):
            self._report_claim(task, sender, event)
        self._follow(task, move, event)

    def _report_unknown(self, task_id: str, act: str, sender: str, event: Event) -> None:
        """Notify both sides of a move of a task that does not exist; a misfiled line was reported before."""
        if act not in TASK_ACTS:
            return
        why = MISFILED if self._policy.misfiled(event) else "there is no such task"
        self._attempt(task_id, event, by=sender, act=act, why=why)
        if event.src is not None and is_live(event) and why != MISFILED:
            to = Judge(self._folds, self._roster).addressed(event)
            etiquette.report_ignored_move(self._db, event, task_id, to, why)

    def _report_ignored(self, task: Task, sender: str, event: Event, verdict: MoveCheck) -> None:
        """Notify both sides of an ignored move; a misfiled line was reported before."""
        if self._policy.misfiled(event):
            return
        act = text(event.data, "act")
        if act == "approve":
            # The lead itself answers the claim.
            self._db.execute("delete from task_due where rule = 'granted' and task = ?", (task.id,))
        if act in ("claim", "ack") and task.holder != sender and is_live(event):
            owe(self._db, event, ("second-claim", task.id), sender)
        elif event.src is not None and is_live(event) and not is_repeat(act, task.state, verdict.why):
            etiquette.report_ignored_move(self._db, event, task.id, verdict.to, verdict.why)

    def _report_broken_rule(self, task: Task, event: Event, to: list[str]) -> None:
        """Notify the sender of a line that counts, and yet breaks a rule."""
        if event.src is not None and is_live(event):
            found = etiquette.find_broken_rule(self._folds, self._policy, task, event, to)
            if found:
                rule, why = found
                owe_once(self._db, event, (rule, task.id), sender_of(event), why)

    def _report_claim(self, task: Task, sender: str, event: Event) -> None:
        """Tell the lead of an agent that it takes or wants a task, unless the agent is free or told it."""
        rule = "supervised" if task.state == "working" else "gated"
        reached = self._roster.recipients(sender, texts(event.data, "to")).reached
        if rule == "gated" or level(self._folds, sender) != AUTONOMOUS:
            for lead in sorted(self._policy.supervisors(sender) - set(reached)):
                owe(self._db, event, (rule, task.id), lead)

    def _hand(self, task: Task, move: Move, sender: str, to: list[str], event: Event) -> None:
        """Set the holder, giver and checker of a task after a move."""
        if move.to == "open":
            self._free(task)
        elif move.when == GIVEN or (move.act in GIVING and move.to in ("assigned", "handed")):
            task.giver, task.holder, task.fence = task.holder or sender, to[0], event.seq
            self._folds.get(Assignments).given(event, task.id, task.holder)
        elif move.act == "refuse" and move.before == "handed":
            task.holder, task.giver, task.fence = task.giver, "", event.seq
        elif not task.holder and move.act in TAKING | {"handoff"}:
            task.holder, task.fence = sender, event.seq
        if move.to in ("delivered", "checking") and not self._policy.powerless("check", event):
            task.checker = " ".join(to)
        if move.act == "ready":
            # The agent that passes it on is notified of the outcome.
            task.giver = sender
        if move.act in ("claim", "ack", "approve"):
            task.lease = number(table(event.data, "meta"), "lease") or task.lease

    def _free(self, task: Task) -> None:
        task.holder = task.giver = task.checker = ""
        task.fence = 0

    def _enter(self, task: Task, state: str, event: Event) -> None:
        task.state = state
        if state in ENDED:
            self._folds.get(Questions).task_ended(task.id)
        task.since = task.touched = event.timestamp
        task.seq = task.heard = event.seq
        self._folds.get(Assignments).over(event, task.id, task.holder, state)

    def _record(
        self, task: Task, event: Event, *, by: str, act: str, before: str, why: str = "", gist: str = ""
    ) -> None:
        """Record an attempt and its outcome, once the task has its new state."""
        self._dirty[task.id] = task
        self._attempt(task.id, event, by=by, act=act, states=(before, task.state), why=why, gist=gist)
        if act in ("claim", "deliver"):
            self._db.execute("insert or replace into task_claimed values (?, ?)", (by, event.seq))

    def _attempt(
        self,
        task_id: str,
        event: Event,
        *,
        by: str,
        act: str,
        states: tuple[str, str] = ("", ""),
        why: str,
        gist: str = "",
    ) -> None:
        move = (event.seq, task_id, event.timestamp, by, act, *states, why)
        said = (text(event.data, "message_id"), gist or first_line(text(event.data, "body")))
        self._db.execute(f"insert or ignore into task_move values ({marks(10)})", (*move, *said))

    # --- consequences ---

    def _follow(self, task: Task, move: Move, event: Event) -> None:
        """Record what `palaver` has to send now."""
        auto = self._policy.text("manager") == "auto" and task.approval
        if move.act == "claim" and task.state == "working":
            if is_live(event) and self._policy.answers_claims(task.holder):
                owe(self._db, event, ("granted", task.id), task.holder)
        elif task.state == "claimed" and auto:
            owe(self._db, event, ("auto-approve", task.id), task.holder)
        elif task.state == "delivered" and auto:
            owe(self._db, event, ("auto-accept", task.id), task.holder)
        elif task.state == "done":
            self.flush()
            for (waiting,) in self._db.execute(
                "select task from task_need where needs = ? order by task", (task.id,)
            ).fetchall():
                other = self._task(waiting)
                if other is not None and card(self._folds, other).ready:
                    whom = "@all" if auto else other.restricted or other.owner
                    owe(self._db, event, ("unblocked", other.id), whom)

    # --- tasks ---

    def _task(self, task_id: str) -> Task | None:
        if task_id not in self._known:
            row = self._db.execute(f"select {_QUOTED} from task where id = ?", (task_id,)).fetchone()
            self._known[task_id] = from_row(row) if row else None
        return self._known[task_id]

    def _named(self, event: Event) -> str:
        """Return the id of the task that a message is about, as the board has it."""
        task_id = task_of(event)
        if self._task(task_id) is None and self._policy.conventions(event).pads_numbers:
            self.flush()
            return board.padded_id(self._folds, task_id)
        return task_id

    def _implied_task(self, task_id: str, act: str, sender: str, event: Event) -> Task:
        """Return a task that was never opened, by the conventions of the first message about it."""
        task = open_task(task_id, at=event.timestamp, seq=event.seq)
        task.owner = sender if act in GIVING else ""
        team = self._policy.conventions(event)
        is_unset = not self._policy.text("approval", event)
        task.approval = self._policy.flag("approval", event) or (is_unset and team.claims_need_approval)
        task.check = team.work_needs_check
        task.lease = self._policy.number("lease", event)
        if act in GIVING:
            task.title = gist_of(event)
        elif act == "claim":
            # A claim repeats what the agent has read on the board.
            said = table(event.data, "meta")
            task.title = first_line(text(said, "title"))
            level = text(said, "difficulty")
            task.difficulty = int(level) if len(level) == 1 and level.isdecimal() else 0
        self._known[task_id] = task
        self._dirty[task_id] = task
        return task
