"""palaver rebuild: rebuild the views from the log."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar
from palaver.model.plain import numbered

SPEC = Spec(
    "rebuild",
    "Rebuild the views from the log. Nothing is lost: views are derived from the log.",
    text="Other commands keep working meanwhile.",
    examples=("palaver rebuild",),
)


def run(context: Context) -> int:
    """Rebuild the views."""
    bus = Bus(session=connect(context))
    progress = ProgressBar("rebuild", bus.session.log.last_seq(), context.caller.errors)
    bus.session.view.told = lambda batch: progress.at(batch.events[-1].seq if batch.events else 0)
    events = bus.rebuild()
    progress.end()
    return context.show({"events": events}, f"Rebuilt: {numbered(events, 'event')}")
