"""palaver verify: check that the log is intact."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar
from palaver.log.verification import Verification

_WAY_OUT = (
    "Put the records back from a backup or a snapshot. If you have restored a backup, or know of the loss: "
    "palaver verify --accept"
)
_VERIFY = Binding(Bus.verify)
_ACCEPT = Binding(Bus.accept_losses, note="with --accept: ")
SPEC = Spec(
    "verify",
    "Check every line, every link and every number of the log, and that it still has what it had.",
    options=(
        Option("--accept", help="accept the log as it is, for example after restoring a backup"),
        *_VERIFY.options,
        *_ACCEPT.options,
    ),
    text="""
Exits with 1 if anything is corrupted, missing or was rewritten, and names the first record concerned. Sealed
torn tails, redacted records, failed syncs and accepted losses have events of their own; they are counted, and
are not faults.
A log that has lost its end is still consistent in itself. What shows the loss is kept outside the log:
anchors in $XDG_STATE_HOME/palaver/anchor (~/.local/state/palaver/anchor), the position of the view, and the
last snapshot. docs/trust.md says what remains possible.
--accept records in the log that you know of the loss; inside a run it is refused. --expect is for scripts
that keep the head of an earlier verify elsewhere; the log may have grown since.
""",
    examples=(
        "palaver verify",
        "palaver verify --json | jq -r .head",
        "palaver verify --expect 7ae1b6c06b3b04a7ec0a7f2b2f9a4c31",
        "palaver verify --accept",
    ),
)


def run(context: Context) -> int:
    """Verify the log, and show the result."""
    accepted = _accept(context) if context.args.has("--accept") else []
    session = connect_untrusted(context)
    progress = ProgressBar("verify", session.log.size(), context.caller.errors)
    result = Bus.verify.perform(session, {"told": progress.at, **_VERIFY.values(context.args)})
    progress.end()
    return context.show(result, [*accepted, *_lines(result)], code=0 if result.good else 1)


def _accept(context: Context) -> list[str]:
    """Accept what the log has lost; return what was accepted."""
    context.refuse_inside_run("accept a loss")
    losses = _ACCEPT.perform(context)
    return [f"Accepted: {loss}" for loss in losses] or ["Nothing to accept: the log has lost no records"]


def _lines(result: Verification) -> list[str]:
    faults = [str(fault) for fault in result.faults]
    redacted = [f"record {seq} was redacted by {by}" for seq, by in result.redacted]
    accepted = [f"{_records(first, last)} lost; {by} accepted it" for first, last, by in result.accepted]
    notes = [f"note: {note}" for note in result.notes]
    counts = f"{_many(result.events, 'event')} in {_many(result.segments, 'segment')}"
    counts += f", {_many(result.bytes, 'byte')}"
    counts += f", {_many(result.sealed, 'torn tail')} sealed" if result.sealed else ""
    counts += f", {_many(result.sync_failures, 'failed sync')}" if result.sync_failures else ""
    verdict = f"Good: {counts}; head {result.head}"
    if not result.good:
        verdict = f"Bad: {_many(len(faults), 'fault')}; {counts}"
    is_lost = any(fault.kind in ("missing", "replaced") for fault in result.faults)
    way_out = [_WAY_OUT] if is_lost else []
    return [*faults, *redacted, *accepted, *notes, verdict, *way_out]


def _records(first: int, last: int) -> str:
    return f"record {last} was" if first == last else f"records {first} to {last} were"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
