"""palaver send: send a message.

A bare module up to the short way (see docs/adr/0006): whatever needs more is imported where it is needed.
"""

import os
from _collections_abc import Callable

from palaver.bus.mail.message_check import SendResult, check
from palaver.cli.arguments import Args, Option, Spec
from palaver.cli.context import Context, started
from palaver.model.errors import BadArguments, BadText, NotFound, Refusal, TooLarge
from palaver.model.limits import LINE_BYTES
from palaver.model.message import STAGES, Message


def describe() -> tuple[Option, ...]:
    """Return the options with their help texts, which the operation has."""
    from palaver.api import Bus
    from palaver.cli.binding import Binding

    names = {"body": "--message", "files": "--file"}
    sending = Binding(Bus.send, own=("to", "artifacts"), names=names, short={"body": "-m", "subject": "-s"})
    waiting = Binding(Bus.wait_for, own=("message_id",), names={"stage": "--wait"})
    return (
        *sending.options,
        *waiting.options,
        Option("--allow-unknown", help="exit 0 even if a recipient is unknown"),
    )


SPEC = Spec(
    "send",
    "Send a message. It is safe on the disk when the command returns.",
    words="TO…",
    least=1,
    most=-1,
    # The names alone, without what `describe` would import; a test keeps them equal.
    options=(
        Option("--message", "BODY", short="-m"),
        Option("--subject", "TEXT", short="-s"),
        Option("--act", "ACT"),
        Option("--priority", "P"),
        Option("--reasoning", "TEXT"),
        Option("--task", "ID"),
        Option("--run", "ID"),
        Option("--reply-to", "ID"),
        Option("--file", "PATH", many=True),
        Option("--meta", "K=V", many=True),
        Option("--key", "KEY"),
        Option("--allow-secret"),
        Option("--wait", "STAGE"),
        Option("--timeout", "S"),
        Option("--allow-unknown"),
    ),
    describe=describe,
    text="""
TO is an agent (ada, project-a/workers/slot0), a handle (@qa), a role (project-a/workers: everyone sees it,
the first to acknowledge it has it), a list, or @all. Mail to an unknown name is stored and marked
undeliverable; the command reports it and exits with 3. It is not retried.
A text longer than a command line may be (128 KiB) goes through standard input: -m -
--file records the path, size and hash of a file. --wait returns when every recipient has reached the stage.
""",
    examples=(
        'palaver send bob -m "The parser is ready."',
        "git diff | palaver send @reviewers -s 'Please look' --act ask -m -",
        "palaver send ops -m 'Disk full' --priority urgent --wait read --timeout 30",
    ),
)
_STDIN = 0


def command(argv: list[str]) -> int:
    """Run the command from its words: the entry for `cli/hot.py`."""
    return started(SPEC, run, argv)


def run(context: Context) -> int:
    """Send; by the short way if the message is plain, else by the long one."""
    args = context.args
    stage, seconds = args.text("--wait"), args.seconds("--timeout", 60.0)
    if args.has("--wait") and stage not in STAGES:
        raise BadArguments(f"there is no stage {stage[:40]!r}", "", f"use one of {', '.join(STAGES)}")
    message = _message(context)
    key, allow_secret = args.text("--key"), args.has("--allow-secret")
    if not args.has("--wait"):
        message = check(message, allow_secret=allow_secret)
        if os.access(context.root.socket, os.F_OK):
            # There is a door: whoever hands it over there needs nothing of the log.
            from palaver.bus import daemon_client

            key = key or daemon_client.new_key()
            sent = daemon_client.handed_over(context.root, message, key=key, allow_secret=allow_secret)
        else:
            sent = None if key else _plainly(context, message)
        if sent is not None:
            return tell(context, sent)
    from palaver.bus.mail import send as full_send
    from palaver.cli.connection import connect

    session = connect(context)
    sent = full_send.send(session, message, key=key, allow_secret=allow_secret)
    _in_step(context, session.sync.write_on)
    if not args.has("--wait") or sent.unknown:
        return tell(context, sent)
    from palaver.bus.mail.mail_wait import wait_for_stage

    return _tell_late(context, sent, lambda: wait_for_stage(session, sent.message.id, stage, timeout=seconds))


def _plainly(context: Context, message: Message) -> SendResult | None:
    """Send by the short way, if that can be done."""
    from palaver.bus.mail.plain_send import send_plain
    from palaver.bus.writer import Writer

    desk = Writer(context.root)
    sent = send_plain(desk, message)
    if sent is not None and desk.roster_cache().mounts:
        _write_on(context)
    return sent


