"""Rules of working together, checked for a line of a file: its sender is notified.

A line that breaks such a rule counts all the same, and `talk = "ignore"` of a mount or of the policy allows
it. Two lines have no effect: one that sets the autonomy of an agent, if its sender is no lead, and one by
which an agent leaves, if it holds work. Their recipient is notified, too. A command that says the same is
refused (`bus/tasks/etiquette.py`). What was in a file before it was mounted is not checked.
"""

from collections.abc import Iterable
from sqlite3 import Connection

from palaver.model.event import Event, flag, table, text
from palaver.model.task import GIVING, OPENING, TO_DO, Task, runs_in_parallel, says_nothing
from palaver.views.agents.policy import Policy
from palaver.views.fold import first_line, sender_of
from palaver.views.mail.open_questions import between
from palaver.views.query import Query, marks
from palaver.views.tasks.board import SEEN, attempt, is_live, leased_by, owe, owe_once

_VOID = {
    "deliver": (
        "result-on-close",
        "You closed {task} without its result; say what came out, in the same line",
    ),
    "block": ("reason-on-block", "You blocked {task} without a reason; say why, in the same line"),
}

# The way out for a line that nothing proves.
_PROVE = "send it with a command inside a run of the sender, or from the dashboard"
_DELIVERED = ("delivered", "checking")
#: Rules that a line breaks and counts all the same.
COUNTED = frozenset(["result-on-close", "reason-on-block", "one-task-at-a-time"])


def notify_both(db: Connection, event: Event, broken: tuple[str, str, str], to: list[str]) -> None:
    """Record notices about a broken rule and its task: to the sender, and to its first recipient."""
    rule, why, task = broken
    sender = sender_of(event)
    if owe_once(db, event, (rule, task), sender, why):
        for other in [agent for agent in to if agent != sender][:1]:
            owe(db, event, (SEEN, task), other, why)


def report_ignored_move(db: Connection, event: Event, task_id: str, to: list[str], why: str) -> None:
    """Record notices about a move without effect, to both sides: each once for the same reason in an hour."""
    sender, said = sender_of(event), f"{text(event.data, 'act')} {task_id} {why}"
    owe_once(db, event, ("no-effect", task_id), sender, mistake=f"no-effect {said}")
    # The recipient must not rely on it either.
    for other in [agent for agent in to if agent != sender][:1]:
        owe_once(db, event, ("no-power", task_id), other, mistake=f"no-power {said}")


def report_powerless(
    db: Connection, event: Event, agents: list[str], leads: Iterable[str], unproved: str = ""
) -> None:
    """Report a line that sets the autonomy of agents, by a sender that may not, or is not known to be it."""
    if event.src is not None and is_live(event):
        sender, only = sender_of(event), " or ".join(sorted(leads))
        rule = f"only {only} may change autonomy" if only else "only the lead may change autonomy"
        ask = f"; ask {only}" if only else ""
        rule, ask = (unproved, f"; {_PROVE}") if unproved else (rule, ask)
        why = f"Your change of autonomy had no effect: {rule}{ask}"
        if owe_once(db, event, ("autonomy-not-from-lead", ""), sender, why):
            for other in [agent for agent in agents if agent != sender][:1]:
                owe(db, event, (SEEN, ""), other, f"{sender} changed your autonomy without effect: {rule}")


def report_unknown_agent(db: Connection, event: Event, named: str, nearest: list[str]) -> None:
    """Report a line that sets the autonomy of an agent that does not exist."""
    if event.src is not None and is_live(event):
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else "check the name"
        why = f"Your change of the autonomy of {named} had no effect: there is no such agent; {hint}"
        owe(db, event, ("autonomy-of-nobody", ""), sender_of(event), why)


def report_shutdown(db: Connection, event: Event, leads: Iterable[str], unproved: str = "") -> None:
    """Report a line that asks an agent to shut down, by a sender that may not, or is not known to be it."""
    if event.src is not None and is_live(event):
        sender, only = sender_of(event), " or ".join(sorted(leads))
        rule = f"{unproved}; {_PROVE}" if unproved else f"only {only} may ask for one; ask {only}"
        why = f"Your shutdown request had no effect: {rule}"
        owe(db, event, ("shutdown-not-from-lead", ""), sender, why)


