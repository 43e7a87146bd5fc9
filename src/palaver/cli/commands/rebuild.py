"""palaver rebuild: make the views anew."""

from palaver.cli.arguments import Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar

SPEC = Spec(
    "rebuild",
    "Make the views anew from the log. Nothing can be lost by it: they are only what the events amount to.",
    text="Others can still ask meanwhile.",
    examples=("palaver rebuild",),
)


def run(context: Context) -> int:
    """Rebuild."""
    bus = bus_of(context)
    progress = ProgressBar("rebuild", bus.session.log.last_seq())
    bus.session.view.told = lambda batch: progress.at(batch.events[-1].seq if batch.events else 0)
    events = bus.rebuild()
    progress.end()
    if context.json:
        context.answer({"events": events})
    else:
        context.say(f"Rebuilt: {events} events")
    return 0
