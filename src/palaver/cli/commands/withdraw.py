"""palaver withdraw: take a message back before it is read."""

from palaver.bus.mail import mailbox
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_WITHDRAW = Binding(mailbox.withdraw, own=("message_id",))
SPEC = Spec(
    "withdraw",
    "Withdraw a message from every recipient that has not read it.",
    words="ID",
    options=_WITHDRAW.options,
    text="Only its sender can. If everyone has read it, exit 5. The log keeps the text; see redact.",
    examples=("palaver withdraw msg-7eqvl7msm3bp --as ada",),
)


def run(context: Context) -> int:
    """Withdraw the message."""
    message_id = context.args.words[0]
    readers = _WITHDRAW.perform(context, message_id=message_id)
    more = f" (but {', '.join(readers)} had read it)" if readers else ""
    return context.show(
        {"withdrawn": message_id, "read_before_by": readers}, f"Withdrawn: {message_id}{more}"
    )
