"""palaver snapshot: the log into its own small git history."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "snapshot",
    "Commit the log as it is now into a small git history inside .palaver, apart from your repository.",
    options=(Option("--message", "TEXT", short="-m", help="what to call it"),),
    text="A live log is not tracked by the surrounding repository: a branch switch would take messages away.",
    examples=("palaver snapshot -m 'before the release'", "git -C .palaver log --stat"),
)


def run(context: Context) -> int:
    """Snapshot."""
    commit = opened(context).snapshot(context.args.text("--message"))
    if context.json:
        context.answer({"commit": commit or None})
    else:
        context.say(f"Snapshot: {commit}" if commit else "Nothing has changed since the last snapshot")
    return 0
