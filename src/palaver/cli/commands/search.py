"""palaver search: find messages by their words."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened
from palaver.cli.show import clipped, safe
from palaver.model.limits import ROWS_DEFAULT

SPEC = Spec(
    "search",
    "Find messages by their words, newest first.",
    words="WORD…",
    least=1,
    most=-1,
    options=(Option("--limit", "N", short="-n", help=f"how many ({ROWS_DEFAULT})"),),
    text='All words must be there; "words in quotes" must stand together; pars* finds what starts so.',
    examples=("palaver search parser ready", "palaver search '\"null pointer\"'"),
)


def run(context: Context) -> int:
    """Search."""
    args = context.args
    found = opened(context).search(" ".join(args.words), limit=args.rows("--limit", ROWS_DEFAULT))
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
