"""Tasks as they are described: open one, and change what is said of it."""

from typing import Final

from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.operations import fields, keys
from palaver.bus.operations.operation import operation, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.moves import (
    current_roster,
    find_task,
    outcome,
    refuse_nobody,
    refuse_retired,
    task_card,
    task_name,
)
from palaver.log.clock import letters
from palaver.model.errors import BadArguments, EmptyBody, NotPermitted, TaskCycle, TaskTaken, TooLarge
from palaver.model.event import Event, text
from palaver.model.limits import SUBJECT_CHARS
from palaver.model.masking.masks import clip
from palaver.model.names import address
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.tasks import board
from palaver.views.tasks.board import Card

#: Values that say nothing.
_UNSAID: Final[tuple[object, ...]] = (None, "", [])
# What can be said of a task, and the type of each value.
FIELDS: dict[str, type] = {
    **dict.fromkeys(("title", "about", "kind", "owner", "restricted"), str),
    **dict.fromkeys(("priority", "difficulty", "level", "lease"), int),
    **dict.fromkeys(("approval", "check"), bool),
    **dict.fromkeys(("needs", "needs_not"), list),
}


def _opened_before(session: Session, first: Event) -> Card:
    return task_card(session, keys.field_of(first, "task.opened", "task"))


@operation(writes, repeat=_opened_before)
def open_task(
    session: Session,
    title: fields.Title,
    *,
    task: fields.TaskId = "",
    about: fields.About = "",
    needs: fields.Needs = None,
    kind: fields.Kind = "",
    owner: fields.Owner = "",
    restricted: fields.Restricted = "",
    priority: fields.TaskPriority | None = None,
    difficulty: fields.Difficulty | None = None,
    level: fields.TaskLevel | None = None,
    lease: fields.Lease | None = None,
    approval: fields.Approval = None,
    check: fields.Check = None,
    by: fields.Speaker = "",
    key: fields.Key = "",
) -> Card:
    """Open a task. Its id is generated unless one is given."""
    by = session.speaker(by)
    if not title.strip():
        raise EmptyBody("cannot open a task", "it has no title", "say in a few words what is to be done")
    if len(title) > SUBJECT_CHARS:
        raise TooLarge(
            "cannot open the task", f"its title is longer than {SUBJECT_CHARS} characters", "use --about"
        )
    wanted = task_name(task) if task else f"t-{letters()[:5]}"
    texts = {"about": about, "needs": needs, "kind": kind, "owner": owner, "restricted": restricted}
    numbers = {"priority": priority, "difficulty": difficulty, "level": level, "lease": lease}
    given = {**texts, **numbers, "approval": approval, "check": check}
    filled = {name: value for name, value in given.items() if value not in _UNSAID}
    said = _checked({"title": title, **filled})
    roster = current_roster(session)
    refuse_retired(roster, by)
    _refuse_strangers(roster, said, by)
    found = board.task(session.view.current(), wanted)
    if found is not None and found.title and found.owner:
        raise TaskTaken(f"cannot open {wanted}", f"{found.owner} has opened it", "choose another id")
    said = _with_needs(session, wanted, said)
    event = keys.append(session, draft("task.opened", by, {"task": wanted, **said}, key=key))
    tried = outcome(session, event.seq)
    if tried.why and tried.before:
        raise TaskTaken(f"cannot open {wanted}", "somebody else just did", "choose another id")
    return task_card(session, text(event.data, "task"))


def _changed_before(session: Session, first: Event) -> Card:
    return task_card(session, keys.field_of(first, "task.changed", "task"))


