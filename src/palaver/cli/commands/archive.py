"""palaver archive: take messages out of the inbox."""

from palaver.bus.mail.mailbox import archive
from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.looking import looking

SPEC = Spec(
    "archive",
    "Take messages out of your inbox. They stay in the log, and in `inbox --all`.",
    words="ID…",
    least=1,
    most=-1,
    examples=("palaver archive msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Archive."""
    fresh = archive(looking(context), context.speaker(), context.args.words)
    if context.json:
        context.answer({"archived": fresh, "before": [w for w in context.args.words if w not in fresh]})
    else:
        for message_id in dict.fromkeys(context.args.words):
            context.say(f"Archived: {message_id}" + ("" if message_id in fresh else " (before)"))
    return 0
