"""palaver verify: check that the log is intact."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar
from palaver.log.verification import Verification

SPEC = Spec(
    "verify",
    "Check every line, every link and every number of the log.",
    text="""
Exits with 1 if anything is corrupted, and names the place. Sealed torn tails, redacted records and failed
syncs have events of their own; they are counted, and are not faults.
""",
    examples=("palaver verify", "palaver verify --json | jq .head"),
)


def run(context: Context) -> int:
    """Verify the log, and show the result."""
    bus = Bus(session=connect_untrusted(context))
    progress = ProgressBar("verify", bus.session.log.size(), context.caller.errors)
    result = bus.verify(progress.at)
    progress.end()
    return context.show(result, _lines(result), code=0 if result.good else 1)


def _lines(result: Verification) -> list[str]:
    faults = [str(fault) for fault in result.faults]
    redacted = [f"record {seq} was redacted by {by}" for seq, by in result.redacted]
    counts = f"{_many(result.events, 'event')} in {_many(result.segments, 'segment')}"
    counts += f", {_many(result.bytes, 'byte')}"
    counts += f", {_many(result.sealed, 'torn tail')} sealed" if result.sealed else ""
    counts += f", {_many(result.sync_failures, 'failed sync')}" if result.sync_failures else ""
    verdict = f"Good: {counts}; head {result.head}"
    if not result.good:
        verdict = f"Bad: {_many(len(faults), 'fault')}; {counts}"
    return [*faults, *redacted, verdict]


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
