"""palaver sync: sync with the mounted files."""

from palaver.bus.session import Session
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar
from palaver.cli.show import safe
from palaver.model.plain import numbered
from palaver.sync.report import Report, place_of
from palaver.sync.sync_operations import mounted_bytes, sync

SPEC = Spec(
    "sync",
    "Sync with the mounted files, and report what was done.",
    text="""
Every command syncs before it reads and after it writes; palaver up syncs all the time. Exits with 1 if a file
could not be read or written.
""",
    examples=("palaver sync", "palaver sync --json | jq .taken"),
)


def run(context: Context) -> int:
    """Sync once."""
    report = sync_with_progress(context, connect(context))
    context.show(report, _lines(report))
    note_troubles(context, report)
    return 1 if report.troubles else 0


def _lines(report: Report) -> list[str]:
    counts = {"written": report.written, "confirmed": report.confirmed, "quarantined": report.quarantined}
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    if report.findings:
        parts.append(numbered(report.findings, "finding"))
    done = ", ".join(parts)
    recorded = [f"{mount}: {count} recorded" for mount, count in report.messages.items()]
    return [*recorded, done or ("Done" if recorded else "Nothing to do")]


def sync_with_progress(context: Context, session: Session) -> Report:
    """Sync, with a progress bar if it takes long."""
    bar = ProgressBar("syncing", mounted_bytes(session), context.caller.errors)
    report = sync(session, bar.at)
    bar.end()
    return report


def describe_import(count: int) -> str:
    """Return how many messages of a new mount are in the log now."""
    if not count:
        return "No messages yet"
    return f"Imported {numbered(count, 'message')}"


def note_troubles(context: Context, report: Report) -> None:
    """Note for a person what could not be done, and which files were rewritten."""
    for mount, file, words in [] if context.json else [*report.notes, *dict.fromkeys(report.troubles)]:
        context.note(f"{place_of(mount, safe(file))}: {words}")