def _write_on(context: Context) -> None:
    """Write what was sent into the files of those who read files; it is safe in the log already."""
    from palaver.bus.session import Session
    from palaver.sync.follower import follow

    session = Session(context.root)
    session.view.expects = True
    follow(session)
    _in_step(context, session.sync.write_on)


def _in_step(context: Context, catch_up: Callable[[], None]) -> None:
    try:
        catch_up()
    except Refusal as refused:
        context.note(f"it is sent, but not yet written into the files of its mount: {refused}")


def _message(context: Context) -> Message:
    args = context.args
    sender = context.speaker()
    return Message(
        sender=sender,
        auth=context.auth,
        to=args.words,
        body=body(args),
        subject=args.text("--subject"),
        act=args.text("--act", "inform"),
        priority=args.text("--priority", "normal"),
        reasoning=args.text("--reasoning"),
        task=args.text("--task"),
        run=args.text("--run"),
        reply_to=args.text("--reply-to"),
        files=files(args),
        meta=_meta(args),
    )


def body(args: Args) -> str:
    """Return what to say, from the command line or from standard input."""
    given = args.text("--message")
    if given != "-":
        if not args.has("--message") and os.isatty(_STDIN) and args.text("--act", "inform") == "inform":
            raise BadArguments(
                "Message body is missing",
                "no body was given",
                "pass it with -m TEXT, or -m - and standard input",
            )
        return given
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := os.read(_STDIN, 1 << 16):
            pieces.append(piece)
            size += len(piece)
            if size > LINE_BYTES:
                raise TooLarge(
                    "cannot take the body",
                    f"it is longer than {LINE_BYTES} bytes",
                    "name the file with --file",
                )
    except OSError as fault:
        raise BadArguments(
            "cannot read standard input", fault.strerror or str(fault), "give the body with -m TEXT"
        ) from fault
    try:
        return b"".join(pieces).decode().removesuffix("\n")
    except UnicodeDecodeError as fault:
        raise BadText("cannot send standard input", "it is not UTF-8", "name the file with --file") from fault


def _meta(args: Args) -> dict[str, object]:
    meta: dict[str, object] = {}
    for pair in args.texts("--meta"):
        field, equals, value = pair.partition("=")
        if not field or not equals:
            raise BadArguments(
                f"cannot use --meta {pair[:40]}", "it must be a name and a value", "use --meta name=value"
            )
        meta[field] = value
    return meta


def files(args: Args) -> list[dict[str, object]]:
    """Return the files that are named, with size and hash."""
    return [_file(path) for path in args.texts("--file")]


def _file(path: str) -> dict[str, object]:
    import hashlib
    from stat import S_ISREG

    try:
        if not S_ISREG(os.stat(path).st_mode):
            raise BadArguments(f"cannot use --file {path}", "it is not a plain file", "name a file")
        with open(path, "rb", opener=_unblocked) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:
        why = fault.strerror or str(fault)
        raise NotFound(f"cannot read --file {path}", why, "name a file that can be read") from fault
    return {"path": path, "size": size, "sha256": digest}


def _unblocked(path: str, flags: int) -> int:
    """Open what was a plain file a moment ago; should it be a pipe by now, we do not hang."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _tell_late(context: Context, sent: SendResult, wait: Callable[[], None]) -> int:
    """Say what became of it when all have got as far as was wanted; it stays sent if they do not.

    A person hears at once that it is sent; a program gets one object, whatever happens.
    """
    if not context.json:
        tell(context, sent)
        context.flush()
        wait()
        return 0
    try:
        wait()
    except Refusal as late:
        context.answer({**sent.plain(), "error": late.plain()})
        return late.exit
    except KeyboardInterrupt:
        context.answer(sent.plain())
        context.flush()
        raise
    return tell(context, sent)


def tell(context: Context, sent: SendResult) -> int:
    """Say what became of it; return the exit code."""
    lost = bool(sent.unknown) and not context.args.has("--allow-unknown")
    if context.json:
        context.answer(sent.plain())
    else:
        context.say(f"Sent: {sent.message.id}" + ("" if sent.fresh else " (was sent before)"))
        if sent.unknown:
            _lament(context, sent)
    return NotFound.exit if lost else 0


def _lament(context: Context, sent: SendResult) -> None:
    for written, why, nearest in sent.unknown:
        close = (
            f"; did you mean {' or '.join(nearest)}?" if nearest else "; palaver agents lists who there is"
        )
        context.note(f"undeliverable to {written}: {why}{close} [unknown-recipient]")
    context.note(
        f"it is stored and will not be retried; to send it on: palaver resend {sent.message.id} NAME"
    )
