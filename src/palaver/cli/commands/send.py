"""palaver send: send a message.

A bare module (see docs/adr/0006): what only the full path needs is imported there.
"""

import os
from _collections_abc import Callable

from palaver.bus.mail.message_check import SendResult, check
from palaver.cli.arguments import Option, Spec, pair
from palaver.cli.context import Caller, Context, run_command
from palaver.model.errors import BadArguments, BadName, BadText, IllegalMove, NotFound, Refusal, TooLarge
from palaver.model.limits import LINE_BYTES
from palaver.model.message import STAGES, Message

# Acts that say something about the task of the run in which they are sent, and do not move it.
_TALK = ("inform", "ask", "answer", "decide", "review")


def describe() -> tuple[Option, ...]:
    """Return the options with their help texts, which the operation has."""
    from palaver.api import Bus
    from palaver.cli.binding import Binding

    names = {"body": "--message", "files": "--file"}
    sending = Binding(
        Bus.send,
        own=("to", "artifacts"),
        names=names,
        short={"body": "-m", "subject": "-s"},
        helps={"files": "a file that it is about; its path, size and sha256 are recorded"},
    )
    waiting = Binding(Bus.wait_for, own=("message_id",), names={"stage": "--wait"})
    return (
        *sending.options,
        *waiting.options,
    )


SPEC = Spec(
    "send",
    "Send a message. It is safe on the disk when the command returns.",
    words="TO…",
    # The names only, without what `describe` imports; a test keeps them equal.
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
        Option("--allow-unknown"),
        Option("--wait", "STAGE"),
        Option("--timeout", "S"),
    ),
    describe=describe,
    text="""
TO is an agent (ada, project-a/workers/slot0), a handle (@qa), a role (project-a/workers: everyone sees it,
the first to acknowledge it has it), a list, or @all. A message that reaches no agent is not stored: "Not
delivered", exit 3. If it reaches some of them, it is sent to those; the others are named, and the exit is 3.
--allow-unknown stores it and exits with 0: for an agent that comes later, to whom you resend it.
A text longer than a command line may be (128 KiB) goes through standard input: -m -
A message whose act does not move its task is sent all the same; the reason is told, and the exit is 5.
Inside a run, a message belongs to that run and its task, unless --run or --task names another.
--file records the path, size and hash of a file. --wait returns when every recipient has reached the stage.
""",
    examples=(
        'palaver send bob -m "The parser is ready."',
        "git diff | palaver send @reviewers -s 'Please look' --act ask -m -",
        "palaver send ops -m 'Disk full' --priority urgent --wait read --timeout 30",
    ),
)


def command(argv: list[str], caller: Caller) -> int:
    """Run the command from its words: the entry for `cli/hot.py`."""
    return run_command(SPEC, run, argv, caller)


def run(context: Context) -> int:
    """Send the message; a plain one by the short path, any other by the full one."""
    args = context.args
    stage, seconds = args.text("--wait"), args.seconds("--timeout", 60.0)
    if args.has("--wait") and stage not in STAGES:
        raise BadArguments(f"no stage {stage[:40]!r}", "", f"use one of {', '.join(STAGES)}")
    message = _message(context)
    key, allow_secret = args.text("--key"), args.has("--allow-secret")
    is_allowed = args.has("--allow-unknown")
    if not args.has("--wait"):
        message = check(message, allow_secret=allow_secret)
        is_warm = context.caller.open_session is not None
        sent = None if key or is_warm else _send_plain(context, message)
        if sent is not None:
            return tell(context, sent)
    from palaver.bus.mail import send as full_send
    from palaver.cli.connection import connect

    session = connect(context)
    sent = full_send.send(session, message, key=key, allow_secret=allow_secret, allow_unknown=is_allowed)
    _write_on(context, session.sync.write_on)
    if not args.has("--wait") or sent.unknown:
        return tell(context, sent)
    from palaver.bus.mail.mail_wait import wait_for_stage

    return _tell_late(context, sent, lambda: wait_for_stage(session, sent.message.id, stage, timeout=seconds))


def _send_plain(context: Context, message: Message) -> SendResult | None:
    """Send by the short path, if the message allows it."""
    from palaver.bus.mail.plain_send import send_plain
    from palaver.bus.writer import Writer

    writer = Writer(context.root)
    if bearer := context.bearer():
        writer.sign("", bearer[1])
    sent = send_plain(writer, message)
    if sent is not None and writer.roster_cache().mounts:
        from palaver.bus.session import Session
        from palaver.sync.mount_sync import follow

        session = Session(context.root)
        session.view.expects = True
        follow(session)
        _write_on(context, session.sync.write_on)
    return sent


