"""co: mail, assignments and dispatch of a VerMAS company."""

from palaver.api import Bus
from palaver.bus.agents import agent_registry
from palaver.bus.mail import send as posting
from palaver.bus.mail.mailbox import Mail
from palaver.bus.tasks import assignment, moves
from palaver.bus.tasks.consequences import settle
from palaver.cli.arguments import Option
from palaver.cli.binding import Binding, perform_once
from palaver.cli.commands import ack, archive, prime, read, resend
from palaver.cli.commands.send import body, tell
from palaver.cli.company import worker
from palaver.cli.company.home import at_home, missing_agents
from palaver.cli.company.wo_orders import count_orders, orders
from palaver.cli.connection import connect, connect_synced
from palaver.cli.context import Context
from palaver.cli.letter import letter
from palaver.cli.program import Program, Subcommand
from palaver.cli.show import clipped, field_lines, safe
from palaver.dialects.vermas.grammar import (
    HANDOFF,
    HANDSHAKE,
    TYPES,
    MessageType,
    message_type,
    typed_subject,
)
from palaver.dialects.vermas.layout import colleagues
from palaver.dialects.vermas.render import native_words
from palaver.dialects.vermas.rules.wrong_sender import find_wrong_roles
from palaver.model.errors import BadArguments
from palaver.model.masking.masks import clip
from palaver.model.message import Message, priority_of
from palaver.model.names import name
from palaver.runs import run_config, workers

# A row of an inbox.
_ROW = "{:<16}  {:<24}  {:<40}  {:<16}  {}"
_MESSAGE = Binding(
    Bus.send,
    only=("subject", "body", "priority", "task", "reply_to", "key", "allow_unknown"),
    names={"body": "--message", "task": "--wo"},
    short={"body": "-m", "subject": "-s"},
)
_SET = Binding(Bus.assign, own=("agent", "ref"))
_ATTACH = Binding(Bus.assign, only=("key",))
_CLEAR = Binding(Bus.clear_assignment, own=("agent",))
_FACTORY = Binding(Bus.add_agent, only=("key",))
_HANDOFF = Binding(
    Bus.send,
    only=("subject", "body", "key"),
    names={"body": "--message"},
    short={"body": "-m", "subject": "-s"},
)


def _send(context: Context) -> int:
    args = context.args
    _MESSAGE.values(args)
    kind, order = _type_and_order(context)
    written = args.text("--subject")
    is_handoff = written.startswith(HANDSHAKE.strip())
    subject = _without_handshake(written)
    message = Message(
        sender=context.speaker(),
        to=args.words,
        # Words that stand alone are the message; the file shows them as its subject too.
        subject=subject if args.has("--message") else "",
        body=body(context) if args.has("--message") else subject,
        act=kind.act if kind else HANDOFF.act if is_handoff else "inform",
        priority=args.text("--priority", "normal"),
        task=order,
        reply_to=args.text("--reply-to"),
    )
    session = connect_synced(context)
    at_home(session, message.sender)
    is_about_work = kind is not None and kind.is_about_work
    is_so = is_about_work and moves.is_so(session, order, message.act)
    for what, fix in find_wrong_roles(message, is_so=is_so):
        context.note(f"{what}; {fix}")
    if is_about_work and not is_so:
        moved = moves.post_move(session, message, key=args.text("--key"))
        effect = "" if moved.effect else f" (no effect: {moved.tried.why})"
        return context.show(moved, f"Sent: {moved.message.id}{effect}", code=0 if moved.effect else 5)
    is_allowed = args.has("--allow-unknown")
    sent = posting.send(session, message, key=args.text("--key"), allow_unknown=is_allowed)
    return tell(context, sent)


def _without_handshake(subject: str) -> str:
    return subject.removeprefix(HANDSHAKE.strip()).lstrip()


def _type_and_order(context: Context) -> tuple[MessageType | None, str]:
    """Return the type and the work order of a message, by the options, else by its subject."""
    args = context.args
    word, (said, named) = args.text("--type"), typed_subject(args.text("--subject"))
    kind = message_type(word) if word else said
    if word and kind is None:
        raise BadArguments(f"no type {clip(word, 40)!r}", "", f"use one of {', '.join(TYPES)}")
    order = args.text("--wo") or (named if kind and kind.is_about_work else "")
    if kind and kind.is_about_work and not order:
        way_out = "name it: --wo WO"
        raise BadArguments(f"cannot send {kind.name}", "it is about a work order, and names none", way_out)
    return kind, order


