"""palaver archive: take messages out of the inbox."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_ARCHIVE = Binding(Bus.archive, own=("ids",))
SPEC = Spec(
    "archive",
    "Take messages out of your inbox. They stay in the log, and in `inbox --all`.",
    words="ID…",
    least=1,
    most=-1,
    options=_ARCHIVE.options,
    examples=("palaver archive msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Archive."""
    words = context.args.words
    fresh = _ARCHIVE.perform(context, ids=words)
    if context.json:
        context.answer({"archived": fresh, "before": [word for word in words if word not in fresh]})
    else:
        for message_id in dict.fromkeys(words):
            context.say(f"Archived: {message_id}" + ("" if message_id in fresh else " (before)"))
    return 0
