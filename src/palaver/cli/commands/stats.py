"""palaver stats: how long things took."""

import os
import re

from palaver.bus.stats.charts import duration_chart
from palaver.bus.stats.durations import COUNTS, DurationRow, measure, summarize
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.files.atomic_replace import replace
from palaver.model.clock_text import spell_duration
from palaver.model.errors import BadArguments, StorageFailed

SPEC = Spec(
    "stats",
    "Show how long things took.",
    options=(
        Option("--by", "WHAT", help="one row for each agent or day"),
        Option("--agent", "NAME", help="only this agent"),
        Option("--since", "DAY", help="only from this day on, as 2026-01-31"),
        Option("--svg", "FILE", help="also draw a chart"),
    ),
    text="""
Measured from the log: sent→read and read→answered by the recipient; claim→approval by the claimant;
assigned→started from the assignment to the first sign of work on it; the time of tasks in each state, by
their holder; and the number of nudges, kills and reworks. p50, p95 and the maximum are shown.
""",
    examples=(
        "palaver stats",
        "palaver stats --by agent --since 2026-01-01",
        "palaver stats --svg stats.svg",
    ),
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def run(context: Context) -> int:
    """Measure, and show."""
    args = context.args
    by, since = args.text("--by"), args.text("--since")
    if by not in ("", "agent", "day"):
        raise SPEC.wrong(f"unknown --by {by[:40]!r}", "use agent or day")
    if since and not _DAY.fullmatch(since):
        raise SPEC.wrong(f"{since[:40]!r} is not a day", "write it as 2026-01-31")
    found = measure(connect_synced(context), since=since)
    if args.has("--agent"):
        found = [each for each in found if each.agent == args.text("--agent").lower()]
    rows = summarize(found, by)
    if args.has("--svg"):
        _draw(args.text("--svg"), rows)
    if context.json:
        context.answer([row.plain() for row in rows])
        return 0
    who = f"{by:<24}" if by else ""
    context.say(f"{'':<20}{who}{'count':>7}{'p50':>10}{'p95':>10}{'max':>10}" if rows else "No data yet")
    for row in rows:
        context.say(_line(row, by=bool(by)))
    if args.has("--svg"):
        context.note(f"chart written to {args.text('--svg')}")
    return 0


def _line(row: DurationRow, *, by: bool) -> str:
    who = f"{clipped(row.who or '-', 23):<24}" if by else ""
    head = f"{clipped(row.name, 19):<20}{who}{row.count:>7}"
    if row.name in COUNTS:
        return head
    return head + "".join(f"{spell_duration(value):>10}" for value in (row.p50, row.p95, row.max))


def _draw(path: str, rows: list[DurationRow]) -> None:
    timed = [row for row in rows if row.name not in COUNTS]
    if not path.endswith(".svg"):
        raise BadArguments(f"cannot draw {path[:80]}", "charts are SVG", "name a file that ends in .svg")
    try:
        replace(os.path.abspath(path), duration_chart(timed, spell_duration))
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "name another place"
        ) from fault
