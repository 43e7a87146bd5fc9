"""Work: open a task, and move it. Every move is a message, judged before it is written and after.

A move that is already impossible is refused, and nothing is written. One that loses a race stands in the log
without effect, and the caller is told who won (docs/adr/0005).
"""

from dataclasses import dataclass

from palaver.bus.config.config_events import apply
from palaver.bus.mail.message_check import check, encodable, harmless
from palaver.bus.mail.plain_send import mail_sent, stamp
from palaver.bus.mail.send import once
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.bus.tasks import leases
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.etiquette import heed
from palaver.log.clock import letters, now
from palaver.model.errors import (
    BadArguments,
    EmptyBody,
    IllegalMove,
    NotFound,
    NotPermitted,
    Retired,
    TaskCycle,
    TaskTaken,
    TooLarge,
)
from palaver.model.event import Event
from palaver.model.limits import LOCK_SECONDS, SUBJECT_CHARS, TASK_CHARS
from palaver.model.message import Message
from palaver.model.names import address
from palaver.model.task import ENDED, GIVING, STATES, TASK_ACTS, Bar, Task, acts_in, says_nothing
from palaver.views.agents.roster import Roster
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card, MoveAttempt
from palaver.views.tasks.move_check import Judge

# States in which a holder has something to do.
AT_WORK = ("assigned", "handed", "claimed", "working", "blocked", "rework")
# What may be said of a task, and what kind of value that is.
FIELDS: dict[str, type] = {
    **dict.fromkeys(("title", "about", "kind", "owner", "restricted"), str),
    **dict.fromkeys(("priority", "difficulty", "level", "lease"), int),
    **dict.fromkeys(("approval", "check"), bool),
    **dict.fromkeys(("needs", "needs_not"), list),
}


@dataclass(frozen=True, slots=True)
class MoveResult:
    """What became of a move."""

    card: Card
    tried: MoveAttempt
    message: Message

    @property
    def effect(self) -> bool:
        """Tell whether it counted; if not, somebody was faster."""
        return not self.tried.why

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "effect": self.effect,
            "why": self.tried.why,
            "act": self.tried.act,
            "message_id": self.message.id,
            "seq": self.message.seq,
            "task": self.card.plain(),
        }


def task_name(text: str) -> str:
    """Return the canonical form of a task's id, or refuse it."""
    if not 0 < len(text) <= TASK_CHARS or not text.isprintable() or " " in text or text.startswith("-"):
        raise BadArguments(
            f"cannot use the task id {text[:80]!a}",
            f"an id is one word of at most {TASK_CHARS} characters",
            "use letters, digits, '.', '-' and '_'",
        )
    return text.lower()


def open_task(
    session: Session,
    by: str,
    title: str,
    *,
    task_id: str = "",
    fields: dict[str, object] | None = None,
    key: str = "",
) -> Card:
    """Open a task; `fields` say more of it."""
    fields = _fields(fields or {})
    if not title.strip():
        raise EmptyBody("cannot open a task", "it has no title", "say in a few words what is to be done")
    if len(title) > SUBJECT_CHARS:
        raise TooLarge(
            "cannot open the task", f"its title is longer than {SUBJECT_CHARS} characters", "use --about"
        )
    _sayable(title)
    wanted = task_name(task_id) if task_id else f"t-{letters()[:5]}"
    roster = _current(session)
    _speaks(roster, by)
    db = session.view.current()
    found = board.task(db, wanted)
    if found is not None and found.title and found.owner:
        raise TaskTaken(
            f"cannot open {wanted}", f"{found.owner or 'somebody'} has opened it", "choose another id"
        )
    needs = _needs(session, wanted, fields.get("needs"))
    if needs:
        fields["needs"] = needs
    data: dict[str, object] = {"task": wanted, "title": title, **fields}
    event = keys.append(session, draft("task.opened", by, data, key=key))
    tried = _folded(session, event.seq)
    if tried.why and tried.before:
        raise TaskTaken(f"cannot open {wanted}", "somebody else just did", "choose another id")
    return task_card(session, wanted)


def change_task(session: Session, by: str, task_id: str, fields: dict[str, object], *, key: str = "") -> Card:
    """Change what a task says of itself; its owner may, and who leads."""
    found = find_task(session, task_id)
    roster = session.view.roster()
    _speaks(roster, by)
    judge = Judge(session.view.current(), roster)
    person = judge.policy.is_person(by, session.proof(by))
    if found.owner and by != found.owner and by not in judge.policy.leads() and not person:
        raise NotPermitted(f"cannot change {found.id}", f"{found.owner} owns it, not {by}", "ask the owner")
    if not fields:
        raise BadArguments(f"nothing to change in {found.id}", "no field is given", "palaver task --help")
    fields = _fields(fields)
    needs = _needs(session, found.id, fields.get("needs"))
    if needs:
        fields = {**fields, "needs": needs}
    event = keys.append(session, draft("task.changed", by, {"task": found.id, **fields}, key=key))
    tried = _folded(session, event.seq)
    if tried.why:
        raise TaskCycle(
            f"cannot change {found.id}", tried.why, "somebody else changed it meanwhile; look again"
        )
    settle(session)
    return task_card(session, found.id)


