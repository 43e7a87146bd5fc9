"""palaver convert: convert a file to another dialect."""

from contextlib import suppress

from palaver.bus.admin.convert import convert
from palaver.bus.admin.lint import named, recognised
from palaver.cli.arguments import Option, Spec, pair
from palaver.cli.commands.lint import content_of
from palaver.cli.context import Context, unwritten
from palaver.cli.show import block, safe
from palaver.dialects import DIALECTS, specs

SPEC = Spec(
    "convert",
    "Convert a file to another dialect, on standard output.",
    words="FILE",
    options=(
        Option("--to", "D", help=", ".join(DIALECTS)),
        Option("--from", "D", help="dialect of the file (default: by name and content)"),
        Option("--set", "K=V", many=True, help="a setting of the mounts: manager=…, a=…, b=…, person=…"),
    ),
    text="""
Findings go to standard error. Exits with 1 if a part of the file could not be read or converted.
Fields that the other dialect lacks are written beside the text, ids among them, so it can be converted back.
Only messages are converted. Lines that cannot be read, and records that are no messages (work orders, events,
assignments), are named on standard error. Secrets are masked, and the lines that held them named there, too.
""",
    examples=("palaver convert --to swarm chat.log > channel.jsonl",),
)


def run(context: Context) -> int:
    """Convert the file."""
    args = context.args
    if not args.text("--to"):
        raise SPEC.wrong("--to is missing", "use --to D")
    known = specs()
    target = named(args.text("--to"), known)
    path = args.words[0]
    content = content_of(context, path)
    if args.has("--from"):
        source = named(args.text("--from"), known)
    else:
        source = recognised(path, content, known, "--from")
    settings = dict(pair("--set", each) for each in args.texts("--set"))
    converted, findings, is_complete = convert(path, content, source, target, settings)
    if context.caller.output.isatty():
        # On a terminal, a foreign text must not move the cursor.
        text = converted.decode("utf-8", "backslashreplace").removesuffix("\n")
        context.caller.output.write(block(text) + "\n")
    else:
        _write(context, converted)
    # If the findings cannot be shown, the conversion still counts.
    with suppress(OSError):
        for finding in findings:
            context.caller.errors.write(safe(str(finding)) + "\n")
    return 0 if is_complete else 1


def _write(context: Context, content: bytes) -> None:
    output = getattr(context.caller.output, "buffer", None)
    assert output is not None, "standard output that is no terminal takes bytes"
    try:
        output.write(content)
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise unwritten(fault) from fault
