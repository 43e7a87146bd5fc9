"""wo: the work orders of a VerMAS company."""

from functools import partial

from palaver.api import Bus
from palaver.bus.session import Session
from palaver.bus.tasks import assignment, moves
from palaver.cli.arguments import Option
from palaver.cli.binding import Binding, for_command, perform_once
from palaver.cli.cards import moves_text
from palaver.cli.commands import doctor, rebuild, status, sync
from palaver.cli.company import wo_process
from palaver.cli.company.wo_events import ROWS_OF_EVENTS, seconds
from palaver.cli.company.wo_orders import count_orders, order, orders
from palaver.cli.connection import connect, connect_synced
from palaver.cli.context import Context
from palaver.cli.program import SEVERAL, Program, Subcommand
from palaver.cli.show import block, clipped, field_lines, safe
from palaver.dialects.vermas.spec import SPEC as VERMAS
from palaver.log.clock import age, letters, now
from palaver.model.errors import BadArguments
from palaver.model.masking.masks import clip
from palaver.views.tasks.board import Card

_KINDS = ("task", "bug", "feature", "epic", "merge-request", "event", "message")
# The act that gives an order the status `open`, where it is not `release`.
_TO_OPEN = {"cancelled": "resume", "done": "rework"}
_CREATE = Binding(Bus.open_task, only=("about", "priority", "key"), names={"about": "--description"})
_UPDATE = Binding(Bus.change_task, only=("title", "priority", "key"))
_DEPEND = Binding(Bus.change_task, only=("key",))
_CLOSE = Binding(Bus.move, only=("key",))


def _row(card: Card) -> str:
    task = card.task
    word = VERMAS.statuses.word(task.state)
    waits = f"  (needs {', '.join(card.waits_for)})" if card.waits_for else ""
    who = f"  @{task.holder}" if task.holder else ""
    title = clipped(task.title, 60)
    return f"{safe(task.id):<10}  {title:<28}  {word:<11}  P{task.priority}{safe(who + waits)}"


def _show_list(context: Context, cards: list[Card]) -> int:
    return context.show(list(map(order, cards)), map(_row, cards), empty="No work orders")


def _ready(context: Context) -> int:
    return _show_list(context, orders(connect_synced(context), ready=True))


def _list(context: Context) -> int:
    args = context.args
    wanted = args.text("--status")
    if wanted and not VERMAS.statuses.state(wanted):
        raise BadArguments(f"no status {clip(wanted, 40)!r}", "", "use open, assigned, in_progress or closed")
    found = orders(
        connect_synced(context),
        wanted=wanted,
        kind=args.text("--type"),
        priority=args.number("--priority", -1),
    )
    if args.has("--older-than"):
        least = seconds(args.text("--older-than"))
        found = [card for card in found if age(card.task.at, now()) > least]
    return _show_list(context, found)


def _blocked(context: Context) -> int:
    return _show_list(context, [card for card in orders(connect_synced(context)) if card.waits_for])


def _show(context: Context) -> int:
    session = connect_synced(context)
    card = moves.task_card(session, context.args.words[0])
    found = order(card)
    names = ("id", "title", "status", "priority", "issue_type", "assignee", "created_by", "created_at")
    shown = {name: "-" if found[name] is None else found[name] for name in names}
    shown["needs"] = ", ".join(card.needs)
    lines = field_lines(shown, 13)
    lines += ["\n" + block(card.task.about)] if card.task.about else []
    lines.append("\n" + moves_text(moves.tried_on(session, card.task.id)))
    return context.show([found], lines)


def _create(context: Context) -> int:
    args = context.args
    kind = args.text("--type", "task")
    if kind not in _KINDS:
        raise BadArguments(f"no type {clip(kind, 40)!r}", "", f"use one of {', '.join(_KINDS)}")
    wanted = f"wo-{letters()[:5]}"
    if args.has("--parent"):
        wanted = _part(connect_synced(context), args.text("--parent"))
    title = args.text("--title") or " ".join(args.words)
    session = for_command(context, connect(context, speaking=True), "wo create")
    card = _CREATE.perform_on(session, context, title=title, task=wanted, kind=kind)
    return context.show([order(card)], f"Created work order {card.task.id}")


def _part(session: Session, parent: str) -> str:
    """Return the id of the next part of a work order."""
    whole = moves.find_task(session, parent).id
    parts = [card for card in moves.list_tasks(session) if card.task.id.startswith(f"{whole}.")]
    return f"{whole}.{len(parts) + 1}"


