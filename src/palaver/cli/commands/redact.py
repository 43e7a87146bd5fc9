"""palaver redact: remove a secret from the log, permanently."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_REDACT = Binding(Bus.redact, own=("event",))
SPEC = Spec(
    "redact",
    "Remove the text of a message from the log, the views and the snapshots, permanently.",
    words="ID",
    options=_REDACT.options,
    text="""
ID is the id of a message, also as a file shows it, the number of an event, or the id of a quarantine entry.
Subject, body, reasoning, files and meta are removed.
Sender and recipients stay, and palaver verify reports that the record was redacted, and by which agent.
Mounted files that still hold the text are named; --rewrite-files writes its lines there again without it.
Replace a secret that was sent anyway: its readers know it.
""",
    examples=(
        "palaver redact msg-guzcbzzapbv7 --as ada --reason 'an API key'",
        "palaver redact 42 --as ada --rewrite-files",
    ),
)


def run(context: Context) -> int:
    """Redact the message."""
    wanted = context.args.words[0]
    is_number = wanted.isascii() and wanted.isdecimal() and len(wanted) <= 18
    result = _REDACT.perform(context, event=int(wanted) if is_number else wanted)
    return context.show(result, [f"Redacted: {wanted}", *(f"  {line}" for line in result.done)])
