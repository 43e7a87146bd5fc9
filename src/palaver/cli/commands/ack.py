"""palaver ack: acknowledge messages."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_ACK = Binding(Bus.ack, own=("ids",))
SPEC = Spec(
    "ack",
    "Acknowledge messages: you take care of them, and they leave your inbox.",
    words="ID…",
    least=1,
    most=-1,
    options=_ACK.options,
    text="Mail to a role belongs to the first agent that acknowledges it; the others are told who (exit 5).",
    examples=("palaver ack msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Acknowledge."""
    words = context.args.words
    fresh = _ACK.perform(context, ids=words)
    if context.json:
        context.answer({"acknowledged": fresh, "before": [word for word in words if word not in fresh]})
    else:
        for message_id in dict.fromkeys(words):
            context.say(f"Acknowledged: {message_id}" + ("" if message_id in fresh else " (before)"))
    return 0