def move(session: Session, message: Message, *, key: str = "", allow_secret: bool = False) -> MoveResult:
    """Move a task by a message with an act and a task; refuse what is already impossible."""
    if message.act not in TASK_ACTS:
        acts = ", ".join(sorted(TASK_ACTS))
        raise BadArguments(f"'{message.act[:40]}' moves no task", "", f"use one of {acts}")
    keys.check_key(key)
    if message.auth == "claimed":
        message = message.replace(auth=session.proof(message.sender))
    roster = _current(session)
    db = session.view
    found = _found(session, db, message.task)
    message = message.replace(task=found.id)
    _speaks(roster, message.sender)
    judge = Judge(db, roster)
    if found.holder not in ("", message.sender) and leases.sweep(session):
        found = find_task(session, found.id)
    concerned = _concerned(found, message.act, message.sender, judge.policy.leads())
    if not message.to or message.act in ("accept", "rework"):
        # Whoever made it, passed it on or owns it hears that it is done, or is to be done again.
        message = message.replace(to=list(dict.fromkeys([*message.to, *concerned])))
    message = _with_words(message, found.title)
    message = _check(message, roster, allow_secret=allow_secret)
    heed(session, message, roster)
    stands = key and db.execute("select 1 from key where actor = ? and key = ?", (message.sender, key))
    if not stands:
        # A key that stands was judged when it came first.
        _judged(judge, found, message)
    cause = _cause(session, found)
    message = message if message.id else stamp(message, letters(), now())
    if key:
        event = once(session, message, key, cause)
        message = message.replace(id=str(event.data.get("message_id")), event_id=event.event_id)
    else:
        event = session.log.append([mail_sent(message, caused_by=cause)])[0]
    message = message.replace(seq=event.seq)
    session.wakeups.ring(message.to)
    tried = _folded(session, event.seq)
    if board.due(db, 1):
        settle(session)
    return MoveResult(board.card(db, _found(session, db, found.id)), tried, message)


def _cause(session: Session, found: Task) -> str:
    """Return the event that a move of a task comes after: the one that brought it to where it is."""
    events = session.log.read(found.seq - 1, 1) if found.seq else []
    return events[0].event_id if events and events[0].seq == found.seq else ""


def find_task(session: Session, task_id: str) -> Task:
    """Return a task, or refuse with ids that look like it."""
    _current(session)
    return _found(session, session.view, task_id)


def _found(session: Session, db: Query, task_id: str) -> Task:
    wanted = task_name(task_id)
    found = board.task(db, wanted)
    if found is None:
        session.view.insist()
        close = board.alike(db, wanted)
        hint = f"did you mean {' or '.join(close)}?" if close else "palaver task list shows them"
        raise NotFound(f"no task {wanted}", "nobody has opened it", hint)
    return found


def task_card(session: Session, task_id: str) -> Card:
    """Return a task with what it waits for."""
    return board.card(session.view, find_task(session, task_id))


def tried_on(session: Session, task_id: str) -> list[MoveAttempt]:
    """Return every move that was tried on a task, with what came of it."""
    return board.tried(session.view.current(), find_task(session, task_id).id)


def list_tasks(
    session: Session, *, states: tuple[str, ...] = (), holder: str = "", owner: str = "", ready: bool = False
) -> list[Card]:
    """Return the tasks that fit, after what is over was ended, if somebody watched for so long."""
    for state in states:
        if state not in STATES:
            raise BadArguments(f"there is no state {state[:40]!a}", "", f"use {', '.join(STATES)}")
    holder, owner = (address(given).lstrip("@") if given else "" for given in (holder, owner))
    _current(session)
    if leases.sweep(session):
        settle(session)
    return board.cards(session.view.current(), states=states, holder=holder, owner=owner, ready=ready)


# --- what is judged before anything is written ---


def _current(session: Session) -> Roster:
    roster = apply(session, patient=True)
    session.view.insist()
    return roster


def _speaks(roster: Roster, agent: str) -> None:
    known = roster.agents.get(agent)
    if known is not None and known.retired:
        raise Retired(f"{agent} cannot speak", "it is retired", f"palaver agents add {agent}")


