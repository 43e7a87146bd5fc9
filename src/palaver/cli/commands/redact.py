"""palaver redact: take a secret out of the log for good."""

from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "redact",
    "Take what a message said out of the log, the views and the snapshots, for good.",
    words="SEQ",
    least=1,
    most=1,
    options=(Option("--reason", "TEXT", help="why; it stands in the log"),),
    text="""
SEQ is the number that `palaver search --json` or `palaver events` shows. Subject, body, reasoning, files and
meta go; who spoke to whom stays, and verify says that the line was redacted, and by whom. A secret that was
sent must be changed all the same: whoever has read it knows it.
""",
    examples=("palaver redact 42 --as ada --reason 'an API key'",),
)


def run(context: Context) -> int:
    """Redact."""
    wanted = context.args.words[0]
    if not wanted.isdecimal() or len(wanted) > 18:
        raise SPEC.wrong(f"{wanted[:40]!r} is not the number of an event", "palaver events lists them")
    done = opened(context, speaking=True).redact(int(wanted), reason=context.args.text("--reason"))
    if context.json:
        context.answer({"redacted": int(wanted), "done": done})
    else:
        context.say(f"Redacted: {wanted}")
        for line in done:
            context.say(f"  {line}")
    return 0
