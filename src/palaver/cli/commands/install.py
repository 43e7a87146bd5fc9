"""palaver install: install our hooks in a git repository."""

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.runs.repository import git_hooks

SPEC = Spec(
    "install",
    "Install hooks in a git repository that make commit messages name the run.",
    words="git [DIR]",
    text="""
Inside a run, prepare-commit-msg adds the line "runId: run_001" to the message, and commit-msg refuses a
message without it. Outside a run both do nothing. An existing hook is kept, and runs first. palaver uninstall
git restores everything.
""",
    examples=("palaver install git", "palaver uninstall git"),
)


def run(context: Context) -> int:
    """Install the hooks."""
    found = git_hooks.install(repository(context, SPEC), context.environment)
    lines = [f"Installed: {', '.join(found.hooks)} in {safe(found.folder)}"]
    lines += [f"Kept, and run first: {', '.join(found.kept)}"] if found.kept else []
    return context.show(found, lines)


def repository(context: Context, spec: Spec) -> str:
    """Return the folder in `git [DIR]`, or refuse other words."""
    what, *folder = context.args.words
    if what != "git":
        raise spec.wrong(f"cannot {spec.name} {what[:40]!r}", f"use palaver {spec.name} git")
    return context.path(folder[0]) if folder else context.folder
