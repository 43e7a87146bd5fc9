"""palaver up: keep the bus and its files in step all the time."""

import os
from collections.abc import Callable

from palaver.bus.session import Session
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.event_line import event_line
from palaver.cli.show import safe
from palaver.daemon.lifecycle import Daemon
from palaver.model.errors import Refusal
from palaver.model.event import Event
from palaver.supervision.patrol_service import PatrolService

# What the bus notes for itself about files; a person need not see it.
_BOOKKEEPING = ("file.echoed", "file.kept", "file.opened", "file.prepared", "config.applied")

SPEC = Spec(
    "up",
    "Keep the bus and the files of its mounts in step all the time, until you end it (Ctrl-C).",
    options=(
        Option("--quiet", short="-q", help="do not show events"),
        Option(
            "--port",
            "N",
            help="the port of the dashboard; without it, that of last time or a free one",
        ),
        Option("--no-web", help="do not serve the dashboard"),
    ),
    text="""
Without it every command catches up by itself; with it a line that an agent appends is a message within
milliseconds, and what is sent stands in the recipient's file as fast. One process a bus: a second one says
who is there and exits 5. It shows one line an event; with --json one object a line. It patrols every 30 s.
It serves the dashboard on 127.0.0.1 and prints its address, which lets one browser in; palaver open makes
another. Scripts can speak to its socket, one line of JSON each:

  printf '{"send":{"from":"ada","to":["bob"],"body":"Hello"}}\\n' | nc -N -U .palaver/socket
""",
    examples=("palaver up", "palaver up --json | jq -c 'select(.event_type == \"mail.sent\")'"),
)


def run(context: Context) -> int:
    """Keep it up."""
    port = context.args.number("--port", 0)
    if not 0 <= port < 65_536:
        raise SPEC.wrong("--port is between 1 and 65535")
    bus = bus_of(context)
    quiet = context.args.has("--quiet")
    page = _Page(context, port)

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
        if not context.args.has("--no-web"):
            page.start()

    # It patrols in a thread of its own, so it looks at the bus with eyes of its own.
    patrols = PatrolService(Session(bus.root), note=context.note)
    try:
        Daemon(bus.session, tell=tell, note=context.note, patrol=patrols.run_if_due).run(started)
    finally:
        page.stop()
        patrols.close()
    return 0


class _Page:
    """The dashboard, if it can be served; files are kept in step without it too."""

    def __init__(self, context: Context, port: int) -> None:
        self._context = context
        self._port = port
        self._stop: Callable[[], None] | None = None

    def start(self) -> None:
        """Serve it, and say where."""
        # Loaded here: a start that only keeps files in step does not pay for it.
        from palaver.web.server import Server

        context = self._context
        try:
            server = Server(
                context.args.text("--root"),
                port=self._port,
                person=context.named(),
                force=context.args.has("--force"),
            )
            server.start()
        except Refusal as refused:
            context.note(f"no dashboard: {refused}")
            return
        self._stop = server.stop
        if context.json:
            # On standard output there are events, and nothing else.
            context.note(f"dashboard: {server.address}")
        else:
            context.say(f"Dashboard: {server.address}")
            context.flush()

    def stop(self) -> None:
        """Send everybody away."""
        if self._stop is not None:
            self._stop()
