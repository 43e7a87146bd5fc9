"""palaver inbox: list an agent's mail. Listing is not reading."""

from palaver.api import Bus
from palaver.bus.mail.mailbox import Listing, Mail
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.model.message import headline, priority_of

_INBOX = Binding(Bus.inbox, own=("scope",), short={"limit": "-n"})
SPEC = Spec(
    "inbox",
    "List an agent's mail, the most urgent first. Listing is not reading.",
    options=(
        Option("--unread", help="only unread mail"),
        Option("--all", help="also acknowledged, answered and archived mail; newest first"),
        *_INBOX.options,
    ),
    text="""
A message stays in the inbox until you acknowledge, answer or archive it. A mark shows that you have read it,
so a message is not lost if you were interrupted after reading it.
""",
    examples=("palaver inbox --as bob", "palaver inbox --as bob --json | jq -r '.messages[].id'"),
)


def run(context: Context) -> int:
    """List."""
    args = context.args
    scope = "all" if args.has("--all") else "unread" if args.has("--unread") else "open"
    show(context, _INBOX.perform(context, scope=scope))
    return 0


def show(context: Context, listing: Listing) -> None:
    """Show a listing to whoever asked."""
    if context.json:
        context.answer(listing.plain())
    elif listing.mail:
        context.say(f"{listing.agent}: {listing.open} open, {listing.unread} unread")
        for each in listing.mail:
            context.say(_row(each))
    else:
        context.say("No messages")


def _row(mail: Mail) -> str:
    message = mail.message
    mark = " " if mail.delivery.open and "read" not in mail.delivery.stages else "✓"
    urgent = priority_of(message.priority).mark
    at = message.at[5:16].replace("T", " ")
    who = clipped(message.sender, 24)
    return f"{mark}{urgent} {message.id}  {at}  {who:<14} {message.act:<8} {clipped(headline(message), 60)}"
