"""palaver search: find messages by their words."""

from palaver.bus.mail import conversations
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.model.message import Message

_SEARCH = Binding(conversations.search_messages, own=("wanted",), short={"limit": "-n"})
SPEC = Spec(
    "search",
    "Find messages by their words, newest first.",
    words="WORD…",
    options=_SEARCH.options,
    text='All words must match; "words in quotes" must be adjacent; pars* matches a prefix.',
    examples=("palaver search parser ready", "palaver search '\"null pointer\"'"),
)


def run(context: Context) -> int:
    """Search for messages."""
    found = _SEARCH.perform(context, wanted=" ".join(context.args.words))
    return context.show(found, map(_row, found), empty="No messages")


def _row(message: Message) -> str:
    at = message.at[:16].replace("T", " ")
    text = f"{message.subject}: {message.body}" if message.subject else message.body
    to = safe(", ".join(message.to))
    return f"{message.id}  {at}  {safe(message.sender)} → {to}  {clipped(text, 70)}"
