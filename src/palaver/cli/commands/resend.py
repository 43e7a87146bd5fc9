"""palaver resend: send a message again, to other recipients."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.commands.send import tell
from palaver.cli.context import Context

_RESEND = Binding(Bus.resend, own=("message_id", "to"))
SPEC = Spec(
    "resend",
    "Send a message again, to other recipients: the way out for undeliverable mail.",
    words="ID TO…",
    least=2,
    most=-1,
    options=(*_RESEND.options, Option("--allow-unknown", help="exit 0 even if a name is unknown")),
    examples=("palaver resend msg-7eqvl7msm3bp bob --as ada",),
)


def run(context: Context) -> int:
    """Resend."""
    message_id, *to = context.args.words
    return tell(context, _RESEND.perform(context, message_id=message_id, to=to))
