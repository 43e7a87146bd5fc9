"""palaver task: open a task, and move it.

A bare module (see docs/adr/0006): an agent that claims waits for it.
"""

from _collections_abc import Callable

from palaver.bus.tasks.moves import (
    FIELDS,
    MoveResult,
    change_task,
    list_tasks,
    move,
    open_task,
    task_card,
    tried_on,
)
from palaver.cli.arguments import Args, Option, Spec
from palaver.cli.cards import moves_text, row, sheet
from palaver.cli.commands.send import body, files
from palaver.cli.context import Context, started
from palaver.cli.looking import looking
from palaver.model.errors import TaskTaken
from palaver.model.message import Message
from palaver.model.task import ENDED, STATES
from palaver.views.tasks.board import Card

# What to type, and the act that it is; what follows the id names an agent.
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
    "resume": "goes on",
    "rework": "is to be done again",
}
_TERMS = {
    "--about": "about",
    "--title": "title",
    "--kind": "kind",
    "--for": "restricted",
    "--owner": "owner",
    "--priority": "priority",
    "--difficulty": "difficulty",
    "--lease": "lease",
    "--needs": "needs",
    "--needs-not": "needs_not",
    "--approval": "approval",
    "--no-check": "check",
}
_MOST = {"--priority": 4, "--difficulty": 5}
SPEC = Spec(
    "task",
    "Work that has a state: open a task, claim it, deliver it, accept it.",
    words="VERB [ID | TITLE] [AGENT…]",
    least=1,
    most=-1,
    options=(
        Option(
            "--message", "BODY", short="-m", help="what to say: a result, a reason; '-' is standard input"
        ),
        Option("--id", "ID", help="with open: the id (else one is drawn)"),
        Option("--about", "TEXT", help="with open, change: the description"),
        Option("--title", "TEXT", help="with change: another title"),
        Option("--needs", "ID", many=True, help="with open, change: a task that must be done first"),
        Option("--needs-not", "ID", many=True, help="with change: a task that it needs no more"),
        Option("--kind", "WORD", help="with open, change: task, bug, feature, epic, …"),
        Option("--priority", "N", help="with open, change: 0 is the most urgent, 4 the least (2)"),
        Option("--difficulty", "N", help="with open, change: 1 to 5"),
        Option("--for", "NAME", help="with open, change: only this agent, role or list may claim it"),
        Option("--owner", "NAME", help="with open, change: who approves, accepts and cancels (you)"),
        Option("--approval", help="with open: a claim waits for the owner's approval"),
        Option("--no-check", help="with open: delivered is done, nobody checks it"),
        Option(
            "--lease", "S", help="with open, claim: a claim ends after so many silent seconds; 0 is never"
        ),
        Option("--fence", "N", help="with a move: only if the claim still has this number"),
        Option("--finished", help="with handoff: the work is finished, and is passed on to be checked"),
        Option("--parallel", help="with assign: though its receiver has another"),
        Option("--file", "PATH", many=True, help="with a move: a file that it is about"),
        Option("--key", "KEY", help="with a move: an idempotency key"),
        Option("--state", "STATE", many=True, help="with list: only these"),
        Option("--mine", help="with list: only what you hold"),
        Option("--ready", help="with list: only what can be claimed now"),
        Option("--all", help="with list: also what is done or cancelled"),
    ),
    text="""
  open TITLE                 say that there is work; prints its id
  claim ID, start ID         take it; the first one in the log has it, the others are told who (exit 5)
  assign ID AGENT            give it to somebody, who takes it with start
  approve ID, refuse ID      allow a claim, or not; who was given a task may refuse it too
  block ID -m WHY            you cannot go on; unblock ID: you can again
  deliver ID -m RESULT       hand it in
  ready ID AGENT             pass a delivery on to somebody who checks it
  accept ID, rework ID -m WHY  take it as done, or want it done again
  handoff ID AGENT -m TEXT   pass it to somebody else
  release ID, cancel ID      give it back; end it undone
  change ID, show ID, list   change what it says; all about one; the tasks

A task is ready when all that it needs is done. A claim has a lease: say something about the task now and
then (any message with --task), or it ends, and others may claim it. Its fence is a number that grows with
each holder: give it to whatever you write to, so that a holder who came back too late is told apart.
""",
    examples=(
        'palaver task open "Write the parser" --id parser',
        "palaver task claim parser --as bob",
        'palaver task deliver parser -m "src/parser.py, 40 tests green" --as bob',
        "palaver task accept parser",
        "palaver task list --ready --json | jq -r '.[].id'",
    ),
)


def command(argv: list[str]) -> int:
    """Run the command from its words: the entry for `cli/hot.py`."""
    return started(SPEC, run, argv)