def _update(context: Context) -> int:
    args, session, by = context.args, connect_synced(context), context.speaker()
    fields = {name: value for name, value in _UPDATE.values(args).items() if name != "key"}
    if not fields and not args.has("--status") and not args.has("--assignee"):
        way_out = "use --status, --assignee, --priority or --title"
        raise BadArguments(f"nothing to update in {args.words[0]}", "", way_out)

    def update() -> dict[str, object]:
        task = moves.find_task(session, args.words[0])
        if fields:
            _UPDATE.operation.perform(session, {"task": task.id, "by": by, **fields})
        if args.has("--assignee"):
            worker = args.text("--assignee")
            moves.move(session, task.id, "assign", task.title, by=by, to=worker)
            assignment.assign(session, worker, f"work_order:{task.id}", by=by)
        elif args.has("--status"):
            _set_status(session, by, task.id, args.text("--status"))
        card = moves.task_card(session, task.id)
        return {"order": order(card), "row": _row(card)}

    done = perform_once(context, session, "wo update", update)
    return context.show([done["order"]], f"Updated: {done['row']}")


def _set_status(session: Session, by: str, task_id: str, wanted: str) -> None:
    task = moves.find_task(session, task_id)
    acts = {"in_progress": "ack", "closed": "accept", "open": _TO_OPEN.get(task.state, "release")}
    if wanted not in acts:
        way_out = "use open, in_progress or closed; or --assignee"
        raise BadArguments(f"cannot set the status {clip(wanted, 40)!r}", "", way_out)
    moves.move(session, task_id, acts[wanted], f"status {wanted}", by=by)


def _close(context: Context) -> int:
    key, reason = context.args.text("--key"), context.args.text("--reason")
    closed = [
        _CLOSE.perform(context, task=each, act="accept", body=reason, key=key and f"{key}/{each}").card
        for each in context.args.words
    ]
    return context.show(list(map(order, closed)), (f"Closed: {card.task.id}" for card in closed))


def _depend(context: Context, change: str) -> int:
    order_id, needed = context.args.words
    card = _DEPEND.perform(context, task=order_id, **{change: [needed]})
    return context.show([order(card)], f"{card.task.id} needs {', '.join(card.needs) or 'nothing'}")


def _stats(context: Context) -> int:
    counted = count_orders(Bus(session=connect(context)).tasks())
    return context.show(counted, (f"{word:<12} {count}" for word, count in counted.items()))


def _sync(context: Context) -> int:
    return status.run(context) if context.args.has("--status") else sync.run(context)


_KIND = Option("--type", "TYPE", help=", ".join(_KINDS))
_TITLE = Option("--title", "TEXT", help="title of the work order")
_PARENT = Option("--parent", "WO", help="make it a part of this work order")
_REASON = Option("--reason", "TEXT", help="reason, stored in the log")
_STATUS_ONLY = Option("--status", help="only show the sync status of each file")
_LISTING = (
    Option("--status", "STATUS", help="open, assigned, in_progress or closed"),
    _KIND,
    Option("--priority", "N", help="0 to 4"),
    Option("--older-than", "TIME", help="30m, 1h, 2d"),
)
_CHANGES = (
    Option("--status", "STATUS", help="open, in_progress or closed"),
    Option("--assignee", "AGENT", help="agent to assign it to"),
    *_UPDATE.options,
)
_ROWS = (
    Subcommand("ready", "List work orders that can be claimed now", _ready),
    Subcommand("list", "List work orders; closed ones with --status closed", _list, options=_LISTING),
    Subcommand("blocked", "List work orders that wait for others", _blocked),
    Subcommand("show", "Show a work order", _show, "WO"),
    Subcommand(
        "create",
        "Create a work order; prints its id",
        _create,
        "[TITLE…]",
        (_TITLE, _KIND, *_CREATE.options, _PARENT),
    ),
    Subcommand("update", "Change a work order of yours", _update, "WO", _CHANGES, cold=SEVERAL),
    Subcommand("close", "Close work orders of yours", _close, "WO…", (_REASON, *_CLOSE.options)),
    Subcommand("dep add", "Make B need A", partial(_depend, change="needs"), "B A", _DEPEND.options),
    Subcommand(
        "dep remove",
        "Remove A from the needs of B",
        partial(_depend, change="needs_not"),
        "B A",
        _DEPEND.options,
    ),
    Subcommand("stats", "Count work orders by status", _stats),
    Subcommand(
        "sync",
        "Sync with the mounted files, or show their status",
        _sync,
        options=(_STATUS_ONLY,),
        cold="reads whole files",
    ),
    Subcommand(
        "rebuild-projections", "Rebuild the views from the log", rebuild.run, cold="reads the whole log"
    ),
    Subcommand("doctor", "Run health checks of the bus", doctor.run, cold="reads the whole log"),
    *ROWS_OF_EVENTS,
    *wo_process.ROWS,
)
TABLE = {each.name: each for each in _ROWS}
WO = Program(
    name="wo",
    about="The work orders of a company, on the bus of this folder. AGENT_ID names the agent that acts.",
    commands=TABLE,
    looks=frozenset(
        [
            *("ready", "list", "blocked", "show", "stats", "doctor"),
            *(each.name for each in ROWS_OF_EVENTS),
            *("process list", "process show", "process steps", "process compile"),
        ]
    ),
)
