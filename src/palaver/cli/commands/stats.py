"""palaver stats: how long things took."""

import os
import re

from palaver.bus import durations
from palaver.bus.durations import Row
from palaver.bus.replacement import replace
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.looking import looking
from palaver.cli.plot import picture, spelt
from palaver.cli.show import clipped
from palaver.model.errors import BadArguments, StorageFailed

SPEC = Spec(
    "stats",
    "How long things took, from the log alone: the middle, nineteen of twenty, the longest.",
    options=(
        Option("--by", "WHAT", help="agent or day: one row for each"),
        Option("--agent", "NAME", help="only this agent's"),
        Option("--since", "DAY", help="only from this day on, as 2026-01-31"),
        Option("--svg", "FILE", help="draw it, too"),
    ),
    text="""
sent→read and read→answered by who read and answered; claim→approval by who claimed; assigned→started from the
assignment to the first sign of work on it; how long tasks were in each state, by who held them; and how many
nudges, kills and reworks there were.
""",
    examples=(
        "palaver stats",
        "palaver stats --by agent --since 2026-01-01",
        "palaver stats --svg stats.svg",
    ),
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_COUNTS = ("nudges", "kills", "reworks")


def run(context: Context) -> int:
    """Count, and show."""
    args = context.args
    by, since = args.text("--by"), args.text("--since")
    if by not in ("", "agent", "day"):
        raise SPEC.wrong(f"there is no --by {by[:40]!r}", "say agent or day")
    if since and not _DAY.fullmatch(since):
        raise SPEC.wrong(f"{since[:40]!r} is no day", "write it as 2026-01-31")
    found = durations.figures(looking(context), since=since)
    if args.has("--agent"):
        found = [each for each in found if each.agent == args.text("--agent").lower()]
    rows = durations.rows(found, by)
    if args.has("--svg"):
        _draw(args.text("--svg"), rows)
    if context.json:
        context.answer([row.plain() for row in rows])
        return 0
    who = f"{by:<24}" if by else ""
    context.say(
        f"{'':<20}{who}{'count':>7}{'p50':>10}{'p95':>10}{'max':>10}" if rows else "Nothing took any time yet"
    )
    for row in rows:
        context.say(_line(row, by=bool(by)))
    if args.has("--svg"):
        context.note(f"the picture is in {args.text('--svg')}")
    return 0


def _line(row: Row, *, by: bool) -> str:
    who = f"{clipped(row.who or '-', 23):<24}" if by else ""
    head = f"{clipped(row.name, 19):<20}{who}{row.count:>7}"
    if row.name in _COUNTS:
        return head
    return head + "".join(f"{spelt(value):>10}" for value in (row.p50, row.p95, row.max))


def _draw(path: str, rows: list[Row]) -> None:
    timed = [row for row in rows if row.name not in _COUNTS]
    if not path.endswith(".svg"):
        raise BadArguments(
            f"cannot draw into {path[:80]}", "the picture is SVG", "name a file that ends in .svg"
        )
    try:
        replace(os.path.abspath(path), picture(timed))
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "name another place"
        ) from fault
