"""palaver inbox: list an agent's mail. Listing is not reading."""

from palaver.bus.mail import mailbox
from palaver.bus.mail.mailbox import Listing, Mail
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped
from palaver.model.message import headline, priority_of

_INBOX = Binding(mailbox.list_inbox, own=("scope",), short={"limit": "-n"})
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
    """List the mail."""
    args = context.args
    scope = "all" if args.has("--all") else "unread" if args.has("--unread") else "open"
    return show_listing(context, _INBOX.perform(context, scope=scope))


def show_listing(context: Context, listing: Listing) -> int:
    """Show a listing."""
    head = f"{listing.agent}: {listing.open} open, {listing.unread} unread"
    lines = [head, *map(_row, listing.mail)] if listing.mail else []
    return context.show(listing, lines, empty="No messages")


def _row(mail: Mail) -> str:
    message = mail.message
    mark = " " if mail.delivery.open and "read" not in mail.delivery.stages else "✓"
    urgent = priority_of(message.priority).mark
    at = message.at[5:16].replace("T", " ")
    who = clipped(message.sender, 24)
    return f"{mark}{urgent} {message.id}  {at}  {who:<14} {message.act:<8} {clipped(headline(message), 60)}"
