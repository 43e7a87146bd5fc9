"""palaver down: end the daemon."""

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.daemon.background import stop

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
    process = stop(context.root)
    return context.show({"process": process}, f"Down: process {process}" if process else "Not up")
