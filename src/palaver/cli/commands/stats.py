"""palaver stats: show how long things took."""

from palaver.api import Bus
from palaver.bus.stats.charts import duration_chart
from palaver.bus.stats.durations import COUNTS, DurationRow
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.files.atomic_replace import replace
from palaver.model.clock_text import spell_duration
from palaver.model.errors import BadArguments, StorageFailed

_STATS = Binding(Bus.stats)
SPEC = Spec(
    "stats",
    "Show how long things took.",
    options=(*_STATS.options, Option("--svg", "FILE", help="also draw a chart")),
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


def run(context: Context) -> int:
    """Measure, and show."""
    rows = _STATS.perform(context)
    chart = context.args.text("--svg")
    if context.args.has("--svg"):
        _draw(context, chart, rows)
    context.show(rows, _lines(rows, context.args.text("--by")))
    if chart and not context.json:
        context.note(f"chart written to {chart}")
    return 0


def _lines(rows: list[DurationRow], by: str) -> list[str]:
    if not rows:
        return ["No data yet"]
    who = f"{by:<24}" if by else ""
    head = f"{'':<20}{who}{'count':>7}{'p50':>10}{'p95':>10}{'max':>10}"
    return [head, *(_line(row, by=bool(by)) for row in rows)]


def _line(row: DurationRow, *, by: bool) -> str:
    who = f"{clipped(row.who or '-', 23):<24}" if by else ""
    head = f"{clipped(row.name, 19):<20}{who}{row.count:>7}"
    if row.name in COUNTS:
        return head
    return head + "".join(f"{spell_duration(value):>10}" for value in (row.p50, row.p95, row.max))


def _draw(context: Context, path: str, rows: list[DurationRow]) -> None:
    timed = [row for row in rows if row.name not in COUNTS]
    if not path.endswith(".svg"):
        raise BadArguments(f"cannot draw {path[:80]}", "charts are SVG", "name a file that ends in .svg")
    try:
        replace(context.path(path), duration_chart(timed, spell_duration))
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "name another place"
        ) from fault
