"""palaver resend: say a message again, to somebody else."""

from palaver.cli.arguments import Spec
from palaver.cli.commands.send import tell
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "resend",
    "Say a message again, to other names: what to do with mail that reached nobody.",
    words="ID TO…",
    least=2,
    most=-1,
    examples=("palaver resend msg-7eqvl7msm3bp bob --as ada",),
)


def run(context: Context) -> int:
    """Resend."""
    sent = opened(context, speaking=True).resend(context.args.words[0], context.args.words[1:])
    return tell(context, sent)
