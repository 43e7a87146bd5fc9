"""palaver waiting: what somebody waits for, and who must move."""

from palaver.bus.waits import KINDS, Wait, waiting
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.looking import looking
from palaver.cli.show import clipped

SPEC = Spec(
    "waiting",
    "All that somebody waits for: how long, and who must move; and who waits for whom in a circle.",
    options=(
        Option("--mine", help="only where you wait, or where you must move"),
        Option("--older", "S", help="only what has waited for so many seconds"),
    ),
    text="""
Questions without an answer, tasks and mentions that nobody took up, claims that nobody approved, deliveries
that nobody checked, handoffs that nobody took, blocks. Exit 1 if some wait for each other in a circle.
""",
    examples=("palaver waiting", "palaver waiting --mine --as bob", "palaver waiting --json | jq .cycles"),
)


def run(context: Context) -> int:
    """Show what is waited for."""
    args = context.args
    found = waiting(looking(context))
    if args.has("--mine"):
        me = context.speaker()
        found.waits = [wait for wait in found.waits if me == wait.waiter or me in wait.movers]
    least = args.seconds("--older", 0.0)
    found.waits = [wait for wait in found.waits if wait.seconds >= least]
    if context.json:
        context.answer(found.plain())
    else:
        for wait in found.waits:
            context.say(_row(wait))
        for cycle in found.cycles:
            context.say(f"CIRCLE: {' waits for '.join(cycle)}")
        if not found.waits and not found.cycles:
            context.say("Nobody waits")
    return 1 if found.cycles else 0


def _row(wait: Wait) -> str:
    movers = ", ".join(wait.movers) or "somebody"
    about = wait.task or wait.message
    return (
        f"{_long(wait.seconds):>5}  {clipped(wait.waiter or '-', 20):<12} waits for {clipped(movers, 30)}: "
        f"{KINDS[wait.kind]}  {clipped(about, 30)}  {clipped(wait.gist, 50)}"
    ).rstrip()


def _long(seconds: int) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
