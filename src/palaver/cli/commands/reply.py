"""palaver reply: answer a message."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.send import body, tell
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "reply",
    "Answer a message: to whoever sent it, in the same thread. It leaves your inbox as answered.",
    words="ID",
    least=1,
    most=1,
    options=(
        Option("--message", "BODY", short="-m", help="what to say; '-' takes standard input"),
        Option("--act", "ACT", help="what the message does (answer)"),
        Option("--key", "KEY", help="an idempotency key: sending again with it sends nothing twice"),
        Option("--allow-secret", help="send even what looks like a key or a token"),
    ),
    text="""
An answer to a question about a task is about that task.
""",
    examples=('palaver reply msg-7eqvl7msm3bp -m "Done." --as bob',),
)


def run(context: Context) -> int:
    """Reply."""
    args = context.args
    sent = opened(context, speaking=True).reply(
        args.words[0],
        body(args),
        act=args.text("--act", "answer"),
        key=args.text("--key"),
        allow_secret=args.has("--allow-secret"),
    )
    return tell(context, sent)
