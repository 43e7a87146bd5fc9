"""palaver review: judge a piece of work, in the form that everybody can read."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import files, tell
from palaver.cli.context import Context
from palaver.cli.packet import leave, refuse_link, run_of

_FILLED = (
    "to",
    "body",
    "subject",
    "act",
    "priority",
    "reasoning",
    "run",
    "reply_to",
    "files",
    "artifacts",
    "meta",
)
_REVIEW = Binding(Bus.send, own=_FILLED)
SEVERITIES = ("blocker", "major", "minor", "nit")
SPEC = Spec(
    "review",
    "Judge a piece of work: scope, severity, findings, tests, recommendation.",
    words="TO…",
    least=1,
    most=-1,
    options=(
        Option("--scope", "TEXT", help="the files or modules"),
        Option("--severity", "S", help=", ".join(SEVERITIES)),
        Option("--finding", "TEXT", many=True, help="one finding, with its place"),
        Option("--tests", "TEXT", help="tests that are missing, or recommended"),
        Option("--recommendation", "TEXT", help="what to do"),
        *_REVIEW.options,
        Option("--run", "ID", help="the run it belongs to; else $RUN_ID"),
        Option("--file", "PATH", many=True, help="a file it is about"),
        Option("--allow-unknown", help="exit 0 even if a name is unknown"),
    ),
    text="""
A review is a message with the act `review` and a body in the template of runbus. If the run has a folder, in
$RUNS_DIR or in runs/ beside .palaver, the review is added to its artifacts/review-packet.md.
""",
    examples=(
        "palaver review bob --scope parser.py --severity nit --finding 'l. 12: slow' --recommendation mend",
    ),
)


def run(context: Context) -> int:
    """Send it."""
    args = context.args
    for option in ("--scope", "--severity", "--recommendation"):
        if not args.text(option).strip():
            raise SPEC.wrong(f"{option} is missing")
    if args.text("--severity") not in SEVERITIES:
        raise SPEC.wrong(
            f"there is no severity {args.text('--severity')[:40]!r}", f"use {', '.join(SEVERITIES)}"
        )
    found = args.texts("--finding")
    lines = [
        f"Scope: {args.text('--scope')}",
        f"Severity: {args.text('--severity')}",
        "Findings:" + ("".join(f"\n- {finding}" for finding in found) or " none"),
        f"Tests: {args.text('--tests') or 'none'}",
        f"Recommendation: {args.text('--recommendation')}",
    ]
    run_id = run_of(args.text("--run"))
    refuse_link(context.root, run_id)
    sent = _REVIEW.perform(
        context, to=args.words, act="review", body="\n".join(lines), run=run_id, files=files(args)
    )
    code = tell(context, sent)
    packet = leave(context.root, sent.message) if sent.fresh and sent.message.run else ""
    if packet and not context.json:
        context.say(f"In the packet: {packet}")
    return code
