"""palaver up: keep the bus and its files in step all the time."""

import os

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.lines import event_line
from palaver.cli.opened import opened
from palaver.cli.show import safe
from palaver.model.event import Event
from palaver.sync.daemon import Daemon
from palaver.wiring import dialect

# What the bus notes for itself about files; a person need not see it.
_BOOKKEEPING = ("file.echoed", "file.kept", "file.opened", "file.prepared", "config.applied")

SPEC = Spec(
    "up",
    "Keep the bus and the files of its mounts in step all the time, until you end it (Ctrl-C).",
    options=(Option("--quiet", short="-q", help="do not show events"),),
    text="""
Without it every command catches up by itself; with it a line that an agent appends is a message within
milliseconds, and what is sent stands in the recipient's file as fast. One process a bus: a second one says
who is there and exits 5. It shows one line an event; with --json one object a line.
Scripts can speak to its socket, one line of JSON each:

  printf '{"send":{"from":"ada","to":["bob"],"body":"Hello"}}\\n' | nc -N -U .palaver/socket
""",
    examples=("palaver up", "palaver up --json | jq -c 'select(.event_type == \"mail.sent\")'"),
)


def run(context: Context) -> int:
    """Keep it up."""
    bus = opened(context)
    quiet = context.args.has("--quiet")

    def tell(event: Event) -> None:
        if quiet or (not context.json and event.event_type in _BOOKKEEPING):
            return
        if context.json:
            context.answer(event.plain())
        else:
            context.say(event_line(event))
        context.flush()

    def started() -> None:
        if not context.json:
            context.say(f"Up: {safe(bus.root.path)} (process {os.getpid()}); Ctrl-C ends it")
            context.flush()

    Daemon(bus, dialect, tell=tell, note=context.note).run(started)
    return 0
