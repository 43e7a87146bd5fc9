"""wo: the work orders of a VerMAS company."""

from palaver.bus.tasks import assignment, moves
from palaver.bus.tasks.task_edits import change_task
from palaver.cli.arguments import Option
from palaver.cli.cards import moves_text
from palaver.cli.commands import doctor, rebuild, sync
from palaver.cli.commands import status as state
from palaver.cli.company import process
from palaver.cli.company.subcommands import KEY, Subcommand, runner
from palaver.cli.company.wo_events import ROWS_OF_EVENTS, seconds
from palaver.cli.company.wo_orders import order, orders
from palaver.cli.connection import bus_of, connect_synced
from palaver.cli.context import Context
from palaver.cli.hot import main as hot_main
from palaver.cli.show import block, clipped, safe
from palaver.dialects.vermas.spec import SPEC as VERMAS
from palaver.log.clock import age, letters, now
from palaver.model.errors import BadArguments
from palaver.views.tasks.board import Card

_KINDS = ("task", "bug", "feature", "epic", "merge-request", "event", "message")
# What to do so that an order has a status, where it is in one of these states.
_TO_OPEN = {"cancelled": "resume", "done": "rework"}


def _row(card: Card) -> str:
    task = card.task
    word = VERMAS.statuses.word(task.state)
    waits = f"  (needs {', '.join(card.waits_for)})" if card.waits_for else ""
    who = f"  @{task.holder}" if task.holder else ""
    title = clipped(task.title, 60)
    return f"{safe(task.id):<10}  {title:<28}  {word:<11}  P{task.priority}{safe(who + waits)}"


def _listed(context: Context, cards: list[Card]) -> int:
    if context.json:
        context.answer([order(card) for card in cards])
        return 0
    for card in cards:
        context.say(_row(card))
    if not cards:
        context.say("No work orders")
    return 0


def _ready(context: Context) -> int:
    return _listed(context, orders(connect_synced(context), ready=True))


def _list(context: Context) -> int:
    args = context.args
    wanted = args.text("--status")
    if wanted and wanted not in VERMAS.statuses.states:
        raise BadArguments(
            f"there is no status {wanted[:40]!r}", "", "use open, assigned, in_progress or closed"
        )
    found = orders(
        connect_synced(context),
        wanted=wanted,
        kind=args.text("--type"),
        priority=args.number("--priority", -1),
    )
    if args.has("--older-than"):
        least = seconds(args.text("--older-than"))
        found = [card for card in found if age(card.task.at, now()) > least]
    return _listed(context, found)


def _blocked(context: Context) -> int:
    return _listed(context, [card for card in orders(connect_synced(context)) if card.waits_for])


def _show(context: Context) -> int:
    core = connect_synced(context)
    card = moves.task_card(core, context.args.words[0])
    if context.json:
        context.answer([order(card)])
        return 0
    fields = order(card)
    needs = ", ".join(card.needs)
    for name in ("id", "title", "status", "priority", "issue_type", "assignee", "created_by", "created_at"):
        context.say(f"{name + ':':<12} {safe(str(fields[name] if fields[name] is not None else '-'))}")
    if needs:
        context.say(f"{'needs:':<12} {safe(needs)}")
    if card.task.about:
        context.say("\n" + block(card.task.about))
    context.say("\n" + moves_text(moves.tried_on(core, card.task.id)))
    return 0


def _create(context: Context) -> int:
    args = context.args
    kind = args.text("--type", "task")
    if kind not in _KINDS:
        raise BadArguments(f"there is no type {kind[:40]!r}", "", f"use one of {', '.join(_KINDS)}")
    title = args.text("--title") or " ".join(args.words)
    if args.has("--parent"):
        parent = moves.find_task(connect_synced(context), args.text("--parent")).id
        known = [
            card.task.id
            for card in moves.list_tasks(connect_synced(context))
            if card.task.id.startswith(f"{parent}.")
        ]
        wanted = f"{parent}.{len(known) + 1}"
    else:
        wanted = f"wo-{letters()[:5]}"
    bus = bus_of(context, speaking=True)
    card = bus.open_task(
        title,
        task=wanted,
        kind=kind,
        priority=args.number("--priority", 2),
        about=args.text("--description"),
        key=args.text("--key"),
    )
    context.answer([order(card)]) if context.json else context.say(f"Created work order {card.task.id}")
    return 0


def _update(context: Context) -> int:
    args, core, by = context.args, connect_synced(context), context.speaker()
    task = moves.find_task(core, args.words[0])
    title = args.text("--title") if args.has("--title") else None
    priority = args.number("--priority", 2) if args.has("--priority") else None
    is_changed = title is not None or priority is not None
    if not is_changed and not args.has("--status") and not args.has("--assignee"):
        raise BadArguments(
            f"nothing to update in {task.id}", "", "use --status, --assignee, --priority or --title"
        )
    if is_changed:
        change_task(core, task.id, title=title, priority=priority, by=by)
    if args.has("--assignee"):
        worker = args.text("--assignee")
        moves.move(core, task.id, "assign", task.title, by=by, to=worker)
        assignment.assign(core, worker, f"work_order:{task.id}", by=by)
    elif args.has("--status"):
        _to_status(context, task.id, args.text("--status"))
    card = moves.task_card(core, task.id)
    context.answer([order(card)]) if context.json else context.say(f"Updated: {_row(card)}")
    return 0


