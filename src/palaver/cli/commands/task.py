"""palaver task: open, claim, deliver and accept tasks."""

from collections.abc import Callable
from difflib import get_close_matches

from palaver.api import Bus
from palaver.bus.tasks.moves import MoveResult
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.cards import moves_text, row, sheet
from palaver.cli.commands.send import body, files
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.model.errors import TaskTaken
from palaver.model.task import NOT_ENDED
from palaver.views.tasks.board import Card

# The verbs, and the acts that they are; the words after the id name agents.
_ACTS = {
    "assign": "assign",
    "claim": "claim",
    "approve": "approve",
    "refuse": "refuse",
    "start": "ack",
    "block": "block",
    "unblock": "resume",
    "deliver": "deliver",
    "ready": "ready",
    "accept": "accept",
    "rework": "rework",
    "handoff": "handoff",
    "release": "release",
    "cancel": "cancel",
}
_DONE = {
    "claim": "is yours",
    "ack": "is yours",
    "approve": "is approved for",
    "deliver": "is delivered",
    "accept": "is done",
    "resume": "continues",
    "rework": "goes back for rework",
}
_STATES = {"handed": "is handed over", "checking": "is passed on for checking"}
_OF_A_TASK = {"restricted": "--for", "check": "--no-check"}
_HELPS = {
    "check": "a delivered task is done; nobody has to accept it",
    "needs": "a task that must be done first",
    "needs_not": "a task that it no longer needs",
}
_OPEN = Binding(
    Bus.open_task,
    own=("title", "level", "key"),
    names={"task": "--id", **_OF_A_TASK},
    note="with open, change: ",
    helps=_HELPS,
)
_CHANGE = Binding(
    Bus.change_task,
    own=("task", "level", "key"),
    names=_OF_A_TASK,
    note="with change: ",
    helps=_HELPS,
)
_MOVE = Binding(
    Bus.move,
    own=("task", "act", "to", "subject", "run", "files", "reasoning", "allow_secret"),
    names={"body": "--message"},
    short={"body": "-m"},
)
_LIST = Binding(Bus.tasks, own=("holder", "owner"), names={"states": "--state"}, note="with list: ")
SPEC = Spec(
    "task",
    "Open, claim, deliver and accept tasks.",
    words="VERB [ID|TITLE] [AGENT…]",
    options=(
        *(option for option in _MOVE.options if option.long != "--lease"),
        *_OPEN.options,
        *(option for option in _CHANGE.options if option.long in ("--title", "--needs-not")),
        Option("--file", "PATH", many=True, help="with a move: a file that it is about"),
        *_LIST.options,
        Option("--mine", help="with list: only the tasks that you hold"),
        Option("--all", help="with list: also done and cancelled tasks"),
    ),
    text="""
  open TITLE                 open a task; prints its id
  claim ID, start ID         take it; the first claim in the log wins, the others are told who (exit 5)
  assign ID AGENT            assign it to an agent, which takes it with start
  approve ID, refuse ID      allow a claim, or not; an agent may also refuse a task assigned to it
  block ID -m WHY            you cannot continue; unblock ID: you can again
  deliver ID -m RESULT       deliver it
  ready ID AGENT             pass a delivery on to an agent that checks it
  accept ID, rework ID -m WHY  accept it as done, or send it back
  handoff ID AGENT -m TEXT   hand it over to another agent
  release ID, cancel ID      give it back; cancel it
  change ID, show ID, list   change its fields; show one; list them

A task is ready when all tasks that it needs are done. A claim has a lease: it ends without activity on the
task (any message with --task counts), and others may claim it. Its fence is a number that grows with each
holder: pass it to whatever you write to, so that a holder that comes back too late can be told apart.
""",
    examples=(
        'palaver task open "Write the parser" --id parser',
        "palaver task claim parser --as bob",
        'palaver task deliver parser -m "src/parser.py, 40 tests green" --as bob',
        "palaver task accept parser",
        "palaver task list --ready --json | jq -r '.[].id'",
    ),
)


def run(context: Context) -> int:
    """Run the verb."""
    verb, *words = context.args.words
    others: dict[str, Callable[[Context, list[str]], int]] = {
        "open": _open,
        "change": _change,
        "show": _show,
        "list": _list,
    }
    if verb in others:
        return others[verb](context, words)
    if verb not in _ACTS:
        close = get_close_matches(verb, [*_ACTS, *others], n=1)
        hint = f"did you mean {close[0]}?" if close else f"use {', '.join([*others, *_ACTS])}"
        raise SPEC.wrong(f"unknown verb {verb[:40]!r}", hint)
    return _move(context, _ACTS[verb], words)


def _open(context: Context, words: list[str]) -> int:
    if not words:
        raise SPEC.wrong("open needs a TITLE")
    found = _OPEN.perform(context, title=" ".join(words), key=context.args.text("--key"))
    return _tell(context, found, f"Opened: {found.task.id}{context.before('opened')}")


def _change(context: Context, words: list[str]) -> int:
    found = _CHANGE.perform(context, task=_only(words, "change"), key=context.args.text("--key"))
    return _tell(context, found, f"Changed: {found.task.id}{context.before('changed')}")


def _tell(context: Context, found: Card, words: str) -> int:
    waits = f" (waits for {', '.join(found.waits_for)})" if found.waits_for else ""
    return context.show(found, words + waits)


def _show(context: Context, words: list[str]) -> int:
    bus = Bus(session=connect(context))
    found = bus.task(_only(words, "show"))
    tried = bus.tried(found.task.id)
    return context.show({**found.plain(), "moves": tried}, [sheet(found), moves_text(tried)])


def _list(context: Context, words: list[str]) -> int:
    args = context.args
    if words:
        raise SPEC.wrong(f"unexpected word {words[0][:40]!r}")
    holder = context.speaker() if args.has("--mine") else ""
    states = args.texts("--state")
    if not states and not args.has("--all"):
        states = [*NOT_ENDED]
    found = _LIST.perform(context, states=states, holder=holder)
    return context.show(found, map(row, found), empty="No tasks")


def _only(words: list[str], verb: str) -> str:
    if len(words) != 1:
        raise SPEC.wrong(f"{verb} needs one ID")
    return words[0]


def _move(context: Context, act: str, words: list[str]) -> int:
    args = context.args
    if not words:
        raise SPEC.wrong(f"{args.words[0]} needs an ID")
    if act in ("assign", "handoff", "ready") and len(words) < 2:
        raise SPEC.wrong(f"{args.words[0]} needs an ID and an AGENT")
    text = body(context) if args.has("--message") else ""
    moved = _MOVE.perform(context, task=words[0], act=act, to=words[1:], body=text, files=files(context))
    return _outcome(context, moved)


def _outcome(context: Context, moved: MoveResult) -> int:
    """Report what became of a move; a lost race is exit 5."""
    task, act = moved.card.task, moved.tried.act
    if not moved.effect:
        if not context.json:
            context.note(f"{task.id}: another agent was faster: {moved.tried.why} [{TaskTaken.code}]")
        return context.show(moved, code=TaskTaken.exit)
    usual = _STATES.get(task.state, f"is {task.state}")
    words = usual if task.state == "claimed" else _DONE.get(act, usual)
    whom = f" {task.holder}" if act == "approve" else ""
    pending = " and waits for approval" if task.state == "claimed" else ""
    fence = f" (fence {task.fence})" if act in ("claim", "ack") else ""
    return context.show(moved, f"{task.id} {words}{whom}{pending}{fence}{context.before('moved')}")
