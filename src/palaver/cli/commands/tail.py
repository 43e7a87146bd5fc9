"""palaver tail: show events as they are appended."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.event_line import event_line

_START = Binding(Bus.follow, names={"after": "--since"}, own=("timeout",))
_FOLLOW = Binding(Bus.follow, own=("after",), note="with -f: ")
_LAST = 10
SPEC = Spec(
    "tail",
    "Show the newest events; with -f, follow them.",
    options=(
        Option("--follow", short="-f", help="wait for new events and show them"),
        Option("--last", "N", short="-n", help=f"number of events to start with ({_LAST})"),
        *_START.options,
        *_FOLLOW.options,
    ),
    text="With --json, one object per line. mail.sent is a message; other events record what happened to it.",
    examples=("palaver tail -f", "palaver tail --since 120 --json | jq .event_type"),
)


def run(context: Context) -> int:
    """Show events, and follow."""
    args = context.args
    last = args.number("--last", _LAST)
    if last < 0:
        raise SPEC.wrong("--last must not be negative")
    start = _START.values(args)
    is_following = args.has("--follow")
    # Without -f, it ends at the newest event.
    end = _FOLLOW.values(args) if is_following else {"timeout": 0.0}
    session = connect(context)
    start = start or {"after": max(0, session.log.last_seq() - last)}
    for event in Bus.follow.perform(session, {**start, **end}):
        context.show(event, event_line(event))
        if is_following:
            context.flush()
    return 0
