"""palaver withdraw: take a message back before it is read."""

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "withdraw",
    "Take a message back from everyone who has not read it yet.",
    words="ID",
    least=1,
    most=1,
    text="Only its sender can. If everyone has read it, exit 5. The log keeps what was said; see redact.",
    examples=("palaver withdraw msg-7eqvl7msm3bp --as ada",),
)


def run(context: Context) -> int:
    """Withdraw."""
    message_id = context.args.words[0]
    readers = opened(context, speaking=True).withdraw(message_id)
    if context.json:
        context.answer({"withdrawn": message_id, "read_before_by": readers})
    else:
        context.say(
            f"Withdrawn: {message_id}" + (f" (but {', '.join(readers)} had read it)" if readers else "")
        )
    return 0
