"""Rules of a pair that works together, as collab has them: answer before you ask, and one task at a time.

They are checked when a command assigns a task. The setting `talk`, of the receiver's mount or of the policy,
decides what happens: `refuse` writes nothing (the default of collab), `report` adds a note to the answer (the
default elsewhere), `ignore` is silent. Parallel tasks are allowed with `--parallel`, or by the mount.
"""

from palaver.bus.power_check import require_for_message
from palaver.bus.session import Session
from palaver.model.errors import AnswerFirst, NotFound, NotPermitted, OneAtATime, Refusal
from palaver.model.event import flag, text
from palaver.model.message import Message
from palaver.model.task import runs_in_parallel
from palaver.views.agents.autonomy import may_set
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.tasks.board import leased_by
from palaver.views.tasks.etiquette import find_hindrance


def heed(session: Session, message: Message, roster: Roster) -> None:
    """Refuse or report an assignment that comes at the wrong time."""
    if message.act == "leave":
        _free_to_go(session, message.sender)
    policy = Policy(roster)
    require_for_message(session, policy, message)
    _heed_directors(policy, message, roster)
    if message.act != "assign" or not message.task:
        return
    named = [roster.meaning(written) for written in message.to]
    for agent in [meaning.agents[0] for meaning in named if meaning.kind == "agent"]:
        talk = policy.talk(agent) or "report"
        is_parallel = flag(message.meta, "parallel") or runs_in_parallel(message.body)
        parallel = is_parallel or policy.allows_parallel(agent)
        objection = None if talk == "ignore" else _objection(session, message, agent, parallel=parallel)
        if objection is not None and talk == "refuse":
            raise objection
        if objection is not None:
            session.view.note(f"{objection} [{objection.code}]")


def _heed_directors(policy: Policy, message: Message, roster: Roster) -> None:
    """Refuse to direct agents that the sender does not lead."""
    if message.act == "autonomy":
        named = text(message.meta, "agent")
        agents = roster.meaning(named).agents or [message.sender]
        if not all(may_set(policy, message.sender, message.auth, agent) for agent in agents):
            raise _not_theirs("set an agent's autonomy", message.sender)
        if named and roster.meaning(named).kind == "none":
            close = roster.nearest(named)
            way_out = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists the agents"
            raise NotFound(f"cannot set the autonomy of {named}", "there is no such agent", way_out)
    if message.act == "shutdown":
        agents = [agent for written in message.to for agent in roster.meaning(written).agents]
        if not all(policy.may_end(message.sender, message.auth, agent) for agent in agents):
            raise _not_theirs("ask an agent to shut down", message.sender)


def _not_theirs(what: str, sender: str) -> NotPermitted:
    return NotPermitted(f"cannot {what}", f"{sender} does not lead", "ask who leads")


def _free_to_go(session: Session, agent: str) -> None:
    """Refuse to let an agent leave that holds tasks."""
    kept = leased_by(session.view, agent)
    if kept:
        raise NotPermitted(
            f"{agent} cannot leave now",
            f"{agent} holds {', '.join(kept)}",
            "deliver, release or hand it on; or refuse",
        )


def _objection(session: Session, message: Message, agent: str, *, parallel: bool) -> Refusal | None:
    what = f"{agent} should not get {message.task} now"
    question, other = find_hindrance(session.view, message.task.lower(), agent, message.sender)
    if question:
        return AnswerFirst(what, f"{agent} waits for your answer to {question}", f"palaver reply {question}")
    if other and not parallel:
        return OneAtATime(what, f"{agent} has {other}", "wait for it, or say --parallel")
    return None
