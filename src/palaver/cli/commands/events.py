"""palaver events: list, show and export events."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.lines import event_line
from palaver.cli.opened import opened
from palaver.cli.show import block

SPEC = Spec(
    "events",
    "The log itself: list its events, show one whole, export them as CloudEvents.",
    words="[list | show SEQ|ID | export]",
    most=2,
    options=(
        Option("--type", "T", help="only this type; mail.* for a family"),
        Option("--actor", "NAME", help="only what this agent did"),
        Option("--since", "SEQ", help="only what comes after this number"),
        Option("--limit", "N", short="-n", help="list: how many, the newest (50)"),
    ),
    text="export writes every event that fits as CloudEvents 1.0, one JSON object a line.",
    examples=(
        "palaver events --type 'mail.*'",
        "palaver events show 42",
        "palaver events export > events.jsonl",
    ),
)


def run(context: Context) -> int:
    """List, show or export."""
    words = context.args.words or ["list"]
    bus = opened(context)
    if words[0] == "show" and len(words) == 2:
        return _show(context, bus, words[1])
    if words == ["export"]:
        return _export(context, bus)
    if words != ["list"]:
        raise SPEC.wrong("say list, show SEQ, show ID or export")
    args = context.args
    events = bus.events(
        limit=args.rows("--limit", 50),
        event_type=args.text("--type"),
        actor=args.text("--actor"),
        after=args.number("--since", 0),
    )
    if context.json:
        context.answer([event.plain() for event in events])
    else:
        for event in events:
            context.say(event_line(event))
    return 0


def _show(context: Context, bus: Bus, wanted: str) -> int:
    if wanted.isdecimal() and len(wanted) > 18:
        raise SPEC.wrong("that is not the number of an event", "palaver events lists them")
    event = bus.event(wanted)
    if context.json:
        context.answer(event.plain())
        return 0
    from json import dumps

    context.say(block(dumps(event.plain(), indent=2, ensure_ascii=False)))
    return 0


def _export(context: Context, bus: Bus) -> int:
    args = context.args
    wanted, actor = args.text("--type"), args.text("--actor")
    for event in bus.exported(event_type=wanted, actor=actor, after=args.number("--since", 0)):
        context.answer(event)
    return 0
