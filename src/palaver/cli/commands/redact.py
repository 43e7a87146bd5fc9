"""palaver redact: take a secret out of the log for good."""

from palaver.bus.operations.admin_operations import redact
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_REDACT = Binding(redact, own=("seq",))
SPEC = Spec(
    "redact",
    "Remove the text of a message from the log, the views and the snapshots, permanently.",
    words="SEQ",
    least=1,
    most=1,
    options=_REDACT.options,
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
    done = _REDACT.perform(context, seq=int(wanted))
    if context.json:
        context.answer({"redacted": int(wanted), "done": done})
    else:
        context.say(f"Redacted: {wanted}")
        for line in done:
            context.say(f"  {line}")
    return 0
