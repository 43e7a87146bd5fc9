"""palaver up: run the daemon."""

import os
from collections.abc import Callable
from math import inf

from palaver.api import Bus
from palaver.bus.session import Session
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.open import PORT, port_of
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.event_line import event_fields, event_line
from palaver.cli.hosted import Host, WarmSync
from palaver.cli.show import safe
from palaver.cli.warmth import find_warmth
from palaver.daemon.background import find_daemon, problems, start, stop
from palaver.daemon.caller_pipe import CallerPipe, CommandRequest, CommandResult
from palaver.daemon.command_folder import CommandFolder
from palaver.daemon.idle_clock import IdleClock
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
        Option("--quiet", short="-q", help="show neither events nor the address of the dashboard"),
        PORT,
        Option("--no-web", help="do not serve the dashboard"),
        Option("--texts", help="show texts even where the output is not a terminal"),
        Option("--idle", "S", help="end after so many seconds without use (default: never)"),
    ),
    text="""
Without the daemon, every command starts Python and syncs by itself. With it, commands are warm: the daemon
runs them, and they answer within milliseconds (palaver status says whether they do). A line that an agent
appends is a message just as fast, and so is mail in the files of its recipient. The daemon patrols every 30
seconds. It serves the dashboard on 127.0.0.1 and prints its address, which signs in one browser; palaver open
makes another; inside a run, use --no-web. It prints one line per event; with --json, one object per line.
Where the output is not a terminal, lines and objects have no texts (of messages, tasks or programs) unless
--texts asks for them, and the address signs in nobody.
There is one daemon for a bus: a second one reports the first and exits with 5. With --detach it runs in the
background until palaver down, the command returns when the daemon answers, and to find it running is no
error. With daemon = "auto" in the config, commands start it by themselves: such a daemon serves no dashboard,
stops after an hour without use (daemon_idle), and gives way to one that you start.
""",
    examples=(
        "palaver up",
        "palaver up -d",
        "palaver up --json | jq -c 'select(.event_type == \"mail.sent\")'",
    ),
)


def run(context: Context) -> int:
    """Run the daemon."""
    port, seconds = port_of(context, SPEC), context.args.seconds("--idle", inf)
    if not context.args.has("--no-web"):
        context.refuse_inside_run("serve the dashboard")
    if context.args.has("--detach"):
        return _detach(context)
    _end_temporary(context)
    bus = Bus(session=connect(context))
    is_quiet = context.args.has("--quiet")
    # What is not a terminal may be a log that others read.
    has_texts = context.caller.output.isatty() or context.args.has("--texts")
    dashboard = _Dashboard(context, port)

    def tell(event: Event) -> None:
        if is_quiet or (not context.json and event.event_type in _BOOKKEEPING):
            return
        fields = event_fields(event, has_texts=has_texts) if context.json else None
        context.show(fields, event_line(event, has_texts=has_texts))
        context.flush()

    def started() -> None:
        context.say(f"Up: {safe(bus.root.path)} (process {os.getpid()}); Ctrl-C ends it")
        context.flush()
        if not context.args.has("--no-web"):
            dashboard.start()

    # It patrols in a thread of its own, which needs a session of its own.
    patrols = PatrolService(Session(bus.root), note=context.note)
    idle = IdleClock(seconds, lambda: dashboard.is_watched())
    daemon = Daemon(bus.session, tell=tell, note=context.note, patrol=patrols.run_if_due, idle=idle)
    host = Host(Session(bus.root), lambda session: WarmSync(daemon, session), context.environment)

    def run_command(request: CommandRequest, pipe: CallerPipe) -> CommandResult:
        with idle.used():
            daemon.has_commands = True
            return host.run(request, pipe)

    commands = CommandFolder(
        bus.root.path,
        run_command,
        end_thread=host.end_thread,
        note=context.note,
    )
    try:
        daemon.run(started, commands)
    finally:
        dashboard.stop()
        patrols.close()
    return 0


def _detach(context: Context) -> int:
    """Start the daemon in the background, unless it runs already."""
    _end_temporary(context)
    root, args = context.root, context.args
    is_up = find_daemon(root) is not None
    options = [each for each in ("--no-web", "--force") if args.has(each)]
    for name, value in (
        ("--port", args.text("--port")),
        ("--idle", args.text("--idle")),
        ("--as", context.named()),
    ):
        options += [name, value] if value else []
    process = start(root, ["--quiet", *options], context.environment).process
    for problem in problems(root) if not is_up else ():
        context.note(problem)
    if why := find_warmth(context).why:
        context.note(f"commands are cold: {why}")
    line = f"{'Up already' if is_up else 'Up'}: {safe(root.path)} (process {process}); palaver down ends it"
    return context.show({"process": process, "log": root.up_log}, line)


def _end_temporary(context: Context) -> None:
    """Make room: a daemon that ends by itself is not what you ask for."""
    found = find_daemon(context.root)
    if found and found.is_temporary and not context.args.has("--idle"):
        stop(context.root)


class _Dashboard:
    """The dashboard, if it can be served; files are synced without it too."""

    def __init__(self, context: Context, port: int) -> None:
        self._context = context
        self._port = port
        self.is_watched: Callable[[], bool] = lambda: False
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
        self.is_watched, self.stop = lambda: server.is_watched, server.stop
        stream = context.caller.errors if context.json else context.caller.output
        # A link that signs in is for the person at the terminal, not for a log.
        address = f"http://127.0.0.1:{server.port}/ (palaver open signs you in)"
        address = server.address if stream.isatty() else address
        if context.json:
            # Standard output has events only.
            context.note(f"dashboard: {address}")
        elif not context.args.has("--quiet"):
            context.say(f"Dashboard: {address}")
            context.flush()
