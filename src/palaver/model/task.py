"""A task: a unit of work, whatever a dialect calls it. Its states, and every move between them, in one table.

A move is a message with an act and a task. `MOVES` says which acts count in which state, from whom, and
what comes of it; what is not there stands in the log without effect. The diagram in the docs is drawn
from this table, and the board is folded with it, so neither can say anything else.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

# Every state, with what it means.
STATES = {
    "open": "nobody has it",
    "claimed": "somebody wants it and waits for approval",
    "assigned": "given to somebody who has not taken it yet",
    "working": "its holder is at it",
    "blocked": "its holder cannot go on",
    "delivered": "handed in; nobody has checked it",
    "checking": "passed on to be checked",
    "rework": "to be done again",
    "handed": "passed to another, who has not taken it yet",
    "done": "accepted",
    "cancelled": "ended undone",
}
ENDED = ("done", "cancelled")
# States in which somebody holds the task, and his lease runs.
LEASED = ("claimed", "working", "blocked", "rework")
# States in which a holder should be doing something.
TO_DO = ("assigned", "handed", "working", "rework")
# States in which a holder has work to do now.
BUSY = ("working", "blocked", "rework")

ANYONE, HOLDER, OWNER, CHECKER = "anyone", "holder", "owner", "checker"


class Move:
    """One row of the table."""

    __slots__ = ("act", "before", "to", "when", "who")

    def __init__(self, before: str, act: str, who: tuple[str, ...], to: str, when: str = "") -> None:
        """Take the state before, the act, who may, the state after, and the kind of task it is for."""
        self.before = before
        self.act = act
        self.who = who
        self.to = to
        self.when = when


# What a row may be for: tasks whose claims are approved, or are not; whose work is checked, or is not; and
# work that is finished when it is handed on.
FREE, APPROVED, CHECKED, UNCHECKED, FINISHED = "free", "approved", "checked", "unchecked", "finished"
_ANY, _H, _O, _HO, _CO = (ANYONE,), (HOLDER,), (OWNER,), (HOLDER, OWNER), (CHECKER, OWNER)

MOVES = (
    Move("open", "claim", _ANY, "working", FREE),
    Move("open", "claim", _ANY, "claimed", APPROVED),
    Move("open", "ack", _ANY, "working", FREE),
    Move("open", "ack", _ANY, "claimed", APPROVED),
    Move("open", "assign", _O, "assigned"),
    Move("open", "block", _ANY, "blocked", FREE),
    Move("open", "handoff", _O, "checking", FINISHED),
    Move("open", "handoff", _O, "handed"),
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
    Move("blocked", "handoff", _H, "handed"),
    Move("blocked", "assign", _O, "assigned"),
    Move("delivered", "ready", _CO, "checking"),
    # Its maker passes it on to be checked; its owner gives it to somebody who looks after it from now on.
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
    Move("rework", "handoff", _H, "handed"),
    Move("rework", "assign", _O, "assigned"),
    Move("handed", "ack", _H, "working"),
    Move("handed", "claim", _H, "working"),
    Move("handed", "refuse", _H, "working"),
    Move("handed", "release", _HO, "open"),
    Move("handed", "assign", _O, "assigned"),
    Move("done", "rework", _CO, "rework"),
    Move("done", "ready", _HO, "checking"),
    Move("done", "handoff", _HO, "handed"),
    Move("cancelled", "resume", _O, "open"),
    # Work may be handed in from wherever its holder stands, even if he never said that he began.
    *(
        Move(state, "deliver", _ANY if state == "open" else _H, to, when)
        for state in ("open", "assigned", "working", "blocked", "rework", "handed")
        for to, when in (("delivered", CHECKED), ("done", UNCHECKED))
    ),
    Move("checking", "deliver", _H, "delivered"),
    # The owner may end a task wherever it is: taken as done, or undone.
    *(
        Move(state, act, _CO if state in ("delivered", "checking") and act == "accept" else _O, to)
        for state in STATES
        if state not in ENDED
        for act, to in (("accept", "done"), ("cancel", "cancelled"))
    ),
)
# Acts that move a task; a message with another act about a task is a sign of life of its holder.
TASK_ACTS = frozenset(move.act for move in MOVES)
# Acts that make a task known that nobody has opened: a line in a file may be the first we hear of it.
OPENING = frozenset(["assign", "claim", "ack", "block", "deliver", "handoff"])
# Acts after which the sender holds the task, and acts after which the one who was addressed does.
TAKING = frozenset(["claim", "ack", "block", "deliver"])
GIVING = frozenset(["assign", "handoff"])
# Acts that need proof of who speaks where the policy is strict.
PRIVILEGED = frozenset(["approve", "accept", "rework"])
# Words that close a task, or block it, and say nothing.
_VOID = {
    "deliver": frozenset(
        (
            *("all", "it", "is", "it's", "task", "now", "yes", "ok", "okay", "ready", "done", "finished"),
            *("complete", "completed", "success", "successful", "successfully"),
        )
    ),
    "block": frozenset(
        (
            *("i", "am", "i'm", "it", "is", "task", "still", "got", "no", "not", "can", "can't", "cannot"),
            *("do", "complete", "this", "that", "blocked", "stuck", "fail", "failed", "error"),
        )
    ),
}
_SENTENCE = 80

_BY_STATE: dict[tuple[str, str], list[Move]] = {}
for _move in MOVES:
    _BY_STATE.setdefault((_move.before, _move.act), []).append(_move)


def says_nothing(act: str, words: str) -> bool:
    """Tell whether a task is closed without a result, or blocked without a reason: "Done.", "blocked!"."""
    void = _VOID.get(act)
    if void is None or len(words) > _SENTENCE:
        return False
    spelled = "".join(c if c.isalnum() or c == "'" else " " for c in words.lower().replace("\u2019", "'"))
    return void.issuperset(spelled.split())


def moves(state: str, act: str) -> list[Move]:
    """Return the rows of an act in a state."""
    return _BY_STATE.get((state, act), [])


def acts_in(state: str) -> list[str]:
    """Return the acts that count in a state."""
    return list(dict.fromkeys(move.act for move in MOVES if move.before == state))


class Task:
    """One task, as the board keeps it."""

    __slots__ = (
        "about", "approval", "at", "check", "checker", "difficulty", "fence", "giver", "heard", "holder",
        "id", "kind", "lease", "level", "opened", "owner", "priority", "reason", "restricted", "result",
        "seq", "since", "state", "title", "touched",
    )  # fmt: skip

    def __init__(self, task_id: str, *, title: str = "", owner: str = "", at: str = "", seq: int = 0) -> None:
        """Take its id, what it is called, and who opened it when."""
        self.id = task_id
        self.title = title
        self.about = ""
        self.state = "open"
        self.holder = ""
        self.owner = owner
        # Who had it before it was handed on.
        self.giver = ""
        # Who may check it beside its owner: names with blanks between.
        self.checker = ""
        self.kind = "task"
        self.priority = 2
        self.difficulty = 0
        # How senior its holder must be; 0 is anyone. Where none is said, its difficulty counts.
        self.level = 0
        self.restricted = ""
        self.approval = False
        self.check = True
        # For how many seconds a claim counts without a sign of life; 0 is for ever.
        self.lease = 0
        # The number of the event that gave it to its holder: whoever shows an older one is too late.
        self.fence = 0
        self.opened = seq
        self.seq = seq
        self.at = at
        self.since = at
        # The last sign of life of its holder: when by the time of day, and which event; that decides.
        self.touched = at
        self.heard = seq
        # What the last delivery, and the last block, said.
        self.result = ""
        self.reason = ""

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        return tuple(int(v) if type(v := getattr(self, column)) is bool else v for column in COLUMNS)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {column: getattr(self, column) for column in COLUMNS}


COLUMNS = (
    "id", "title", "about", "state", "holder", "owner", "giver", "checker", "kind", "priority", "difficulty",
    "level", "restricted", "approval", "check", "lease", "fence", "opened", "seq", "at", "since", "touched",
    "heard", "result", "reason",
)  # fmt: skip
_FLAGS = ("approval", "check")
_NUMBERS = ("priority", "difficulty", "level", "lease", "fence", "opened", "seq", "heard")


def from_row(row: tuple[object, ...]) -> Task:
    """Return the task of a row."""
    task = Task(str(row[0]))
    for column, value in zip(COLUMNS, row, strict=True):
        if column in _FLAGS:
            setattr(task, column, bool(value))
        elif column in _NUMBERS:
            setattr(task, column, value if type(value) is int else 0)
        else:
            setattr(task, column, str(value))
    return task


def fits(move: Move, task: Task, *, finished: bool, gated: bool = False) -> bool:
    """Tell whether a row is for this kind of task; who is gated needs approval for all of them."""
    approval = task.approval or gated
    kinds = {
        "": True,
        FREE: not approval,
        APPROVED: approval,
        CHECKED: task.check,
        UNCHECKED: not task.check,
        FINISHED: finished,
    }
    return kinds[move.when]


def standing(task: Task, agent: str, *, leads: frozenset[str]) -> list[str]:
    """Return what an agent is to a task. Where nobody owns it, everybody but its holder does."""
    found = [ANYONE]
    if agent == task.holder:
        found.append(HOLDER)
    if agent in task.checker.split():
        found.append(CHECKER)
    if agent in leads or agent == task.owner or (not task.owner and agent != task.holder):
        found.append(OWNER)
    return found


def judge(
    task: Task, act: str, agent: str, *, leads: frozenset[str], finished: bool = False, gated: bool = False
) -> tuple[Move | None, str]:
    """Return the row that an agent's act takes, or None and the reason why there is none."""
    rows = [move for move in moves(task.state, act) if fits(move, task, finished=finished, gated=gated)]
    mine = standing(task, agent, leads=leads)
    for move in rows:
        if any(who in mine for who in move.who):
            return move, ""
    if act in ("claim", "ack") and task.holder and task.holder != agent and task.state not in ENDED:
        return None, f"{task.holder} has it"
    if not rows:
        return None, f"it is {task.state}"
    return None, f"only {_those(rows[0], task)} may {act} it"


def _those(move: Move, task: Task) -> str:
    """Return who may, by name where there is one."""
    names = {HOLDER: task.holder, CHECKER: task.checker, OWNER: task.owner}
    shown = {names[who] or who: f"its {who}" + (f" ({names[who]})" if names[who] else "") for who in move.who}
    return " or ".join(shown.values())