def _write_on(context: Context, write_on: Callable[[], None]) -> None:
    """Write the message to the files of its recipients; it is already safe in the log."""
    try:
        write_on()
    except Refusal as refused:
        context.note(f"it is sent, but not written to the files of its mount yet: {refused}")


def _message(context: Context) -> Message:
    args = context.args
    sender = context.speaker()
    act = args.text("--act", "inform")
    return Message(
        sender=sender,
        auth=context.auth,
        to=_recipients(args.words),
        body=body(context),
        subject=args.text("--subject"),
        act=act,
        priority=args.text("--priority", "normal"),
        reasoning=args.text("--reasoning"),
        task=args.text("--task") or (context.surroundings("PALAVER_TASK") if act in _TALK else ""),
        run=args.text("--run") or context.surroundings("PALAVER_RUN"),
        reply_to=args.text("--reply-to"),
        files=files(context),
        meta=dict(pair("--meta", each) for each in args.texts("--meta")),
    )


def _recipients(words: list[str]) -> list[str]:
    """Return the words as addresses; refuse what looks like the text, or like several names in one word."""
    for word in words:
        if " " in word.strip():
            way_out = "if it is the text, write it after -m"
            raise BadName(f"cannot send to {word[:80]!a}", "a name has no spaces", way_out)
        if "," in word:
            raise BadName(f"cannot send to {word[:80]!a}", "a name has no comma", "put spaces between names")
    return words


def body(context: Context) -> str:
    """Return the message body, from the command line or from standard input."""
    args = context.args
    given = args.text("--message")
    if given != "-":
        is_forgotten = not args.has("--message") and args.text("--act", "inform") == "inform"
        if is_forgotten and context.caller.input.isatty():
            raise BadArguments(
                "Message body is missing",
                "no body was given",
                "pass it with -m TEXT, or -m - and standard input",
            )
        return given
    try:
        content = context.read_input(LINE_BYTES)
    except OSError as fault:
        raise BadArguments(
            "cannot read standard input", fault.strerror or str(fault), "pass the body with -m TEXT"
        ) from fault
    if len(content) > LINE_BYTES:
        why = f"it is longer than {LINE_BYTES} bytes"
        raise TooLarge("cannot send the body", why, "name the file with --file")
    try:
        return content.decode().removesuffix("\n")
    except UnicodeDecodeError as fault:
        raise BadText("cannot send standard input", "it is not UTF-8", "name the file with --file") from fault


def files(context: Context) -> list[dict[str, object]]:
    """Return the files that the options name, with size and hash."""
    return [_file(path, context.path(path)) for path in context.args.texts("--file")]


def _file(shown: str, path: str) -> dict[str, object]:
    import hashlib
    from stat import S_ISREG

    try:
        if not S_ISREG(os.stat(path).st_mode):
            raise BadArguments(f"cannot use --file {shown}", "it is not a plain file", "name a file")
        with open(path, "rb", opener=_unblocked) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as fault:
        why = fault.strerror or str(fault)
        raise NotFound(f"cannot read --file {shown}", why, "name a file that can be read") from fault
    return {"path": shown, "size": size, "sha256": digest}


def _unblocked(path: str, flags: int) -> int:
    """Open what was a plain file a moment ago; if it is a pipe by now, do not block."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _tell_late(context: Context, sent: SendResult, wait: Callable[[], None]) -> int:
    """Report when every recipient has reached the stage; the message stays sent if one does not.

    A person sees at once that it is sent; a program gets one object, whatever happens.
    """
    if not context.json:
        code = tell(context, sent)
        context.flush()
        wait()
        return code
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
    """Report what became of a message; return the exit code."""
    is_lost = bool(sent.unknown) and not context.args.has("--allow-unknown")
    before = "" if sent.fresh else " (was sent before)"
    is_stored_only = {written for written, _, _ in sent.unknown}.issuperset(sent.message.to)
    # It says so itself.
    context.is_repeat = False
    context.show(sent, f"{'Stored' if is_stored_only else 'Sent'}: {sent.message.id}{before}")
    if sent.unknown and not context.json:
        for written, why, nearest in sent.unknown:
            close = f"did you mean {' or '.join(nearest)}?" if nearest else "palaver agents lists the agents"
            context.note(f"not delivered to {written}: {why}; {close} [unknown-recipient]")
        context.note(
            f"it is stored and will not be retried; to send it on: palaver resend {sent.message.id} NAME"
        )
    if sent.no_effect and not context.json:
        context.note(
            f"Sent, but {sent.message.task} did not move: {sent.no_effect}; "
            f"palaver task show {sent.message.task} [{IllegalMove.code}]"
        )
    if is_lost:
        return NotFound.exit
    return IllegalMove.exit if sent.no_effect else 0
