"""palaver init: make a bus in this folder."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.wiring import begin

SPEC = Spec(
    "init",
    "Make a bus in this folder; one that is there is left as it is.",
    options=(Option("--person", "NAME", help="what to call you; else your user name"),),
    text="""
Everything lies in .palaver, for you alone (0700), and is kept out of the surrounding git repository. Inside
a linked worktree the bus is made in the main one, so that all worktrees share it; in a subfolder of a
repository that has a bus, that one is used. --root makes one just there.
""",
    examples=("palaver init", "palaver init --root ../project --person ada"),
)


def run(context: Context) -> int:
    """Make it."""
    args = context.args
    begun = begin(args.text("--root"), args.text("--person"), force=args.has("--force"))
    if context.json:
        context.answer(begun.plain())
        return 0
    person = begun.person
    context.say(
        f"{'A new bus' if begun.fresh else 'The bus was there already'}: {safe(begun.core.root.path)}"
    )
    context.say(f"You are {person}. Every agent on this machine can read what is said here.")
    if not begun.git:
        context.note("git is missing or refuses: the bus works, but palaver snapshot will not")
    if begun.fresh:
        context.say("Next:")
        context.say("  palaver agents add bob")
        context.say('  palaver send bob -m "Hello"')
        context.say("  palaver inbox --as bob")
    return 0