def _inbox(context: Context) -> int:
    scope = "unread" if context.args.has("--unread") else "open"
    listing = Bus(session=connect(context, speaking=True)).inbox(scope=scope, limit=100)
    head = _ROW.format("ID", "From", "Subject", "Date", "Read").rstrip()
    lines = [head, *map(_inbox_row, listing.mail)] if listing.mail else []
    return context.show(listing.mail, lines, empty="No messages")


def _inbox_row(each: Mail) -> str:
    message, read_mark = each.message, "✓" if "read" in each.delivery.stages else ""
    _, words = native_words(message)
    subject = clipped(f"{priority_of(message.priority).mark} {words}".lstrip(), 40)
    at = message.at[:16].replace("T", " ")
    return _ROW.format(message.id, clipped(message.sender, 24), subject, at, read_mark).rstrip()


def _read(context: Context) -> int:
    return read.show_read(context, _letter)


def _letter(message: Message) -> str:
    kind, subject = native_words(message)
    return letter(message.replace(subject=subject), kind)


def _archive(context: Context) -> int:
    code = archive.run(context)
    # Mail that is archived is no assignment any more.
    settle(connect_synced(context))
    return code


def _assignment(context: Context) -> int:
    session = connect_synced(context)
    if context.args.words:
        agent = name(context.args.words[0])
        agent_registry.find_agent(session, agent)
        found = assignment.current(session, agent)
    else:
        by = context.speaker()
        if by not in agent_registry.roster(session).agents and at_home(session, by):
            # Its assignment may have waited for it in a file.
            session.sync.flush()
        found = assignment.check(session, by)
    if found is None:
        return context.show([], "Assignment is empty")
    lines = [f"ASSIGNED: {safe(found.ref if found.kind == 'work_order' else found.line)}"]
    pending = assignment.pending(session, found.agent)
    if pending:
        lines.append(f"Pending: {safe(', '.join(pending))}")
    return context.show([{**found.plain(), "pending": pending}], lines)


def _assignment_set(context: Context) -> int:
    agent, ref = context.args.words
    found = _SET.perform(context, agent=agent, ref=ref)
    return context.show([found], f"Assigned to {found.agent}: {found.line}")


def _assignment_clear(context: Context) -> int:
    agent = name(context.args.words[0]) if context.args.words else context.speaker()
    was = _CLEAR.perform(context, agent=agent)
    line = f"Cleared: {was}" if was else "Assignment is empty"
    return context.show({"agent": agent, "previous_ref": was}, line)


def _assignment_attach(context: Context) -> int:
    session = connect_synced(context)
    message = posting.find(session, context.args.words[0])
    # Mail to a role, or to oneself, is attached to oneself.
    heirs = [agent.id for agent in agent_registry.agents(session) if agent.id in message.to]
    heir = context.args.text("--to") or (heirs[0] if len(heirs) == 1 else context.speaker())
    found = _ATTACH.perform(context, agent=heir, ref=f"mail:{message.id}", replace=True)
    return context.show([found], f"Attached: {found.line} for {found.agent}")


def _dispatch(context: Context) -> int:
    order, factory, *words = context.args.words
    session = connect_synced(context)

    def dispatch() -> dict[str, object]:
        found = worker.dispatched(context, session, order, factory)
        is_wanted = bool(words or run_config.load_runs(session.root).worker)
        if not is_wanted or context.args.has("--no-spawn") or workers.running_worker(session, found.agent):
            return found.plain()
        started = worker.spawned(context, session, found.agent, words)
        return {**found.plain(), "run": started.run.run, "pid": started.run.pid}

    done = perform_once(context, session, "dispatch", dispatch)
    more = f" ({done['run']}, process {done['pid']})" if "run" in done else ""
    return context.show([done], f"Dispatched: {done['ref_id']} to {done['agent']}{more}")


