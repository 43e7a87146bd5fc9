"""palaver open: open the dashboard in the browser."""

import os
import signal
import webbrowser
from html import escape

from palaver.bus.root import find
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.hot import INTERRUPTED
from palaver.files.atomic_replace import replace
from palaver.web.access_keys import Keys
from palaver.web.discovery import running

PORT = Option("--port", "N", help="port of the dashboard (default: the last one, or a free one)")
SPEC = Spec(
    "open",
    "Open the dashboard in the browser: messages, tasks, agents, and what they wait for.",
    options=(PORT, Option("--no-browser", help="only print the address")),
    text="""
If the dashboard of this bus is being served, this command opens it and exits. Otherwise it serves it, on
127.0.0.1 only, until it is interrupted. The address signs in one browser, once, within ten minutes; run the
command again for another. On the page you act as yourself (or as --as NAME), with `auth: token`; so inside a
run this command is refused.
""",
    examples=("palaver open", "palaver open --no-browser --json | jq -r .address"),
)


def run(context: Context) -> int:
    """Find the dashboard or serve it; print the address, and open it."""
    port, root = port_of(context, SPEC), context.root
    context.refuse_inside_run("open the dashboard")
    found = running(root)
    if found is not None:
        _show(context, found.address(Keys(root, boot=found.boot)), found.pid)
        return 0
    # Loaded here: a dashboard that is already served needs none of it.
    from palaver.web.server import Server

    force = context.args.has("--force")
    server = Server(root.path, port=port, person=context.named(), force=force)
    # A signal is noted, not raised: raised at the wrong moment it could get lost.
    signals: list[int] = []
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: signals.append(number))

    def is_over() -> bool:
        # Refuses when trust in the bus was revoked.
        find(root.path)
        return bool(signals)

    server.start()
    try:
        _show(context, server.address, os.getpid())
        server.wait(is_over)
    finally:
        server.stop()
    return INTERRUPTED if signal.SIGINT in signals else 0


def port_of(context: Context, spec: Spec) -> int:
    """Return the port that the options name, 0 if they name none; or refuse."""
    port = context.args.number("--port", 0)
    if not 0 <= port < 65_536:
        raise spec.wrong("--port must be between 1 and 65535")
    return port


def _show(context: Context, address: str, pid: int) -> None:
    context.show({"address": address, "pid": pid}, address)
    context.flush()
    if not context.args.has("--no-browser"):
        # Other users can read command lines. So the browser is given a file that only we can read, and that
        # redirects to the address with its token.
        page = f'<meta http-equiv="refresh" content="0; url={escape(address)}"><title>Palaver</title>'
        path = context.root.path + "/open.html"
        replace(path, f"<!doctype html>{page}".encode())
        webbrowser.open(f"file://{path}")
