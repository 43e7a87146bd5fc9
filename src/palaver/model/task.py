"""A task: a unit of work, whatever a dialect calls it. Its states, and every move between them, in one table.

A move is a message with an act and a task. `MOVES` says which acts count in which state, from whom, and which
state follows; any other move is logged and has no effect. The diagram in the docs is drawn from this table,
and the board is folded with it, so they cannot differ.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Final, NamedTuple

#: Every state, with its meaning.
STATES: Final = {
    "open": "nobody has it",
    "claimed": "an agent wants it and waits for approval",
    "assigned": "given to an agent that has not taken it yet",
    "working": "its holder works on it",
    "blocked": "its holder cannot continue",
    "delivered": "handed in, not checked yet",
    "checking": "passed on to be checked",
    "rework": "to be done again",
    "handed": "handed to another agent that has not taken it yet",
    "done": "accepted",
    "cancelled": "ended without a result",
}
ENDED: Final = ("done", "cancelled")
NOT_ENDED: Final = tuple(state for state in STATES if state not in ENDED)
#: States in which an agent holds the task, and its lease runs.
LEASED: Final = ("claimed", "working", "blocked", "rework")
#: States in which an agent holds the task and has not handed it in.
AT_WORK: Final = ("assigned", "handed", *LEASED)
#: States in which the holder should act.
TO_DO: Final = ("assigned", "handed", "working", "rework")

ANYONE, HOLDER, OWNER, CHECKER = "anyone", "holder", "owner", "checker"


class Move(NamedTuple):
    """One row of the table."""

    before: str
    act: str
    #: The parties that may.
    who: tuple[str, ...]
    to: str
    #: The kind of task that the row is for; empty for all.
    when: str = ""


# Kinds of tasks: claims need approval, or do not; work is checked, or is not; work is finished when it is
# handed on; an approval gives the task to the agent that it names.
FREE, APPROVED, CHECKED, UNCHECKED, FINISHED = "free", "approved", "checked", "unchecked", "finished"
GIVEN = "given"
_ANY, _H, _O, _HO, _CO = (ANYONE,), (HOLDER,), (OWNER,), (HOLDER, OWNER), (CHECKER, OWNER)

MOVES: Final = (
    Move("open", "claim", _ANY, "working", FREE),
    Move("open", "claim", _ANY, "claimed", APPROVED),
    Move("open", "ack", _ANY, "working", FREE),
    Move("open", "ack", _ANY, "claimed", APPROVED),
    Move("open", "assign", _O, "assigned"),
    Move("open", "approve", _O, "working", GIVEN),
    Move("open", "block", _ANY, "blocked"),
    Move("open", "handoff", _O, "checking", FINISHED),
    Move("open", "handoff", _O, "handed"),
    Move("claimed", "approve", _O, "working", GIVEN),
    Move("claimed", "approve", _O, "working"),
    Move("claimed", "refuse", _O, "open"),
    Move("claimed", "release", _HO, "open"),
    Move("claimed", "assign", _O, "assigned"),
    Move("assigned", "ack", _H, "working"),
    Move("assigned", "claim", _H, "working"),
    Move("assigned", "refuse", _H, "open"),
    Move("assigned", "release", _HO, "open"),
    Move("assigned", "block", _H, "blocked"),
    Move("assigned", "handoff", _H, "checking", FINISHED),
    Move("assigned", "handoff", _H, "handed"),
    Move("assigned", "assign", _O, "assigned"),
    Move("working", "block", _H, "blocked"),
    Move("working", "release", _HO, "open"),
    Move("working", "handoff", _H, "checking", FINISHED),
    Move("working", "handoff", _H, "handed"),
    Move("working", "assign", _O, "assigned"),
    Move("blocked", "resume", _HO, "working"),
    Move("blocked", "ack", _H, "working"),
    Move("blocked", "block", _H, "blocked"),
    Move("blocked", "release", _HO, "open"),
    Move("blocked", "handoff", _H, "checking", FINISHED),
    Move("blocked", "handoff", _H, "handed"),
    Move("blocked", "assign", _O, "assigned"),
    Move("delivered", "ready", _CO, "checking"),
    # Its maker passes it on to be checked; its owner gives it to an agent that looks after it from now on.
    Move("delivered", "handoff", _H, "checking"),
    Move("delivered", "handoff", _O, "handed"),
    Move("delivered", "rework", _CO, "rework"),
    Move("delivered", "refuse", _CO, "rework"),
    Move("checking", "ready", _CO, "checking"),
    Move("checking", "rework", _CO, "rework"),
    Move("checking", "refuse", _CO, "rework"),
    Move("rework", "ack", _H, "working"),
    Move("rework", "claim", _H, "working"),
    Move("rework", "resume", _H, "working"),
    Move("rework", "block", _H, "blocked"),
    Move("rework", "release", _HO, "open"),
    Move("rework", "handoff", _H, "checking", FINISHED),
    Move("rework", "handoff", _H, "handed"),
    Move("rework", "assign", _O, "assigned"),
    Move("handed", "ack", _H, "working"),
    Move("handed", "block", _H, "blocked"),
    Move("handed", "claim", _H, "working"),
    Move("handed", "refuse", _H, "working"),
    Move("handed", "release", _HO, "open"),
    Move("handed", "assign", _O, "assigned"),
    Move("done", "rework", _CO, "rework"),
    Move("done", "ready", _HO, "checking"),
    Move("done", "handoff", _HO, "handed"),
    Move("cancelled", "resume", _O, "open"),
    # Work may be delivered from any state with a holder, even if the holder never said that it began.
    *(
        Move(state, "deliver", _ANY if state == "open" else _H, to, when)
        for state in ("open", "assigned", "working", "blocked", "rework", "handed")
        for to, when in (("delivered", CHECKED), ("done", UNCHECKED))
    ),
    Move("checking", "deliver", _H, "delivered"),
    # The owner may end a task in any state, as done or as cancelled.
    *(
        Move(state, act, _CO if state in ("delivered", "checking") and act == "accept" else _O, to)
        for state in NOT_ENDED
        for act, to in (("accept", "done"), ("cancel", "cancelled"))
    ),
)
#: Acts that move a task; a message with another act about a task is a sign of life of its holder.
TASK_ACTS: Final = frozenset(move.act for move in MOVES)
#: Acts that create a task that nobody has opened: a line in a file may be the first that names it.
OPENING: Final = frozenset(["assign", "claim", "ack", "block", "deliver", "handoff"])
#: Acts after which the sender holds the task, and acts after which the recipient does.
TAKING: Final = frozenset(["claim", "ack", "block", "deliver"])
GIVING: Final = frozenset(["assign", "handoff"])
# What may be said again in a state, on a card and in a line: nothing changes, and nobody has to know.
_REPEATABLE: Final = frozenset(
    [
        *(("approve", "working"), ("claim", "claimed"), ("claim", "working"), ("accept", "done")),
        ("rework", "rework"),
        *(("ack", state) for state in STATES),
    ]
)
#: Why the refusal of a claim that came second changes nothing.
LOST_CLAIM: Final = "the claim had no effect"
# Words that add nothing to a delivery or a block.
_EMPTY_WORDS: Final = {
    "deliver": "all it is it's task now yes ok okay ready done finished complete completed success successful"
    " successfully",
    "block": "i am i'm it is task still got no not can can't cannot do complete this that blocked stuck fail"
    " failed error",
}
_SENTENCE_CHARS: Final = 80
# Acts that are no verbs for a reader, as a phrase about a task.
_PHRASES: Final = {
    "ack": "start {}",
    "handoff": "hand {} over",
    "ready": "pass {} on for checking",
    "resume": "let {} continue",
    "rework": "have {} done again",
}
# How a reason names a task.
_NAMED: Final = re.compile(r"\btask ([^\s,;:]*[^\s,;:.])")
_PARALLEL: Final = re.compile(r"\bparallel\b|\bconcurrent(?:ly)?\b|\bmeanwhile\b", re.IGNORECASE)

_BY_STATE: Final[dict[tuple[str, str], list[Move]]] = {}
for _move in MOVES:
    _BY_STATE.setdefault((_move.before, _move.act), []).append(_move)


def canonical_id(written: str) -> str:
    """Return the canonical id of a task: in lower case, and without the word `task-`.

    >>> [canonical_id(each) for each in ("011", "task-011", "TASK-parser", "task-")]
    ['011', '011', 'parser', 'task-']
    """
    lowered = written.lower()
    return lowered.removeprefix("task-") or lowered


def phrase(act: str, task: str) -> str:
    """Return what an act does, with its task.

    >>> phrase("ready", "t2"), phrase("claim", "it")
    ('pass t2 on for checking', 'claim it')
    """
    return _PHRASES[act].format(task) if act in _PHRASES else f"{act} {task}"


def says_nothing(act: str, words: str) -> bool:
    """Return True if a delivery has no result, or a block no reason: "Done.", "blocked!"."""
    if act not in _EMPTY_WORDS or len(words) > _SENTENCE_CHARS:
        return False
    spelled = "".join(c if c.isalnum() or c == "'" else " " for c in words.lower().replace("\u2019", "'"))
    return set(spelled.split()) <= set(_EMPTY_WORDS[act].split())


def runs_in_parallel(words: str) -> bool:
    """Return True if the text of a task says that it runs beside others."""
    return _PARALLEL.search(words) is not None


def moves(state: str, act: str) -> list[Move]:
    """Return the rows of an act in a state."""
    return _BY_STATE.get((state, act), [])


def acts_in(state: str) -> list[str]:
    """Return the acts that count in a state."""
    return list(dict.fromkeys(move.act for move in MOVES if move.before == state))


@dataclass(slots=True)
class Task:
    """One task, as the board keeps it. Only the fold of the board changes it. The fields are the columns."""

    id: str
    title: str = ""
    about: str = ""
    state: str = "open"
    holder: str = ""
    owner: str = ""
    #: The agent that had it before it was handed on.
    giver: str = ""
    #: The agents that may check it besides its owner, separated by blanks.
    checker: str = ""
    kind: str = "task"
    priority: int = 2
    difficulty: int = 0
    #: How senior its holder must be; 0 means anyone, unless it has a difficulty.
    level: int = 0
    restricted: str = ""
    approval: bool = False
    check: bool = True
    #: How many seconds a claim counts without a sign of life; 0 is forever.
    lease: int = 0
    #: The event that gave it to its holder: an agent that shows an older one is too late.
    fence: int = 0
    #: The events that opened it and that moved it last.
    opened: int = 0
    seq: int = 0
    at: str = ""
    since: str = ""
    #: The last sign of life of its holder, as a time and as an event; the event decides.
    touched: str = ""
    heard: int = 0
    #: What the last delivery, and the last block, said.
    result: str = ""
    reason: str = ""

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        return tuple(int(v) if type(v := getattr(self, column)) is bool else v for column in COLUMNS)

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {column: getattr(self, column) for column in COLUMNS}


COLUMNS: Final = tuple(field.name for field in fields(Task))


def open_task(task_id: str, *, title: str = "", owner: str = "", at: str = "", seq: int = 0) -> Task:
    """Return a task that was opened by an event."""
    return Task(
        task_id, title=title, owner=owner, opened=seq, seq=seq, at=at, since=at, touched=at, heard=seq
    )


class Bar(Enum):
    """Why a move has no effect."""

    #: Another agent holds the task.
    TAKEN = "taken"
    #: The act does not count in the state of the task.
    STATE = "state"
    #: The act is not the agent's to make.
    PERMISSION = "permission"
    #: Something else about the task or the message speaks against it.
    OBJECTION = "objection"


class Barred(NamedTuple):
    """A move that has no effect, and the reason in words."""

    bar: Bar
    why: str


def fits(move: Move, task: Task, *, finished: bool, given: bool = False, gated: bool = False) -> bool:
    """Return True if a row is for this kind of task; a gated agent needs approval for all of them."""
    approval = task.approval or gated
    kinds = {
        "": True,
        FREE: not approval,
        APPROVED: approval,
        CHECKED: task.check,
        UNCHECKED: not task.check,
        FINISHED: finished,
        GIVEN: given,
    }
    return kinds[move.when]


def standing(task: Task, agent: str, *, leads: frozenset[str]) -> list[str]:
    """Return which parties of a task an agent is.

    Without an owner, everybody but the holder is the owner. Nobody checks its own work: the holder says to
    which agents it delivers, and could name itself.
    """
    found = [ANYONE]
    if agent == task.holder:
        found.append(HOLDER)
    elif agent in task.checker.split():
        found.append(CHECKER)
    if agent in leads or agent == task.owner or (not task.owner and agent != task.holder):
        found.append(OWNER)
    return found


def judge(
    task: Task,
    act: str,
    agent: str,
    *,
    leads: frozenset[str],
    finished: bool = False,
    given: bool = False,
    gated: bool = False,
) -> Move | Barred:
    """Return the row that an agent's act takes, or why there is none."""
    rows = [
        move
        for move in moves(task.state, act)
        if fits(move, task, finished=finished, given=given, gated=gated)
    ]
    parties = standing(task, agent, leads=leads)
    for move in rows:
        if any(who in parties for who in move.who):
            return move
    wants_it = given or (act in ("claim", "ack") and task.holder != agent)
    if wants_it and task.holder and task.state not in ENDED:
        return Barred(Bar.TAKEN, f"{task.holder} has it")
    if not rows and not _is_overreach(task, act, parties):
        return Barred(Bar.STATE, _in_state(task.state))
    allowed = rows[0].who if rows else _O
    return Barred(Bar.PERMISSION, f"only {_named_parties(allowed, task)} may {phrase(act, 'it')}")


