"""wo events: the log, with the names of a VerMAS company."""

from collections import Counter

from palaver.api import Bus
from palaver.bus.tasks import moves
from palaver.cli.arguments import Option
from palaver.cli.binding import Binding
from palaver.cli.company.wo_orders import events
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.program import Subcommand
from palaver.cli.show import clipped
from palaver.dialects.vermas.events import company_events
from palaver.log.clock import age, now
from palaver.model.errors import BadArguments
from palaver.model.limits import ROWS
from palaver.model.masking.masks import clip
from palaver.model.plain import dumps
from palaver.views.tasks.event_effects import effects_of

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_FILTER = Binding(
    Bus.events, only=("limit", "event_type", "actor"), names={"event_type": "--type"}, short={"limit": "-n"}
)
_FOLLOW = Binding(Bus.follow, only=("timeout",))


def seconds(text: str) -> int:
    """Return the seconds of a duration as `30m`, or refuse it."""
    if text[-1:] in _UNITS and text[:-1].isdecimal():
        return int(text[:-1]) * _UNITS[text[-1]]
    raise BadArguments(f"cannot use {clip(text, 40)!r}", "it must be a duration as 30m, 1h or 2d", "use 1h")


def _find(context: Context, task: str = "", limit: int = 50) -> list[dict[str, object]]:
    args = context.args
    found = events(
        connect_synced(context),
        wanted=args.text("--type", "*"),
        actor=args.text("--actor"),
        task=task,
        limit=_FILTER.number(args, "limit", limit),
    )
    if args.has("--since"):
        least = seconds(args.text("--since"))
        found = [event for event in found if age(str(event["timestamp"]), now()) <= least]
    return found


def _show(context: Context, event: dict[str, object]) -> None:
    if context.json or context.args.has("--jsonl"):
        context.answer(event)
        return
    at, data = str(event["timestamp"])[11:23], clipped(dumps(event["data"]), 100)
    context.say(f"{at}  {event['event_type']:<26} {clipped(str(event['actor']), 24):<14} {data}")


def _list(context: Context, task: str = "") -> int:
    found = _find(context, task)
    if context.json and not context.args.has("--jsonl"):
        return context.show(found)
    for event in found:
        _show(context, event)
    return 0


def _replay(context: Context) -> int:
    return _list(context, moves.find_task(connect_synced(context), context.args.words[0]).id)


def _tail(context: Context) -> int:
    session = connect_synced(context)
    for event in _FOLLOW.perform_on(session, context, after=session.log.last_seq()):
        for each in company_events(event, effects_of(session.view.current(), event)):
            _show(context, each)
        context.flush()
    return 0


def _stats(context: Context) -> int:
    counted = sorted(Counter(str(event["event_type"]) for event in _find(context, limit=ROWS)).items())
    return context.show(dict(counted), (f"{kind:<26} {count}" for kind, count in counted))


def _export(context: Context) -> int:
    for event in _find(context, limit=ROWS):
        context.answer(event)
    return 0


_LONG = "reads the whole log"
_JSONL = Option("--jsonl", help="one object per line")
_SINCE = Option("--since", "TIME", help="only events of the last 30m, 1h, 2d")
_FILTERS = (*_FILTER.options, _SINCE, _JSONL)
ROWS_OF_EVENTS = (
    Subcommand("events list", "List the newest events", _list, options=_FILTERS, cold=_LONG),
    Subcommand("events", "The same as events list", _list, options=_FILTERS, cold=_LONG),
    Subcommand("events tail", "Show new events as they arrive", _tail, options=(_JSONL, *_FOLLOW.options)),
    Subcommand("events replay", "Show the events of a work order", _replay, "WO", _FILTERS, cold=_LONG),
    Subcommand("events stats", "Count the events of each type", _stats, options=(_SINCE,), cold=_LONG),
    Subcommand(
        "events export",
        "Print events, one JSON object per line",
        _export,
        options=(_SINCE,),
        cold=_LONG,
    ),
)
