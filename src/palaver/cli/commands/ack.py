"""palaver ack: acknowledge messages."""

from palaver.bus.mail import mailbox
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_ACK = Binding(mailbox.acknowledge, own=("ids",))
SPEC = Spec(
    "ack",
    "Acknowledge messages: you take care of them, and they leave your inbox.",
    words="ID…",
    options=_ACK.options,
    text="Mail to a role belongs to the first agent that acknowledges it; the others are told who (exit 5).",
    examples=("palaver ack msg-7eqvl7msm3bp --as bob",),
)


def run(context: Context) -> int:
    """Acknowledge messages."""
    return show_marked(context, "acknowledged", _ACK.perform(context, ids=context.args.words))


def show_marked(context: Context, mark: str, fresh: list[str]) -> int:
    """Show which of the messages were marked now, and which before."""
    ids = context.args.words
    lines = (
        f"{mark.capitalize()}: {each}{'' if each in fresh else ' (before)'}" for each in dict.fromkeys(ids)
    )
    return context.show({mark: fresh, "before": [each for each in ids if each not in fresh]}, lines)
