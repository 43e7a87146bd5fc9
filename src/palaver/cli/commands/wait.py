"""palaver wait: sleep until there is mail."""

from palaver.bus.mail.mail_wait import wait_for_mail
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.inbox import show
from palaver.cli.context import Context
from palaver.cli.looking import looking
from palaver.model.limits import ROWS_DEFAULT

SPEC = Spec(
    "wait",
    "Sleep until there is unread mail, then list it. Woken by the sender, not polled.",
    options=(
        Option("--timeout", "S", help="give up after so many seconds, exit 1 (60)"),
        Option("--limit", "N", short="-n", help=f"list at most so many ({ROWS_DEFAULT})"),
    ),
    text="Unread mail that is already there is returned at once. Being woken is recorded: stage 'notified'.",
    examples=("palaver wait --as bob --timeout 300 && palaver read --as bob",),
)


def run(context: Context) -> int:
    """Wait."""
    args = context.args
    show(
        context,
        wait_for_mail(
            looking(context),
            context.speaker(),
            timeout=args.seconds("--timeout", 60.0),
            limit=args.rows("--limit", ROWS_DEFAULT),
        ),
    )
    return 0
