"""wo events: the log, in the words of a VerMAS company."""

from collections import Counter

from palaver.bus.tasks import moves
from palaver.cli.arguments import Option
from palaver.cli.company.subcommands import Subcommand
from palaver.cli.company.wo_orders import events, told
from palaver.cli.connection import bus_of, connect_synced
from palaver.cli.context import Context
from palaver.cli.show import clipped, json_line
from palaver.log.clock import age, now
from palaver.model.errors import BadArguments
from palaver.model.limits import ROWS

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def seconds(text: str) -> int:
    """Return a time as people write it, or refuse it."""
    if text[-1:] in _UNITS and text[:-1].isdecimal():
        return int(text[:-1]) * _UNITS[text[-1]]
    raise BadArguments(f"cannot use {text[:40]!r}", "it must be a time as 30m, 1h or 2d", "use 1h")


def _found(context: Context, task: str = "", limit: int = 50) -> list[dict[str, object]]:
    args = context.args
    found = events(
        connect_synced(context),
        wanted=args.text("--type", "*"),
        actor=args.text("--actor"),
        task=task,
        limit=args.rows("--limit", limit),
    )
    if args.has("--since"):
        least = seconds(args.text("--since"))
        found = [event for event in found if age(str(event["timestamp"]), now()) <= least]
    return found


def _say(context: Context, event: dict[str, object]) -> None:
    if context.json or context.args.has("--jsonl"):
        context.say(json_line(event))
        return
    shown = clipped(json_line(event["data"]), 100)
    at = str(event["timestamp"])[11:23]
    context.say(f"{at}  {event['event_type']:<26} {clipped(str(event['actor']), 24):<14} {shown}")


def _list(context: Context, task: str = "") -> int:
    found = _found(context, task)
    if context.json and not context.args.has("--jsonl"):
        context.answer(found)
        return 0
    for event in found:
        _say(context, event)
    return 0


def _replay(context: Context) -> int:
    task = moves.find_task(connect_synced(context), context.args.words[0])
    return _list(context, task.id)


def _tail(context: Context) -> int:
    bus = bus_of(context)
    db = bus.session.view.current
    for event in bus.follow(
        bus.session.log.last_seq(), timeout=context.args.seconds("--timeout", 0.0) or None
    ):
        for each in told(db(), event):
            _say(context, each)
        context.flush()
    return 0


def _stats(context: Context) -> int:
    counted = Counter(str(event["event_type"]) for event in _found(context, limit=ROWS))
    if context.json:
        context.answer(dict(sorted(counted.items())))
    else:
        for kind, count in sorted(counted.items()):
            context.say(f"{kind:<26} {count}")
    return 0


def _export(context: Context) -> int:
    for event in _found(context, limit=ROWS):
        context.say(json_line(event))
    return 0


_SINCE = Option("--since", "TIME", help="30m, 1h, 2d")
_SIEVE = (
    Option("--type", "TYPE", help="as work_order.*"),
    Option("--actor", "NAME", help="only what this agent did"),
    _SINCE,
    Option("--limit", "N", short="-n", help="how many (50)"),
    Option("--jsonl", help="one object a line"),
)
ROWS_OF_EVENTS = (
    Subcommand("wo", "events list", "The newest events", _list, options=_SIEVE),
    Subcommand("wo", "events", "The same", _list, options=_SIEVE),
    Subcommand(
        "wo",
        "events tail",
        "Each new event as it comes, until Ctrl-C",
        _tail,
        options=(
            Option("--jsonl", help="one object a line"),
            Option("--timeout", "S", help="end when nothing comes for so long"),
        ),
    ),
    Subcommand(
        "wo",
        "events replay",
        "What happened to one work order",
        _replay,
        words="WO",
        least=1,
        most=1,
        options=_SIEVE,
    ),
    Subcommand("wo", "events stats", "How many there are of each type", _stats, options=(_SINCE,)),
    Subcommand("wo", "events export", "Events, one JSON object a line", _export, options=(_SINCE,)),
)
