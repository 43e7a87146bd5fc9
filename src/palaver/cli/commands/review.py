"""palaver review: send a review."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import files, tell
from palaver.cli.context import Context
from palaver.cli.packet import ReviewPacket

_REVIEW = Binding(Bus.send, only=("task", "key", "allow_secret", "allow_unknown"))
SEVERITIES = ("blocker", "major", "minor", "nit")
SPEC = Spec(
    "review",
    "Send a review: scope, severity, findings, tests, recommendation.",
    words="TO…",
    options=(
        Option("--scope", "TEXT", help="the files or modules"),
        Option("--severity", "S", help=", ".join(SEVERITIES)),
        Option("--finding", "TEXT", many=True, help="one finding, with its place"),
        Option("--tests", "TEXT", help="tests that are missing or recommended"),
        Option("--recommendation", "TEXT", help="what to do"),
        *_REVIEW.options,
        Option("--run", "ID", help="id of the run it belongs to (default: $RUN_ID)"),
        Option("--file", "PATH", many=True, help="a file it is about"),
    ),
    text="""
A review is a message with the act `review` and a body in the template of runbus. If the run has a folder, in
$RUNS_DIR or in runs/ beside .palaver, the review is added to its artifacts/review-packet.md.
""",
    examples=(
        "palaver review bob --scope parser.py --severity nit --finding 'l. 12: slow' --recommendation fix",
    ),
)


def run(context: Context) -> int:
    """Send the review, and add it to the packet of its run."""
    args = context.args
    SPEC.require(args, "--scope", "--severity", "--recommendation")
    if args.text("--severity") not in SEVERITIES:
        raise SPEC.wrong(f"no severity {args.text('--severity')[:40]!r}", f"use {', '.join(SEVERITIES)}")
    findings = args.texts("--finding")
    lines = [
        f"Scope: {args.text('--scope')}",
        f"Severity: {args.text('--severity')}",
        "Findings:" + ("".join(f"\n- {finding}" for finding in findings) or " none"),
        f"Tests: {args.text('--tests') or 'none'}",
        f"Recommendation: {args.text('--recommendation')}",
    ]
    run_id = args.text("--run") or context.environment.get("RUN_ID", "")
    runs = context.environment.get("RUNS_DIR", "")
    packet = ReviewPacket.find(context.root, run_id, runs and context.path(runs))
    if packet:
        packet.refuse_link()
    sent = _REVIEW.perform(
        context, to=args.words, act="review", body="\n".join(lines), run=run_id, files=files(context)
    )
    code = tell(context, sent)
    if packet and sent.fresh:
        packet.add(sent.message)
        context.say(f"In the packet: {packet}")
    return code
