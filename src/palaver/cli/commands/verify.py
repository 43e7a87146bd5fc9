"""palaver verify: check that the log is what was written."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar

SPEC = Spec(
    "verify",
    "Check every line, every link and every number of the log. Exit 1, with the place, if anything is wrong.",
    text="""
A torn tail that was sealed, a redacted line and a failed sync are named by events of their own, and
counted here; they are no faults. Everything else that is not as it was written is.
""",
    examples=("palaver verify", "palaver verify --json | jq .head"),
)


def run(context: Context) -> int:
    """Verify."""
    bus = Bus(session=connect_untrusted(context))
    progress = ProgressBar("verify", bus.session.log.size())
    verdict = bus.verify(progress.at)
    progress.end()
    if context.json:
        context.answer(verdict.plain())
        return 0 if verdict.good else 1
    for fault in verdict.faults:
        context.say(str(fault))
    for seq, by in verdict.redacted:
        context.say(f"record {seq} was redacted by {by}")
    counts = f"{_many(verdict.events, 'event')} in {_many(verdict.segments, 'segment')}"
    extra = f", {_many(verdict.bytes, 'byte')}"
    extra += f", {_many(verdict.sealed, 'torn tail')} sealed" if verdict.sealed else ""
    extra += f", {_many(verdict.sync_failures, 'failed sync')}" if verdict.sync_failures else ""
    if verdict.good:
        context.say(f"Good: {counts}{extra}; head {verdict.head}")
        return 0
    context.say(f"Bad: {_many(len(verdict.faults), 'fault')}; {counts}{extra}")
    return 1


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
