"""palaver tail: events as they come."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.event_line import event_line

SPEC = Spec(
    "tail",
    "Show the newest events, and with -f each new one as it comes.",
    options=(
        Option("--follow", short="-f", help="go on"),
        Option("--last", "N", short="-n", help="how many to start with (10); 0 is none"),
        Option("--since", "SEQ", help="start after this number instead"),
        Option("--timeout", "S", help="with -f: end when nothing comes for so long"),
    ),
    text="With --json one object a line. mail.sent is a message; the other events say what became of it.",
    examples=("palaver tail -f", "palaver tail --since 120 --json | jq .event_type"),
)


def run(context: Context) -> int:
    """Show, and follow."""
    args = context.args
    last = args.number("--last", 10)
    since = args.number("--since", -1)
    if last < 0 or (args.has("--since") and since < 0):
        raise SPEC.wrong("--last and --since are not negative")
    bus = bus_of(context)
    seq = since
    if since < 0:
        newest = bus.session.log.last_seq()
        seq = max(0, newest - last)
    timeout = args.seconds("--timeout", 0.0)
    if args.has("--follow"):
        events = bus.follow(seq, timeout=timeout or None)
    else:
        events = bus.follow(seq, timeout=0.0)
    for event in events:
        if context.json:
            context.answer(event.plain())
        else:
            context.say(event_line(event))
        if args.has("--follow"):
            context.flush()
    return 0