def _to_status(context: Context, task_id: str, wanted: str) -> None:
    core = connect_synced(context)
    task = moves.find_task(core, task_id)
    acts = {"in_progress": "ack", "closed": "accept", "open": _TO_OPEN.get(task.state, "release")}
    if wanted not in acts:
        raise BadArguments(
            f"cannot set the status {wanted[:40]!r}", "", "use open, in_progress or closed; or --assignee"
        )
    moves.move(core, task_id, acts[wanted], f"status {wanted}", by=context.speaker())


def _close(context: Context) -> int:
    bus, key = bus_of(context, speaking=True), context.args.text("--key")
    reason = context.args.text("--reason")
    closed = [
        bus.move(word, "accept", reason, key=f"{key}/{word}" if key else "").card
        for word in context.args.words
    ]
    if context.json:
        context.answer([order(card) for card in closed])
    else:
        for card in closed:
            context.say(f"Closed: {card.task.id}")
    return 0


def _dep_add(context: Context) -> int:
    order_id, needed = context.args.words
    card = bus_of(context, speaking=True).change_task(
        order_id, needs=[needed], key=context.args.text("--key")
    )
    context.answer([order(card)]) if context.json else context.say(
        f"{card.task.id} needs {', '.join(card.needs)}"
    )
    return 0


def _dep_remove(context: Context) -> int:
    order_id, needed = context.args.words
    card = bus_of(context, speaking=True).change_task(
        order_id, needs_not=[needed], key=context.args.text("--key")
    )
    left = ", ".join(card.needs) or "nothing"
    context.answer([order(card)]) if context.json else context.say(f"{card.task.id} needs {left}")
    return 0


def _stats(context: Context) -> int:
    counted = {"open": 0, "assigned": 0, "in_progress": 0, "closed": 0}
    for card in moves.list_tasks(connect_synced(context)):
        counted[VERMAS.statuses.word(card.task.state)] += 1
    if context.json:
        context.answer(counted)
    else:
        for word, count in counted.items():
            context.say(f"{word:<12} {count}")
    return 0


def _sync(context: Context) -> int:
    return state.run(context) if context.args.has("--status") else sync.run(context)


_LISTING = (
    Option("--status", "STATUS", help="open, assigned, in_progress or closed"),
    Option("--type", "TYPE", help=", ".join(_KINDS)),
    Option("--priority", "N", help="0 to 4"),
    Option("--older-than", "TIME", help="30m, 1h, 2d"),
)
_ROWS = (
    Subcommand("wo", "ready", "List work orders that can be claimed now", _ready),
    Subcommand("wo", "list", "List work orders; closed ones with --status closed", _list, options=_LISTING),
    Subcommand("wo", "blocked", "List work orders that wait for others", _blocked),
    Subcommand("wo", "show", "Show a work order", _show, words="WO", least=1, most=1),
    Subcommand(
        "wo",
        "create",
        "Create a work order; prints its id",
        _create,
        words="[TITLE]",
        most=-1,
        options=(
            Option("--title", "TEXT", help="title of the work order"),
            Option("--type", "TYPE", help=", ".join(_KINDS)),
            Option("--priority", "N", help="0 is the most urgent, 4 the least (2)"),
            Option("--description", "TEXT", help="description"),
            Option("--parent", "WO", help="make it a part of this one"),
            KEY,
        ),
    ),
    Subcommand(
        "wo",
        "update",
        "Change a work order of yours",
        _update,
        words="WO",
        least=1,
        most=1,
        options=(
            Option("--status", "STATUS", help="open, in_progress or closed"),
            Option("--assignee", "AGENT", help="agent to assign it to"),
            Option("--priority", "N", help="0 to 4"),
            Option("--title", "TEXT", help="new title"),
        ),
    ),
    Subcommand(
        "wo",
        "close",
        "Close work orders of yours",
        _close,
        words="WO…",
        least=1,
        most=-1,
        options=(Option("--reason", "TEXT", help="reason, stored in the log"), KEY),
    ),
    Subcommand("wo", "dep add", "Make B need A", _dep_add, words="B A", least=2, most=2, options=(KEY,)),
    Subcommand(
        "wo", "dep remove", "Remove a need of B", _dep_remove, words="B A", least=2, most=2, options=(KEY,)
    ),
    Subcommand("wo", "stats", "Count work orders by status", _stats),
    Subcommand(
        "wo",
        "sync",
        "Sync with the mounted files, or show their status",
        _sync,
        options=(Option("--status", help="only show the sync status of each file"),),
    ),
    Subcommand("wo", "rebuild-projections", "Rebuild the views from the log", rebuild.run),
    Subcommand("wo", "doctor", "Run health checks of the bus", doctor.run),
)
TABLE = {each.spec.name: each for each in (*_ROWS, *ROWS_OF_EVENTS, *process.ROWS)}
ABOUT = "The work orders of a company, on the bus of this folder. AGENT_ID names the agent that acts."


def main() -> None:
    """Run the command of this process and end it."""
    hot_main(runner("wo", ABOUT, TABLE))