def run(context: Context) -> int:
    """Do what the verb says."""
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
        from difflib import get_close_matches

        close = get_close_matches(verb, [*_ACTS, *others], n=1)
        hint = f"did you mean {close[0]}?" if close else f"say {', '.join([*others, *_ACTS])}"
        raise SPEC.wrong(f"there is no verb {verb[:40]!r}", hint)
    return _move(context, _ACTS[verb], words)


def _fields(args: Args) -> dict[str, object]:
    """Return what the options say of a task."""
    readers: dict[type, Callable[[str], object]] = {
        str: args.text,
        int: lambda option: _number(args, option),
        list: args.texts,
        bool: lambda option: option != "--no-check",
    }
    return {name: readers[FIELDS[name]](option) for option, name in _TERMS.items() if args.has(option)}


def _number(args: Args, option: str) -> int:
    number, most = args.number(option, 0), _MOST.get(option, 1 << 31)
    if not 0 <= number <= most:
        raise SPEC.wrong(f"{option} goes from 0 to {most}")
    return number


def _open(context: Context, words: list[str]) -> int:
    if not words:
        raise SPEC.wrong("open wants a TITLE")
    found = open_task(
        looking(context),
        context.speaker(),
        " ".join(words),
        task_id=context.args.text("--id"),
        fields=_fields(context.args),
    )
    return _tell(context, found, f"Opened: {found.task.id}")


def _change(context: Context, words: list[str]) -> int:
    task_id = _only(words, "change")
    found = change_task(looking(context), context.speaker(), task_id, _fields(context.args))
    return _tell(context, found, f"Changed: {found.task.id}")


def _tell(context: Context, found: Card, words: str) -> int:
    if context.json:
        context.answer(found.plain())
    else:
        waits = f" (waits for {', '.join(found.waits_for)})" if found.waits_for else ""
        context.say(words + waits)
    return 0


def _show(context: Context, words: list[str]) -> int:
    core = looking(context)
    found = task_card(core, _only(words, "show"))
    tried = tried_on(core, found.task.id)
    if context.json:
        context.answer({**found.plain(), "moves": [each.plain() for each in tried]})
    else:
        context.say(sheet(found))
        context.say(moves_text(tried))
    return 0


def _list(context: Context, words: list[str]) -> int:
    args = context.args
    if words:
        raise SPEC.wrong(f"{words[0][:40]!r} is one word too many")
    for state in args.texts("--state"):
        if state not in STATES:
            raise SPEC.wrong(f"there is no state {state[:40]!r}", f"use {', '.join(STATES)}")
    holder = context.speaker() if args.has("--mine") else ""
    states = tuple(args.texts("--state"))
    if not states and not args.has("--all"):
        states = tuple(state for state in STATES if state not in ENDED)
    found = list_tasks(looking(context), states=states, holder=holder, ready=args.has("--ready"))
    if context.json:
        context.answer([card.plain() for card in found])
        return 0
    for card in found:
        context.say(row(card))
    if not found:
        context.say("No tasks")
    return 0


def _only(words: list[str], verb: str) -> str:
    if len(words) != 1:
        raise SPEC.wrong(f"{verb} wants one ID")
    return words[0]


def _move(context: Context, act: str, words: list[str]) -> int:
    args = context.args
    if not words:
        raise SPEC.wrong(f"{args.words[0]} wants an ID")
    if act in ("assign", "handoff", "ready") and len(words) < 2:
        raise SPEC.wrong(f"{args.words[0]} wants an ID and an AGENT")
    given: dict[str, object] = {"fence": args.number("--fence", 0), "lease": args.number("--lease", 0)}
    given |= {"finished": args.has("--finished"), "parallel": args.has("--parallel")}
    message = Message(
        sender=context.speaker(),
        to=words[1:],
        body=body(args) if args.has("--message") else "",
        act=act,
        task=words[0],
        files=files(args),
        meta={name: value for name, value in given.items() if value},
    )
    return _outcome(context, move(looking(context), message, key=args.text("--key")))


def _outcome(context: Context, moved: MoveResult) -> int:
    """Say what became of a move; a race that was lost is exit 5."""
    task = moved.card.task
    if context.json:
        context.answer(moved.plain())
    elif moved.effect:
        usual = f"is {task.state}"
        words = usual if task.state == "claimed" else _DONE.get(moved.tried.act, usual)
        whom = f" {task.holder}" if moved.tried.act == "approve" else ""
        fence = f" (fence {task.fence})" if moved.tried.act in ("claim", "ack") else ""
        pending = " and waits for approval" if task.state == "claimed" else ""
        context.say(f"{task.id} {words}{whom}{pending}{fence}")
    else:
        context.note(f"{task.id}: somebody was faster: {moved.tried.why} [{TaskTaken.code}]")
    return 0 if moved.effect else TaskTaken.exit
