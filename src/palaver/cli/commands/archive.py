"""palaver archive: take messages out of the inbox."""

from palaver.bus.mail import mailbox
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.ack import show_marked
from palaver.cli.context import Context

_ARCHIVE = Binding(mailbox.archive, own=("ids",))
SPEC = Spec(
    "archive",
    "Take messages out of your inbox. They stay in the log, and in `inbox --all`.",
    words="ID…",
    options=_ARCHIVE.options,
    examples=("palaver archive msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Archive messages."""
    return show_marked(context, "archived", _ARCHIVE.perform(context, ids=context.args.words))
