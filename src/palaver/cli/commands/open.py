"""palaver open: the dashboard, in the browser."""

import os
import signal

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.hot import INTERRUPTED

SPEC = Spec(
    "open",
    "Open the dashboard: who says what, who waits for whom, and your own words.",
    options=(
        Option("--port", "N", help="serve at this port; without it, that of last time or a free one"),
        Option("--no-browser", help="only print the address"),
    ),
    text="""
If the dashboard of this bus is served already, this opens it and ends. Otherwise it serves it, on 127.0.0.1
only, until it is interrupted. The address lets one browser in, once, within ten minutes; run this again for
another. What you do on the page is done as you (or as --as NAME), with `auth: token`.
""",
    examples=("palaver open", "palaver open --no-browser --json | jq -r .address"),
)


def run(context: Context) -> int:
    """Find or serve it; print the address, and show it."""
    from palaver.web.access_keys import Keys
    from palaver.web.discovery import running

    port = context.args.number("--port", 0)
    if not 0 <= port < 65_536:
        raise SPEC.wrong("--port is between 1 and 65535")
    found = running(context.root)
    if found is not None:
        _show(context, found.address(Keys(context.root, boot=found.boot)), found.pid)
        return 0
    from palaver.web.server import Server

    server = Server(
        context.args.text("--root"), port=port, person=context.named(), force=context.args.has("--force")
    )
    # A signal is noted, not raised: raised at the wrong moment it could get lost.
    told: list[int] = []
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: told.append(number))
    server.start()
    try:
        _show(context, server.address, os.getpid())
        server.wait(lambda: bool(told))
    finally:
        server.stop()
    return INTERRUPTED if signal.SIGINT in told else 0


def _show(context: Context, address: str, pid: int) -> None:
    if context.json:
        context.answer({"address": address, "pid": pid})
    else:
        context.say(address)
    context.flush()
    if not context.args.has("--no-browser"):
        from palaver.web.browser import show

        show(context.root, address)
