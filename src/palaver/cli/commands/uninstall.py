"""palaver uninstall: remove our hooks from a git repository."""

from palaver.cli.arguments import Spec
from palaver.cli.commands.install import repository
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.runs.repository import git_hooks

SPEC = Spec(
    "uninstall",
    "Remove our hooks from a git repository, and restore the ones that were there before.",
    words="git [DIR]",
    text="A hook that another program has put in the place of ours is left alone.",
    examples=("palaver uninstall git",),
)


def run(context: Context) -> int:
    """Remove the hooks."""
    found = git_hooks.uninstall(repository(context, SPEC), context.environment)
    lines = [f"Removed: {', '.join(found.hooks)} from {safe(found.folder)}"]
    lines += [f"Restored: {', '.join(found.kept)}"] if found.kept else []
    lines += [f"Left alone, because it is not ours: {', '.join(found.foreign)}"] if found.foreign else []
    return context.show(found, lines)
