"""palaver report-error: report an error, and what it blocks."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import body, tell
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.views.tasks import board

_SEND = Binding(Bus.send, only=("run", "key", "allow_unknown"))
_MOVE = Binding(Bus.move, only=("run", "key"))
SPEC = Spec(
    "report-error",
    "Report that work cannot continue: what was tried, what went wrong, what is blocked.",
    words="TO…",
    options=(
        Option("--task", "ID", help="the task; if you hold it, it is blocked by this"),
        Option("--attempt", "TEXT", many=True, help="an attempt and its outcome"),
        Option("--message", "BODY", short="-m", help="the last error output ('-': standard input)"),
        Option("--impact", "TEXT", help="what is blocked"),
        Option("--action", "TEXT", help="suggested action"),
        *_SEND.options,
    ),
    text="A report is a message with the act `block` and a body in the template of runbus.",
    examples=(
        "make 2>&1 | palaver report-error ada --task parser --impact 'no release' --action 'look' -m -",
    ),
)


def run(context: Context) -> int:
    """Send the report; a task that the sender holds is blocked by it."""
    args = context.args
    SPEC.require(args, "--task", "--impact")
    task = args.text("--task")
    fields = {"to": args.words, "body": _report(context), "subject": args.text("--impact"), "task": task}
    session = connect(context, speaking=True)
    known = board.task(session.view.current(), task)
    if known is None or known.holder != session.agent:
        return tell(context, _SEND.perform_on(session, context, act="block", **fields))
    moved = _MOVE.perform_on(session, context, act="block", **fields)
    return context.show(moved, f"Sent: {moved.message.id}; {known.id} is {moved.card.task.state}")


def _report(context: Context) -> str:
    args = context.args
    attempts = args.texts("--attempt") or ["none"]
    details = body(context) if args.has("--message") else ""
    # A fence longer than any run of backticks inside, so that no output can end it.
    longest = max((len(run) for run in details.replace("\n", " ").split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join(
        [
            "## Error Report",
            "",
            f"**Task:** {args.text('--task')}",
            "**Attempts:**",
            *(f"{number}. {attempt}" for number, attempt in enumerate(attempts, start=1)),
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