def _fields(given: dict[str, object]) -> dict[str, object]:
    """Return what is said of a task, if it can be said; who is named must have a name."""
    for name, value in given.items():
        if name not in FIELDS or type(value) is not FIELDS[name]:
            raise BadArguments(f"cannot use {name[:40]!a} of a task", "", f"use {', '.join(FIELDS)}")
        if name == "priority" and type(value) is int and value not in range(5):
            raise BadArguments(f"cannot use the priority {value}", "", "use 0, the most urgent, to 4")
        if type(value) is int and not 0 <= value < 1 << 31:
            raise BadArguments(f"cannot use {value} as {name}", "it is out of bounds", "use a small number")
        _sayable(str(value))
    named = {name: address(str(given[name])) for name in ("owner", "restricted") if given.get(name)}
    return {**given, **named}


def sayable(given: dict[str, object]) -> None:
    """Refuse what cannot be said of a task."""
    _fields({name: value for name, value in given.items() if value})


def _sayable(text: str) -> None:
    encodable(text)
    harmless(text)


def _needs(session: Session, task_id: str, given: object) -> list[str]:
    """Return what a task shall need, if all of it is there and none of it waits for the task."""
    needs = [task_name(str(each)) for each in given] if isinstance(given, list) else []
    for needed in needs:
        if needed != task_id:
            find_task(session, needed)
    way = board.cycle(session.view.current(), task_id, needs)
    if way:
        raise TaskCycle(
            f"{task_id} cannot wait for {way[1]}",
            f"they would wait for each other: {' → '.join(way)}",
            "take one of these needs out",
        )
    return needs


def _concerned(task: Task, act: str, sender: str, leads: frozenset[str]) -> list[str]:
    """Return who should hear of a move where nobody is named: those on the other side of the task."""
    above = [task.owner] if task.owner else sorted(leads)
    below = [task.holder]
    both = [*above, *below, task.giver, *task.checker.split()]
    whom = {
        "approve": below,
        "refuse": above if sender == task.holder and task.state != "claimed" else below,
        "accept": both,
        "rework": both,
        "cancel": below,
        "release": both,
        # Who is unblocked by somebody else must hear it.
        "resume": above if sender == task.holder else both,
    }
    return list(dict.fromkeys(agent for agent in whom.get(act, above) if agent and agent != sender))


def _with_words(message: Message, title: str) -> Message:
    """Return a move with the words that it needs; refuse one that only its sender can explain."""
    if message.act == "deliver" and says_nothing("deliver", message.body):
        raise EmptyBody(
            f"cannot deliver {message.task}", "it does not say what the result is", "give it with -m TEXT"
        )
    if message.act == "block" and says_nothing("block", message.body):
        raise EmptyBody(f"cannot block {message.task}", "it does not say why", "give the reason with -m TEXT")
    if message.act in GIVING and not message.body.strip():
        # Who gets it sees what it is about.
        return message.replace(body=message.subject or title or f"{message.task} is yours.")
    return message


def _check(message: Message, roster: Roster, *, allow_secret: bool) -> Message:
    """Return the checked message; one that concerns nobody else has no recipients, and that is right here."""
    checked = check(message.replace(to=message.to or [message.sender]), allow_secret=allow_secret)
    message = checked.replace(to=checked.to if message.to else [])
    for written in message.to:
        meaning = roster.resolve(written)
        if meaning.kind == "none":
            close = roster.nearest(written)
            hint = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists who there is"
            raise NotFound(f"cannot {message.act} {message.task}", f"{written}: {meaning.why}", hint)
    return message


def _judged(judge: Judge, task: Task, message: Message) -> None:
    """Refuse a move that would have no effect as things stand."""
    data = message.fields()
    event = Event({"actor": message.sender, "auth": message.auth, "data": data})
    verdict = judge.check(task, event)
    if not verdict.why:
        return
    what = f"cannot {message.act} {task.id}"
    if message.act in ("claim", "ack") and task.holder and task.holder != message.sender:
        ended = task.state in ENDED
        raise TaskTaken(
            what, verdict.why, "palaver task list --ready shows others" if ended else "choose another"
        )
    if verdict.bar is Bar.PERMISSION:
        raise NotPermitted(what, verdict.why, f"palaver task show {task.id}")
    if verdict.bar is Bar.STATE:
        raise IllegalMove(what, verdict.why, f"possible acts: {', '.join(acts_in(task.state))}")
    raise IllegalMove(what, verdict.why, "palaver task list --ready shows what can be claimed")


def _folded(session: Session, seq: int) -> MoveAttempt:
    """Return what came of the move at a number of the log; wait for the view to hold it."""
    db = session.view.current(LOCK_SECONDS)
    session.view.insist()
    tried = board.attempt(db, seq)
    assert tried is not None, "what was appended about a task is in the view when that is current"
    return tried
