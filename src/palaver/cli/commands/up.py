"""palaver up: run the daemon."""

import os
from collections.abc import Callable

from palaver.api import Bus
from palaver.bus.session import Session
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.open import PORT, port_of
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.event_line import event_line
from palaver.cli.hosted import Host, WarmSync
from palaver.cli.show import safe
from palaver.daemon.background import process_of, start
from palaver.daemon.command_socket import CommandSocket
from palaver.daemon.lifecycle import Daemon
from palaver.model.errors import Refusal
from palaver.model.event import Event
from palaver.supervision.patrol_service import PatrolService

# What the bus records for itself about files; people need not see it.
_BOOKKEEPING = ("file.echoed", "file.kept", "file.opened", "file.prepared", "config.applied")

SPEC = Spec(
    "up",
    "Run the daemon: keep the bus and the mounted files in sync until you stop it (Ctrl-C).",
    options=(
        Option("--detach", short="-d", help="run in the background, and log to .palaver/up.log"),
        Option("--quiet", short="-q", help="do not show events"),
        PORT,
        Option("--no-web", help="do not serve the dashboard"),
    ),
    text="""
Without the daemon, every command syncs by itself. With it, a line that an agent appends is a message within
milliseconds, and mail is written to the recipient's files just as fast. There is one daemon for a bus: a
second one reports the first and exits with 5. It prints one line per event; with --json, one object per line.
It patrols every 30 seconds. It serves the dashboard on 127.0.0.1 and prints its address, which signs in one
browser; palaver open makes another.
""",
    examples=("palaver up", "palaver up --json | jq -c 'select(.event_type == \"mail.sent\")'"),
)


def run(context: Context) -> int:
    """Run the daemon."""
    port = port_of(context, SPEC)
    if context.args.has("--detach"):
        return _detach(context)
    bus = Bus(session=connect(context))
    is_quiet = context.args.has("--quiet")
    dashboard = _Dashboard(context, port)

    def tell(event: Event) -> None:
        if is_quiet or (not context.json and event.event_type in _BOOKKEEPING):
            return
        context.show(event, event_line(event))
        context.flush()

    def started() -> None:
        context.say(f"Up: {safe(bus.root.path)} (process {os.getpid()}); Ctrl-C ends it")
        context.flush()
        if not context.args.has("--no-web"):
            dashboard.start()

    # It patrols in a thread of its own, which needs a session of its own.
    patrols = PatrolService(Session(bus.root), note=context.note)
    daemon = Daemon(bus.session, tell=tell, note=context.note, patrol=patrols.run_if_due)
    host = Host(Session(bus.root), lambda session: WarmSync(daemon, session), context.environment)
    commands = CommandSocket(bus.root.path, host.run, last_seq=host.last_seq, note=context.note)
    try:
        daemon.run(started, commands)
    finally:
        dashboard.stop()
        patrols.close()
    return 0


def _detach(context: Context) -> int:
    """Start the daemon in the background, unless it runs already."""
    process = process_of(context.root)
    words = "Up already" if process else "Up"
    if not process:
        options = ["--quiet", *(each for each in ("--no-web", "--force") if context.args.has(each))]
        if context.args.has("--port"):
            options += ["--port", context.args.text("--port")]
        process = start(context.root, options, context.environment)
    found = {"process": process, "log": context.root.up_log}
    return context.show(found, f"{words}: {context.root.path} (process {process}); palaver down ends it")


class _Dashboard:
    """The dashboard, if it can be served; files are synced without it too."""

    def __init__(self, context: Context, port: int) -> None:
        self._context = context
        self._port = port
        self.stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Serve it, and print its address."""
        # Loaded here: a daemon without a dashboard does not need it.
        from palaver.web.server import Server

        context = self._context
        force = context.args.has("--force")
        try:
            server = Server(context.root.path, port=self._port, person=context.named(), force=force)
            server.start()
        except Refusal as refused:
            context.note(f"no dashboard: {refused}")
            return
        self.stop = server.stop
        if context.json:
            # Standard output has events only.
            context.note(f"dashboard: {server.address}")
        else:
            context.say(f"Dashboard: {server.address}")
            context.flush()