@operation(writes, repeat=_changed_before)
def change_task(
    session: Session,
    task: fields.TaskId,
    *,
    title: fields.Title | None = None,
    about: fields.About | None = None,
    needs: fields.Needs = None,
    needs_not: fields.NeedsNot = None,
    kind: fields.Kind | None = None,
    owner: fields.Owner | None = None,
    restricted: fields.Restricted | None = None,
    priority: fields.TaskPriority | None = None,
    difficulty: fields.Difficulty | None = None,
    level: fields.TaskLevel | None = None,
    lease: fields.Lease | None = None,
    approval: fields.Approval = None,
    check: fields.Check = None,
    by: fields.Speaker = "",
    key: fields.Key = "",
) -> Card:
    """Change what a task says of itself. What is not given stays."""
    by = session.speaker(by)
    found = find_task(session, task)
    roster = session.view.roster()
    refuse_retired(roster, by)
    policy = Policy(roster)
    is_lead = by in policy.leads() or policy.is_person(by, session.proof(by))
    if found.owner and by != found.owner and not is_lead:
        raise NotPermitted(f"cannot change {found.id}", f"{found.owner} owns it, not {by}", "ask the owner")
    require(session, "change", by=by)
    texts = {"title": title, "about": about, "kind": kind, "owner": owner, "restricted": restricted}
    numbers = {"priority": priority, "difficulty": difficulty, "level": level, "lease": lease}
    rest = {"needs": needs, "needs_not": needs_not, "approval": approval, "check": check}
    wanted: dict[str, object] = {**texts, **numbers, **rest}
    given = _checked({name: value for name, value in wanted.items() if value is not None})
    if not given:
        raise BadArguments(f"nothing to change in {found.id}", "no field is given", "palaver task --help")
    _refuse_strangers(roster, given, by)
    given = _with_needs(session, found.id, given)
    event = keys.append(session, draft("task.changed", by, {"task": found.id, **given}, key=key))
    tried = outcome(session, event.seq)
    if tried.why:
        raise TaskCycle(
            f"cannot change {found.id}", tried.why, "somebody else changed it meanwhile; look again"
        )
    settle(session)
    return task_card(session, found.id)


def check_fields(given: dict[str, object]) -> None:
    """Refuse what cannot be said of a task."""
    _checked({name: value for name, value in given.items() if value})


def _checked(given: dict[str, object]) -> dict[str, object]:
    """Return the fields of a task with addresses in their canonical form; refuse what cannot be said."""
    for name, value in given.items():
        if name not in FIELDS or type(value) is not FIELDS[name]:
            raise BadArguments(
                f"cannot use {clip(name, 40)!a} of a task",
                "it is no field, or of a wrong type",
                f"use {', '.join(FIELDS)}",
            )
        if name == "priority" and type(value) is int and value not in range(5):
            raise BadArguments(
                f"cannot use the priority {value}", "it is out of bounds", "use 0, the most urgent, to 4"
            )
        if type(value) is int and not 0 <= value < 1 << 31:
            raise BadArguments(f"cannot use {value} as {name}", "it is out of bounds", "use a small number")
        encodable(str(value))
        harmless(str(value), "description" if name == "about" else name)
    named = {name: address(str(given[name])) for name in ("owner", "restricted") if given.get(name)}
    return {**given, **named}


def _refuse_strangers(roster: Roster, given: dict[str, object], by: str) -> None:
    """Refuse an owner, or an agent that a task is for, that nobody knows."""
    for name in ("owner", "restricted"):
        if (named := str(given.get(name) or "")) and named != by:
            refuse_nobody(roster, named)


def _with_needs(session: Session, task_id: str, said: dict[str, object]) -> dict[str, object]:
    """Return the fields with the ids of the needed tasks; refuse unknown ones, and cycles."""
    given = said.get("needs")
    needs = [task_name(str(each)) for each in given] if isinstance(given, list) else []
    needs = [each if each == task_id else find_task(session, each).id for each in needs]
    way = board.cycle(session.view.current(), task_id, needs)
    if way:
        raise TaskCycle(
            f"{task_id} cannot wait for {way[1]}",
            f"they would wait for each other: {' → '.join(way)}",
            "take one of these needs out",
        )
    return {**said, "needs": needs} if needs else said
