"""palaver wait: wait for mail."""

from palaver.bus.mail import mail_wait
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.inbox import show_listing
from palaver.cli.context import Context

_WAIT = Binding(mail_wait.wait_for_mail, short={"limit": "-n"})
SPEC = Spec(
    "wait",
    "Wait for mail, then list it. The sender wakes you; nothing is polled.",
    options=_WAIT.options,
    text="""
Returns at once if there is mail for `palaver read`: unread mail, or mail that you read and have not
acknowledged although `palaver run` has started your program again since, or five minutes have passed. Exits
with 1 on timeout. Recorded as stage 'notified'.
""",
    examples=("palaver wait --as bob --timeout 300 && palaver read --as bob",),
)


def run(context: Context) -> int:
    """Wait, and list the mail."""
    return show_listing(context, _WAIT.perform(context))
