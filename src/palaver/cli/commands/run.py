"""palaver run: start a program as an agent."""

from palaver.bus.config.config_store import read
from palaver.bus.identity import vouch
from palaver.bus.mail.chains import find_chain
from palaver.bus.session import Session
from palaver.bus.tasks.prime import prime
from palaver.cli.arguments import Option, Spec
from palaver.cli.commands.prime import prime_text
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.letter import letter
from palaver.model.errors import BadArguments, StorageFailed, TooLarge
from palaver.model.limits import PROMPT_BYTES
from palaver.model.message import Message
from palaver.runs.child_program import ProgramEnd
from palaver.runs.execution import PreparedRun, RunRequest, execute, prepare
from palaver.runs.mail_feed import MailFeed, fence_message
from palaver.runs.mail_worker import MailWorker

SPEC = Spec(
    "run",
    "Run a program as an agent.",
    words="-- PROGRAM [WORD…]",
    options=(
        Option("--task", "TASK", help="the task it works on (default: the agent's assignment)"),
        Option("--run", "RUN", help="the run it belongs to (default: PALAVER_RUN, or a new one)"),
        Option("--prompt", "FILE", help="the prompt, added to that of palaver prime ('-': standard input)"),
        Option("--feed", help="write the agent's mail to its standard input as it arrives"),
        Option("--on-message", help="run it for each message of the agent's inbox, one at a time"),
        Option("--once", help="with --on-message: exit after one turn for every message"),
    ),
    text="""
The program gets its prompt on standard input: the output of palaver prime, then FILE. PALAVER_PROMPT names a
file with the same text. Its environment has PALAVER_ROOT, PALAVER_AGENT (and AGENT_ID), PALAVER_RUN (and
RUN_ID), PALAVER_TASK (and WORK_ORDER_ID), and PALAVER_TOKEN. Its output is passed on, and stored in
runs/RUN/, readable only by you. Its exit code is passed on; 128 plus the signal if a signal ended it. SIGTERM
ends its whole process group: ten seconds, then SIGKILL. Other signals are passed on.

With --on-message, a message is acknowledged when its program has exited with 0; otherwise it is retried. At
most ten programs are started in a minute ([runs] in the config). PALAVER_MESSAGE is the id of the message.

Programs that answer each other are stopped: after 16 of them in a row, or 200 for one message, the next
message starts none. It stays unread, and its agents and the leads are told (code loop-limit). Through files,
in the names of others, they are only slowed down: to 200 an hour.
""",
    examples=(
        "palaver run --as bob --prompt prompt.md -- claude -p",
        "palaver run --as clawdy --on-message -- ./answer.sh",
    ),
)


def run(context: Context) -> int:
    """Run the program."""
    args = context.args
    if args.has("--once") and not args.has("--on-message"):
        raise SPEC.wrong("--once goes with --on-message")
    if args.has("--feed") and args.has("--on-message"):
        raise SPEC.wrong("--feed and --on-message exclude each other")
    if not args.words[0]:
        raise SPEC.wrong("the program has no name")
    # Starting a program as an agent needs no proof of identity: the program gets it with the start. But
    # inside a run only its own agent starts one, and the run must go on: `run_command` has looked.
    agent = context.unproven_speaker()
    core = connect_synced(context)
    # Mail that the program was given must not be written to files again when it ends.
    context.after = None
    text = _prompt(context)
    request = RunRequest(
        agent=agent,
        words=args.words,
        environment=dict(context.environment),
        folder=context.caller.folder or ".",
        umask=context.caller.umask,
        by=context.environment.get("PALAVER_AGENT", ""),
        task=args.text("--task"),
        run=args.text("--run") or context.surroundings("PALAVER_RUN"),
        keep_input_open=args.has("--feed"),
    )
    prepared = prepare(core, request)
    try:
        if args.has("--on-message"):
            return _on_message(context, core, prepared, text)
        return _once(context, core, prepared, text)
    finally:
        prepared.traces.close()


def _once(context: Context, core: Session, prepared: PreparedRun, text: str) -> int:
    prompt = _joined(prime_text(prime(core, prepared.agent)), text)
    if not prepared.request.keep_input_open:
        return execute(core, prepared, prompt, note=context.note).exit
    feed = MailFeed(core, prepared.agent, letter, note=context.note)
    try:
        return execute(core, prepared, prompt, note=context.note, feed=feed.feed, wakers=feed.wakers).exit
    finally:
        feed.close()


def _on_message(context: Context, core: Session, prepared: PreparedRun, text: str) -> int:
    def answer(message: Message) -> ProgramEnd:
        how = f"Answer with: palaver reply {message.id} -m TEXT"
        told = fence_message(letter(message))
        prompt = _joined(prime_text(prime(core, prepared.agent)), text, told, how)
        hops = find_chain(core, message).next().hops
        return execute(core, prepared, prompt, note=context.note, message=message.id, hops=hops)

    if prepared.agent != read(core.root)[1].person:
        # The runner acknowledges the mail of its agent, whose program it starts.
        vouch(core, prepared.agent)
    worker = MailWorker(
        core, prepared.agent, prepared.config, run=prepared.traces.run, answer=answer, note=context.note
    )
    return worker.run(once=context.args.has("--once"))


def _joined(*parts: str) -> str:
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _prompt(context: Context) -> str:
    path = context.args.text("--prompt")
    if not path:
        return ""
    try:
        if path == "-":
            content = context.read_input(PROMPT_BYTES)
        else:
            with open(context.path(path), "rb") as file:
                content = file.read(PROMPT_BYTES + 1)
    except OSError as fault:
        raise StorageFailed(
            f"cannot read {path}", fault.strerror or str(fault), "name another file"
        ) from fault
    if len(content) > PROMPT_BYTES:
        raise TooLarge(f"cannot use {path}", f"it is longer than {PROMPT_BYTES} bytes", "shorten it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise BadArguments(f"cannot use {path}", "it is not UTF-8", "save it as UTF-8") from fault
