"""palaver inbox: list an agent's mail. Listing is not reading.

A bare module (see docs/adr/0006).
"""

from palaver.bus.mail.mailbox import Listing, Mail, list_inbox
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context, started
from palaver.cli.looking import looking
from palaver.cli.show import clipped
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import headline

SPEC = Spec(
    "inbox",
    "List an agent's mail: urgent, normal, low, oldest first within each. Listing is not reading.",
    options=(
        Option("--unread", help="only what was not read yet"),
        Option("--all", help="also what was acknowledged, answered or archived; newest first"),
        Option("--limit", "N", short="-n", help=f"how many ({ROWS_DEFAULT})"),
    ),
    text="""
A message stays here until you acknowledge, answer or archive it. One that you have read is marked:
it was shown before, so whatever stopped you then, it is not lost.
""",
    examples=("palaver inbox --as bob", "palaver inbox --as bob --json | jq -r '.messages[].id'"),
)


def command(argv: list[str]) -> int:
    """Run the command from its words: the entry for `cli/hot.py`."""
    return started(SPEC, run, argv)


def run(context: Context) -> int:
    """List."""
    args = context.args
    scope = "all" if args.has("--all") else "unread" if args.has("--unread") else "open"
    limit = args.rows("--limit", ROWS_DEFAULT)
    show(context, list_inbox(looking(context), context.speaker(), scope=scope, limit=limit))
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
    urgent = {"urgent": "!", "low": "-"}.get(message.priority, " ")
    at = message.at[5:16].replace("T", " ")
    who = clipped(message.sender, 24)
    return f"{mark}{urgent} {message.id}  {at}  {who:<14} {message.act:<8} {clipped(headline(message), 60)}"
