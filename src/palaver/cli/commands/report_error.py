"""palaver report-error: what went wrong, what was tried, and what is needed."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.send import body, tell
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.views.tasks import board

SPEC = Spec(
    "report-error",
    "Say that work cannot go on: what was tried, what went wrong, what is blocked.",
    words="TO…",
    least=1,
    most=-1,
    options=(
        Option("--task", "ID", help="the task; if you hold it, it is blocked from now on"),
        Option("--attempt", "TEXT", many=True, help="who tried what, and how it ended"),
        Option("--message", "BODY", short="-m", help="the last error output; '-' takes standard input"),
        Option("--impact", "TEXT", help="what is blocked"),
        Option("--action", "TEXT", help="what you suggest"),
        Option("--run", "ID", help="the run it belongs to"),
        Option("--key", "KEY", help=Bus.send.fields["key"].description),
        Option("--allow-unknown", help="exit 0 even if a name is unknown"),
    ),
    text="A report is a message with the act `block` and a body in the template of runbus.",
    examples=(
        "make 2>&1 | palaver report-error ada --task parser --impact 'no release' --action 'look' -m -",
    ),
)


def run(context: Context) -> int:
    """Send it; a task that the speaker holds is blocked with it."""
    args = context.args
    for option in ("--task", "--impact"):
        if not args.text(option).strip():
            raise SPEC.wrong(f"{option} is missing")
    task, key, report = args.text("--task"), args.text("--key"), _report(context)
    bus = bus_of(context, speaking=True)
    known = board.task(bus.session.view.current(), task)
    if known is None or known.holder != bus.agent:
        sent = bus.send(
            args.words,
            report,
            act="block",
            subject=args.text("--impact"),
            task=task,
            run=args.text("--run"),
            key=key,
        )
        return tell(context, sent)
    moved = bus.move(
        task,
        "block",
        report,
        to=args.words,
        subject=args.text("--impact"),
        run=args.text("--run"),
        key=key,
    )
    if context.json:
        context.answer(moved.plain())
    else:
        context.say(f"Sent: {moved.message.id}; {known.id} is {moved.card.task.state}")
    return 0


def _report(context: Context) -> str:
    args = context.args
    tried = args.texts("--attempt") or ["none"]
    details = body(args) if args.has("--message") else ""
    # A fence longer than any run of backticks inside, so that no output can end it.
    longest = max((len(run) for run in details.replace("\n", " ").split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join(
        [
            "## Error Report",
            "",
            f"**Task:** {args.text('--task')}",
            "**Attempts:**",
            *(f"{number}. {attempt}" for number, attempt in enumerate(tried, start=1)),
            "",
            "**Error Details:**",
            fence,
            details or "-",
            fence,
            "",
            f"**Impact:** {args.text('--impact')}",
            f"**Suggested Action:** {args.text('--action') or '-'}",
        ]
    )
