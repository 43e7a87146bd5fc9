"""palaver waiting: what agents wait for, and who must act."""

from dataclasses import replace

from palaver.api import Bus
from palaver.bus.tasks.wait_list import Wait
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, short_duration

SPEC = Spec(
    "waiting",
    "Show what agents wait for, and who must act.",
    options=(
        Option("--mine", help="only what you wait for, or where you must act"),
        Option("--older", "S", help="only waits of at least S seconds"),
    ),
    text="""
Unanswered questions, unacknowledged mentions, tasks and handoffs that were not taken, claims without
approval, unchecked deliveries, blocks, and escalations. Exits with 1 if agents wait for each other in a
cycle.
""",
    examples=("palaver waiting", "palaver waiting --mine --as bob", "palaver waiting --json | jq .cycles"),
)


def run(context: Context) -> int:
    """Show the waits."""
    args = context.args
    found = Binding(Bus.waiting).perform(context)
    waits = found.waits
    if args.has("--mine"):
        me = context.speaker()
        waits = tuple(wait for wait in waits if me == wait.waiter or me in wait.movers)
    least = args.seconds("--older", 0.0)
    found = replace(found, waits=tuple(wait for wait in waits if wait.seconds >= least))
    lines = [*map(_row, found.waits), *(f"CYCLE: {' waits for '.join(cycle)}" for cycle in found.cycles)]
    return context.show(found, lines, empty="Nobody is waiting", code=1 if found.cycles else 0)


def _row(wait: Wait) -> str:
    movers = ", ".join(wait.movers) or "someone"
    about = wait.task or wait.message
    return (
        f"{short_duration(wait.seconds):>5}  {clipped(wait.waiter or '-', 20):<12} waits for "
        f"{clipped(movers, 30)}: "
        f"{wait.row.noun}  {clipped(about, 30)}  {clipped(wait.gist, 50)}"
    ).rstrip()
