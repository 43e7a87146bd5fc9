"""palaver reply: reply to a message."""

from palaver.bus.mail import send_operations
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import body, tell
from palaver.cli.context import Context

_REPLY = Binding(
    send_operations.reply, own=("message_id", "run"), names={"body": "--message"}, short={"body": "-m"}
)
SPEC = Spec(
    "reply",
    "Reply to the sender of a message, in the same thread. It leaves your inbox as answered.",
    words="ID",
    options=_REPLY.options,
    text="An answer to a question about a task belongs to that task. -m - reads standard input.",
    examples=('palaver reply msg-7eqvl7msm3bp -m "Done." --as bob',),
)


def run(context: Context) -> int:
    """Reply."""
    run_here = context.surroundings("PALAVER_RUN")
    sent = _REPLY.perform(context, message_id=context.args.words[0], body=body(context), run=run_here)
    return tell(context, sent)
