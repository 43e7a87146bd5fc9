"""palaver search: find messages by their words."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe

_SEARCH = Binding(Bus.search, own=("wanted",), short={"limit": "-n"})
SPEC = Spec(
    "search",
    "Find messages by their words, newest first.",
    words="WORD…",
    least=1,
    most=-1,
    options=_SEARCH.options,
    text='All words must match; "words in quotes" must stand together; pars* matches a prefix.',
    examples=("palaver search parser ready", "palaver search '\"null pointer\"'"),
)


def run(context: Context) -> int:
    """Search."""
    found = _SEARCH.perform(context, wanted=" ".join(context.args.words))
    if context.json:
        context.answer([message.plain() for message in found])
        return 0
    for message in found:
        at = message.at[:16].replace("T", " ")
        said = f"{message.subject}: {message.body}" if message.subject else message.body
        context.say(
            f"{message.id}  {at}  {safe(message.sender)} → {safe(', '.join(message.to))}  {clipped(said, 70)}"
        )
    if not found:
        context.say("No messages")
    return 0
