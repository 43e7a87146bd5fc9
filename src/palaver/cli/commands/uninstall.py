"""palaver uninstall: take what is ours out of other people's tools."""

from palaver.bus.root import here
from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.runs.repository import git_hooks

SPEC = Spec(
    "uninstall",
    "Take our hooks out of a git repository; what was there before is there again.",
    words="git [DIR]",
    least=1,
    most=2,
    text="A hook that somebody has put in the place of ours is left alone.",
    examples=("palaver uninstall git",),
)


def run(context: Context) -> int:
    """Take it out."""
    what, *folder = context.args.words
    if what != "git":
        raise SPEC.wrong(f"nothing was installed for {what[:40]!r}", "say: palaver uninstall git")
    found = git_hooks.uninstall(folder[0] if folder else here())
    if context.json:
        context.answer(found.plain())
        return 0
    context.say(f"Taken out: {', '.join(found.hooks)} of {safe(found.folder)}")
    if found.kept:
        context.say(f"Put back: {', '.join(found.kept)}")
    if found.foreign:
        context.say(f"Left alone, because somebody else wrote it: {', '.join(found.foreign)}")
    return 0
