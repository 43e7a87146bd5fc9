"""palaver ack: acknowledge messages."""

from palaver.bus.mail.mailbox import acknowledge
from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.looking import looking

SPEC = Spec(
    "ack",
    "Acknowledge messages: you have taken them over, and they leave your inbox.",
    words="ID…",
    least=1,
    most=-1,
    text="Mail to a role belongs to the first who acknowledges it; others are told who that was (exit 5).",
    examples=("palaver ack msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Acknowledge."""
    fresh = acknowledge(looking(context), context.speaker(), context.args.words)
    if context.json:
        context.answer({"acknowledged": fresh, "before": [w for w in context.args.words if w not in fresh]})
    else:
        for message_id in dict.fromkeys(context.args.words):
            context.say(f"Acknowledged: {message_id}" + ("" if message_id in fresh else " (before)"))
    return 0
