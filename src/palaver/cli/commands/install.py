"""palaver install: put what is ours into other people's tools."""

from palaver.bus.root import here
from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.runs.repository import git_hooks

SPEC = Spec(
    "install",
    "Put hooks into a git repository: inside a run, a commit message says which run it was.",
    words="git [DIR]",
    least=1,
    most=2,
    text="""
prepare-commit-msg adds the line "runId: run_001" to the message, commit-msg refuses one that lacks it;
outside of a run both do nothing. A hook that is there is kept, and runs first. palaver uninstall git takes
ours out and puts everything back as it was.
""",
    examples=("palaver install git", "palaver uninstall git"),
)


def run(context: Context) -> int:
    """Install."""
    what, *folder = context.args.words
    if what != "git":
        raise SPEC.wrong(f"there is nothing to install for {what[:40]!r}", "say: palaver install git")
    found = git_hooks.install(folder[0] if folder else here())
    if context.json:
        context.answer(found.plain())
        return 0
    context.say(f"Installed: {', '.join(found.hooks)} in {safe(found.folder)}")
    if found.kept:
        context.say(f"Kept, and run first: {', '.join(found.kept)}")
    return 0
