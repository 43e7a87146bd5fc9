"""palaver read: read messages, and record it."""

from palaver.bus.mail import mailbox
from palaver.bus.mail.mailbox import Mail
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.letter import letter

_READ = Binding(mailbox.read, own=("ids",))
SPEC = Spec(
    "read",
    "Read messages, and record that you have. Without an ID, the next unread one.",
    words="[ID…]",
    options=_READ.options,
    text="Reading is not acknowledging: the message stays in your inbox until you ack, reply or archive.",
    examples=("palaver read --as bob", "palaver read msg-7eqvl7msm3bp --as bob --json"),
)


def run(context: Context) -> int:
    """Read messages."""
    mail = _READ.perform(context, ids=context.args.words)
    return context.show(mail, "\n\n".join(map(_text, mail)))


def _text(mail: Mail) -> str:
    again = "(read before, not acknowledged)\n" if mail.delivery.redelivered else ""
    return again + letter(mail.message)