def is_repeat(act: str, state: str, why: str) -> bool:
    """Return True if a move has no effect only because what it says is so already."""
    return why == LOST_CLAIM or (says_what_is_so(act, state) and why == _in_state(state))


def says_what_is_so(act: str, state: str) -> bool:
    """Return True if an act says of a task only what its state says already."""
    return (act, state) in _REPEATABLE


def with_names(why: str, called: Callable[[str], str]) -> str:
    """Return a reason with every `task <id>` as the files of an agent call that task."""
    return _NAMED.sub(lambda found: called(found[1]), why)


def _is_overreach(task: Task, act: str, parties: list[str]) -> bool:
    """Return True if an agent repeats a verdict that was never its own to give.

    Others than the holder may pass on that its work was accepted, or is to be done again.
    """
    is_verdict = act == "approve" or (act in ("accept", "rework") and HOLDER in parties)
    is_repeated = is_verdict and says_what_is_so(act, task.state)
    return is_repeated and OWNER not in parties and CHECKER not in parties


def _in_state(state: str) -> str:
    return "it is handed over" if state == "handed" else f"it is {state}"


def _named_parties(parties: tuple[str, ...], task: Task) -> str:
    """Return the parties that may make a move, by name if they have one."""
    names = {HOLDER: task.holder, CHECKER: task.checker, OWNER: task.owner}
    shown = {names[who] or who: f"its {who}" + (f" ({names[who]})" if names[who] else "") for who in parties}
    return " or ".join(shown.values())