def report_departure(db: Connection, asked: Query, event: Event, to: list[str]) -> None:
    """Report a line by which an agent leaves although it holds work; it is ignored."""
    sender = sender_of(event)
    kept = leased_by(asked, sender)
    if kept and event.src is not None and is_live(event):
        why = f"{sender} cannot leave now: {sender} holds {', '.join(kept)}; deliver, release or hand it on"
        notify_both(db, event, ("leave-with-work", why, ""), to)


def can_open(policy: Policy, act: str, event: Event) -> bool:
    """Return True if a message may be the first about a task.

    A line in the wrong file is none, and neither is a delivery where nobody begins without approval, or where
    only a task that was given is delivered. Where tasks are given, no line is but the one that gives it.
    """
    team = policy.conventions(event)
    if policy.misfiled(event) or act not in OPENING:
        return False
    if not is_live(event) or act in GIVING:
        return True
    must_be_known = team.claims_need_approval or team.delivers_given_tasks
    return not team.tasks_are_given and not (act == "deliver" and must_be_known)


def says_again(db: Query, task: Task, act: str, event: Event, to: list[str]) -> bool:
    """Return True if a message repeats a handover, or a delivery: in another form, or with its result.

    An agent that passed a delivery on may pass it on again.
    """
    if act == "handoff" and task.state == "handed":
        return (sender_of(event), to) == (task.giver, [task.holder])
    if act == "ready" and task.state == "checking":
        last = attempt(db, task.seq)
        return last is not None and (last.act, last.actor) == (act, sender_of(event))
    words = first_line(text(event.data, "body"))
    is_by_holder = task.state in (*_DELIVERED, "done") and sender_of(event) == task.holder
    if act != "deliver" or not is_by_holder or not words:
        return False
    return words == task.result or (says_nothing(act, task.result) and not says_nothing(act, words))


def find_broken_rule(
    db: Query, policy: Policy, task: Task, event: Event, to: list[str]
) -> tuple[str, str] | None:
    """Return the rule that a line breaks by moving a task, and how; None if it breaks none."""
    act = text(event.data, "act")
    is_given = act == "assign" or (
        act == "handoff" and not policy.conventions(event).handoff_is_finished_work
    )
    if is_given and len(to) == 1:
        [agent] = to
        found = _untimely(db, policy, task.id, agent, event)
        return found and (found[0], f"You gave {task.id} to {agent}, who {found[1]}")
    if act == "accept" and policy.conventions(event).done_needs_delivery and task.state not in _DELIVERED:
        return "done-without-delivery", f"You marked task {task.id} as done, but nobody has delivered it"
    if (
        act in _VOID
        and policy.conventions(event).refuses_untimely_tasks
        and policy.text("talk", event) != "ignore"
    ):
        rule, words = _VOID[act]
        if says_nothing(act, text(event.data, "body")):
            return rule, words.format(task=task.id)
    return None


def _untimely(db: Query, policy: Policy, task: str, agent: str, event: Event) -> tuple[str, str] | None:
    """Return why a task comes at the wrong time for an agent; None where the policy allows that."""
    if policy.talk(agent) in ("", "ignore"):
        return None
    by = sender_of(event)
    is_parallel = flag(table(event.data, "meta"), "parallel") or runs_in_parallel(text(event.data, "body"))
    question, other = find_hindrance(db, task, agent, by)
    if question:
        return "answer-before-asking", "waits for an answer; answer first"
    if other and not is_parallel and not policy.allows_parallel(agent):
        return "one-task-at-a-time", f"has {other}; close that one first"
    return None


def find_hindrance(db: Query, task: str, agent: str, by: str) -> tuple[str, str]:
    """Return what speaks against giving an agent a task now: its question to the giver, another task."""
    asked = between(db, asker=agent, asked=by)
    # SQLite uses the index of held tasks only if the query says that they are held.
    busy = db.execute(
        "select id from task where holder = ? and holder <> '' and id <> ? "
        f"and state in ({marks(len(TO_DO))}) order by opened limit 1",
        (agent, task, *TO_DO),
    )
    return asked[0].id if asked else "", str(busy[0][0]) if busy else ""
