"""palaver resend: send a message again, to other recipients."""

from palaver.bus.mail import send_operations
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import tell
from palaver.cli.context import Context

_RESEND = Binding(send_operations.resend, own=("message_id", "to"))
SPEC = Spec(
    "resend",
    "Send a message again, to other recipients; for undeliverable mail.",
    words="ID TO…",
    options=_RESEND.options,
    examples=("palaver resend msg-7eqvl7msm3bp bob --as ada",),
)


def run(context: Context) -> int:
    """Resend the message."""
    message_id, *to = context.args.words
    return tell(context, _RESEND.perform(context, message_id=message_id, to=to))
