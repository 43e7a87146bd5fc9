"""palaver thread: a conversation, and the delivery state of each message."""

from palaver.bus.mail import conversations
from palaver.bus.mail.conversations import MessageHistory
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.letter import letter
from palaver.cli.show import safe

_THREAD = Binding(conversations.thread, own=("message_id",))
SPEC = Spec(
    "thread",
    "Show the conversation of a message, and the delivery state of each message.",
    words="ID",
    text="Any agent may look; nothing is marked as read.",
    examples=("palaver thread msg-7eqvl7msm3bp",),
)


def run(context: Context) -> int:
    """Show the conversation."""
    thread = _THREAD.perform(context, message_id=context.args.words[0])
    return context.show(thread, ("\n\n" + "-" * 60 + "\n").join(map(_text, thread)))


def _text(history: MessageHistory) -> str:
    lines = [letter(history.message), ""]
    for each in history.deliveries:
        at = each.stages.get("taken_by" if each.stage == "taken" else each.stage, "")
        how = f"by {at}" if each.stage == "taken" else at
        held = ", held (loop-limit)" if each.is_held else ""
        lines.append(f"  {safe(each.agent)}: {each.stage} {how}".rstrip() + held)
    lines += [f"  {safe(address)}: undeliverable, {safe(why)}" for address, why in history.undelivered]
    return "\n".join(lines)
