"""palaver status: show the daemon, and the sync status of each mounted file."""

from collections.abc import Iterator

from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.cli.warmth import find_warmth
from palaver.model.plain import numbered
from palaver.sync.accounts import Account
from palaver.sync.sync_operations import SyncStatus, sync_status

_STATUS = Binding(sync_status)
SPEC = Spec(
    "status",
    "Show the daemon, the sync status of each mounted file, what is still to be written, and the findings.",
    options=_STATUS.options,
    text="""
Commands are warm if the daemon (palaver up) runs them; if they are cold, the first line says why.
Every byte of a mounted file is exactly one of: event (it is in the log), ours (Palaver wrote it, or had it
already), quarantined (it could not be parsed, and is stored whole), blank, or pending (its end is not
written yet). They add up to its size.
""",
    examples=("palaver status", "palaver status --json | jq '.files[] | select(.pending > 0)'"),
)


def run(context: Context) -> int:
    """Show the status."""
    found = _STATUS.perform(context)
    warmth = find_warmth(context)
    return context.show({"daemon": warmth, **found.plain()}, [f"Daemon: {warmth}", *_lines(found)])


def _lines(status: SyncStatus) -> Iterator[str]:
    if status.held:
        yield f"Held (loop-limit): {numbered(len(status.held), 'message')}; palaver thread {status.held[0]}"
    if not status.mounts:
        yield "No mounts; palaver mount add DIALECT PATH"
        return
    yield f"{'file':<44}{'size':>10}{'events':>10}{'ours':>10}{'quarant.':>10}{'blank':>8}{'pending':>9}"
    yield from map(_row, status.files)
    for mount, count in status.outstanding.items():
        yield f"{mount}: {count} still to be written"
    if status.findings:
        yield "Findings, newest first:"
    for finding in status.findings:
        where = str(finding["mount"])
        where += f":{finding['file']}" if finding["file"] else ""
        # A finding about a file as a whole is about no line.
        where += f":{finding['line']}" if finding["file"] and finding["line"] else ""
        yield f"  {clipped(where, 50)}  {finding['code']}  {clipped(str(finding['message']), 70)}"


def _row(each: Account) -> str:
    name = clipped(safe(f"{each.mount}:{each.file}"), 43)
    counts = f"{each.size:>10}{each.events:>10}{each.ours:>10}{each.quarantined:>10}"
    counts += f"{each.blank:>8}{each.pending:>9}"
    more = f"  {each.unfit}" if each.unfit else ""
    more += f"  rewritten {each.rewritten}x" if each.rewritten else ""
    return f"{name:<44}{counts}{more}"
