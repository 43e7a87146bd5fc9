"""palaver convert: a file of one dialect, said in another."""

import sys
from contextlib import suppress

from palaver.bus.admin.convert import convert
from palaver.bus.admin.lint import named, recognised
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.lint import content_of
from palaver.cli.context import Context
from palaver.cli.hot import unwritten
from palaver.cli.show import safe
from palaver.dialects import DIALECTS, specs
from palaver.model.errors import BadArguments

SPEC = Spec(
    "convert",
    "Say a whole file in another dialect, on standard output; what was found on the way on standard error.",
    words="FILE",
    least=1,
    most=1,
    options=(
        Option("--to", "D", help=", ".join(DIALECTS)),
        Option("--from", "D", help="else told by name and content"),
        Option("--set", "K=V", many=True, help="a setting of the mounts: manager=…, a=…, b=…, person=…"),
    ),
    text="What the other dialect has no word for travels beside the text, so it can be converted back.",
    examples=("palaver convert --to swarm chat.log > channel.jsonl",),
)


def run(context: Context) -> int:
    """Convert."""
    args = context.args
    if not args.text("--to"):
        raise BadArguments("palaver convert", "into which dialect?", "use --to D")
    known = specs()
    target = named(args.text("--to"), known)
    path = args.words[0]
    content = content_of(path)
    if args.has("--from"):
        source = named(args.text("--from"), known)
    else:
        source = recognised(path, content, known, "--from")
    said, findings = convert(path, content, source, target, _settings(args.texts("--set")))
    if sys.stdout.isatty():
        # For eyes, not for a file: a text of somebody else must not move the cursor.
        context.say(said.decode("utf-8", "backslashreplace").removesuffix("\n"))
    else:
        _write(said)
    # Where nobody can hear it, what was converted still counts.
    with suppress(OSError):
        for finding in findings:
            print(safe(str(finding)), file=sys.stderr)
    return 0


def _settings(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise BadArguments("palaver convert", f"--set {pair[:40]} is no setting", "use --set NAME=VALUE")
    return dict(pair.partition("=")[::2] for pair in pairs)


def _write(said: bytes) -> None:
    try:
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise unwritten(fault) from fault
