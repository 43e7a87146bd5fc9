"""palaver sync: one pass over all mounts."""

import os

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.progress import ProgressBar
from palaver.cli.show import safe
from palaver.model.errors import LogLocked
from palaver.model.limits import LOCK_SECONDS
from palaver.sync.mounts.mount_point import mount_points
from palaver.sync.passes import Sync
from palaver.sync.report import Report

SPEC = Spec(
    "sync",
    "Take in what stands in the files of all mounts, write what is owed to them, and say what was done.",
    text="""
Every command does this by itself before it answers and after it writes; palaver up does it all the time.
Exit 1 if a file could not be read or written.
""",
    examples=("palaver sync", "palaver sync --json | jq .taken"),
)


def run(context: Context) -> int:
    """Do one pass."""
    bus = bus_of(context)
    report = progressing(bus)
    if context.json:
        context.answer(report.plain())
        return 1 if report.troubles else 0
    for mount, count in report.messages.items():
        context.say(f"{mount}: {count} taken in")
    done = {
        "written": report.written,
        "confirmed": report.confirmed,
        "quarantined": report.quarantined,
        "findings": report.findings,
    }
    said = ", ".join(f"{count} {what}" for what, count in done.items() if count)
    context.say(said or "Nothing to do" if not report.messages or said else "Done")
    tell_troubles(context, report)
    return 1 if report.troubles else 0


def progressing(bus: Bus) -> Report:
    """Do passes until nothing more is found at once, with a bar if that takes long."""
    bus.session.view.current()
    mounts = mount_points(bus.root.path, bus.session.view.roster().mounts)
    total = sum(_size(each.full(file)) for each in mounts for file, _ in each.files())
    bar = ProgressBar("taking in", total)
    report = Report(told=bar.at)
    sync = Sync(bus.session)
    passes = 0
    while passes < 3:
        before = (report.events, report.written)
        if sync.once(LOCK_SECONDS, report) is None:
            raise LogLocked("cannot look at the files", "another process is at them", "try again in a moment")
        if before == (report.events, report.written) and not report.unfinished:
            break
        passes += not report.unfinished
    bar.end()
    return report


def told_of(taken: int) -> str:
    """Say how much of history is in the log now."""
    if not taken:
        return "Nothing was said there yet"
    return (
        "1 message was there and is in the log"
        if taken == 1
        else f"{taken} messages were there and are in the log"
    )


def tell_troubles(context: Context, report: Report) -> None:
    """Say what could not be done, and what happened that nobody asked for."""
    for mount, file, words in report.notes:
        context.note(f"{mount}: {safe(file)}: {words}")
    for mount, file, words in dict.fromkeys(report.troubles):
        context.note(f"{mount}: {safe(file)}: {words}")


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