def _handoff(context: Context) -> int:
    args, by = context.args, context.speaker()
    subject = _without_handshake(args.text("--subject"))
    session = connect_synced(context)
    at_home(session, by)
    message = assignment.handoff(
        session, body(context), to="".join(args.words), subject=subject, by=by, key=args.text("--key")
    )
    heir, ref = message.to[0], f"mail:{message.id}"
    return context.show(
        {"id": message.id, "assignment": ref, "agent": heir},
        f"Handed off: {message.id}; it waits for {heir} as {ref}",
    )


def _factories(context: Context) -> int:
    agents = Bus(session=connect(context)).agents()
    found = sorted({agent.id.partition("/")[0] for agent in agents if "/" in agent.id})
    return context.show(found, found, empty="No factories")


def _factory_add(context: Context) -> int:
    factory = name(context.args.words[0])
    session = connect_synced(context)

    def add() -> dict[str, object]:
        home = at_home(session)
        staff = colleagues(f"{factory}/workers")
        for agent in missing_agents(session, staff):
            agent_registry.register(session, agent, mount=home)
        return {"factory": factory, "agents": list(staff)}

    done = perform_once(context, session, "factory add", add)
    return context.show(done, f"Added: {done['factory']}")


def _status(context: Context) -> int:
    bus = Bus(session=connect(context))
    counted = count_orders(bus.tasks())
    found = {
        "agents": len(bus.agents()),
        "work_orders": counted,
        "ready": len(orders(bus.session, ready=True)),
        "assignments": len(assignment.everyone(bus.session)),
        "waiting": len(bus.waiting().waits),
    }
    shown = {**found, "work_orders": ", ".join(f"{count} {word}" for word, count in counted.items())}
    return context.show(found, field_lines(shown, 14))


_UNREAD = (Option("--unread", help="only unread mail"),)
_TYPE = Option("--type", "TYPE", help=", ".join(TYPES))
_DISPATCH = (*worker.STARTING, Option("--no-spawn", help="start no program"))
_TO = (Option("--to", "AGENT", help="assign it to this agent"), *_ATTACH.options)
_ROWS = (
    Subcommand("prime", "Show what to do now", prime.run, options=prime.SPEC.options),
    Subcommand("send", "Send mail", _send, "ADDR…", (*_MESSAGE.options, _TYPE)),
    Subcommand("inbox", "List your mail: urgent first, then oldest first", _inbox, options=_UNREAD),
    Subcommand("mail list", "The same as inbox", _inbox, options=_UNREAD),
    Subcommand("read", "Read mail", _read, "ID…", read.SPEC.options),
    Subcommand("ack", "Acknowledge mail: you take care of it", ack.run, "ID…", ack.SPEC.options),
    Subcommand(
        "archive",
        "Archive mail, and clear it if it is your assignment",
        _archive,
        "ID…",
        archive.SPEC.options,
    ),
    Subcommand("resend", "Send mail again, to other recipients", resend.run, "ID ADDR…", resend.SPEC.options),
    Subcommand("assignment", "Show your assignment, or that of AGENT", _assignment, "[AGENT]"),
    Subcommand(
        "assignment set",
        "Assign work_order:ID, mail:ID or process:ID to an agent",
        _assignment_set,
        "AGENT TYPE:ID",
        _SET.options,
    ),
    Subcommand(
        "assignment clear", "Clear an agent's assignment", _assignment_clear, "[AGENT]", _CLEAR.options
    ),
    Subcommand("assignment attach", "Assign mail to its recipient", _assignment_attach, "MAIL", _TO),
    Subcommand(
        "dispatch",
        "Assign a work order to a free worker, and start its program",
        _dispatch,
        "WO FACTORY [-- PROGRAM [WORD…]]",
        _DISPATCH,
        cold="starts a program",
    ),
    Subcommand(
        "handoff",
        "Leave a message for your next session, or a successor",
        _handoff,
        "[AGENT]",
        _HANDOFF.options,
    ),
    *worker.ROWS,
    Subcommand("factories", "List the factories", _factories),
    Subcommand(
        "factory add", "Add a factory, with its supervisor and its QA", _factory_add, "NAME", _FACTORY.options
    ),
    Subcommand("status", "Show a summary of the company", _status),
)
TABLE = {each.name: each for each in _ROWS}
CO = Program(
    name="co",
    about="Mail, assignments and dispatch of a company. AGENT_ID names the agent that acts.",
    commands=TABLE,
    looks=frozenset(["factories", "status", "worker status", "worker list", "workers"]),
)
