"""palaver down: end the daemon."""

from palaver.bus.root import Root
from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.daemon.background import find_daemon, stop
from palaver.model.errors import Untrusted

SPEC = Spec(
    "down",
    "End the daemon of the bus. Nothing is lost: commands sync by themselves again.",
    text="""
Returns when the daemon has ended. If there is none, that is no error. With daemon = "auto" in the config, a
later command starts it again.
""",
    examples=("palaver down",),
)


def run(context: Context) -> int:
    """End the daemon."""
    process = stop(_root(context))
    return context.show({"process": process}, f"Down: process {process}" if process else "Not up")


def _root(context: Context) -> Root:
    """Return the bus; one that is no longer trusted only if there is a daemon to end."""
    try:
        return context.root
    except Untrusted:
        root = context.untrusted_root()
        if find_daemon(root) is None:
            raise
        return root
