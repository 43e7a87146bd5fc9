"""co: mail, assignments and dispatch of a VerMAS company."""

from palaver.api import Bus
from palaver.bus.agents import agent_registry
from palaver.bus.mail import mailbox
from palaver.bus.mail import send as posting
from palaver.bus.tasks import assignment, moves
from palaver.bus.tasks.consequences import settle
from palaver.cli.arguments import Option
from palaver.cli.commands import prime as prime_command
from palaver.cli.commands.send import body, tell
from palaver.cli.company import worker
from palaver.cli.company.home import at_home
from palaver.cli.company.subcommands import KEY, Subcommand, runner
from palaver.cli.company.wo_orders import orders
from palaver.cli.connection import bus_of, connect_synced
from palaver.cli.context import Context
from palaver.cli.hot import main as hot_main
from palaver.cli.letter import letter
from palaver.cli.show import clipped, safe
from palaver.dialects.vermas.grammar import TYPES
from palaver.dialects.vermas.spec import SPEC as VERMAS
from palaver.model.errors import BadArguments
from palaver.model.message import Message, headline, priority_of
from palaver.model.names import name
from palaver.runs import run_config, workers

# A row of an inbox.
_ROW = "{:<16}  {:<24}  {:<40}  {:<16}  {}"


def _send(context: Context) -> int:
    args = context.args
    kind = args.text("--type")
    if kind and kind not in TYPES:
        raise BadArguments(f"there is no type {kind[:40]!r}", "", f"use one of {', '.join(TYPES)}")
    subject = args.text("--subject")
    found = TYPES.get(kind)
    act = found.act if found else "handoff" if subject.startswith("🤝") else "inform"
    message = Message(
        sender=context.speaker(),
        to=args.words,
        subject=subject,
        body=body(args) if args.has("--message") else subject,
        act=act,
        priority=args.text("--priority", "normal"),
        task=args.text("--wo"),
        reply_to=args.text("--reply-to"),
    )
    core = connect_synced(context)
    key = args.text("--key")
    at_home(core, message.sender)
    if found and found.is_about_work and message.task:
        moved = moves.post_move(core, message, key=key)
        if context.json:
            context.answer(moved.plain())
        else:
            context.say(
                f"Sent: {moved.message.id}" + ("" if moved.effect else f" (no effect: {moved.tried.why})")
            )
        return 0 if moved.effect else 5
    return tell(context, posting.send(core, message, key=key))


def _inbox(context: Context) -> int:
    scope = "unread" if context.args.has("--unread") else "open"
    listing = mailbox.list_inbox(connect_synced(context), context.speaker(), scope=scope, limit=100)
    if context.json:
        context.answer([each.plain() for each in listing.mail])
    elif not listing.mail:
        context.say("No messages")
    else:
        context.say(_ROW.format("ID", "From", "Subject", "Date", "Read").rstrip())
        for each in listing.mail:
            message, read = each.message, "✓" if "read" in each.delivery.stages else ""
            mark = priority_of(message.priority).mark
            subject = clipped(f"{mark} {headline(message)}".lstrip(), 40)
            at = message.at[:16].replace("T", " ")
            context.say(_ROW.format(message.id, clipped(message.sender, 24), subject, at, read).rstrip())
    return 0


def _read(context: Context) -> int:
    mail = mailbox.read(connect_synced(context), context.args.words, agent=context.speaker())
    if context.json:
        context.answer([each.plain() for each in mail])
    else:
        context.say("\n\n".join(letter(each.message) for each in mail))
    return 0


def _archive(context: Context) -> int:
    core = connect_synced(context)
    fresh = mailbox.archive(core, context.args.words, agent=context.speaker())
    settle(core)
    if context.json:
        context.answer({"archived": fresh})
    else:
        for message_id in context.args.words:
            context.say(f"Archived: {message_id}" + ("" if message_id in fresh else " (before)"))
    return 0


def _resend(context: Context) -> int:
    message_id, *to = context.args.words
    return tell(
        context, bus_of(context, speaking=True).resend(message_id, to, key=context.args.text("--key"))
    )


def _assignment(context: Context) -> int:
    core = connect_synced(context)
    agent = name(context.args.words[0]) if context.args.words else context.speaker()
    mine = not context.args.words
    found = assignment.check(core, agent) if mine else assignment.current(core, agent)
    if context.json:
        context.answer([found.plain()] if found else [])
    elif found is None:
        context.say("Assignment is empty")
    else:
        shown = found.ref if found.kind == "work_order" else found.line
        context.say(f"ASSIGNED: {safe(shown)}")
    return 0


def _assignment_set(context: Context) -> int:
    agent, ref = context.args.words
    found = bus_of(context, speaking=True).assign(
        agent, ref, replace=context.args.has("--replace"), key=context.args.text("--key")
    )
    context.answer([found.plain()]) if context.json else context.say(
        f"Assigned to {found.agent}: {found.line}"
    )
    return 0


def _assignment_clear(context: Context) -> int:
    by = context.speaker()
    agent = name(context.args.words[0]) if context.args.words else by
    bus = bus_of(context, speaking=True)
    was = bus.clear_assignment(agent=agent, key=context.args.text("--key"))
    if context.json:
        context.answer({"agent": agent, "previous_ref": was})
    else:
        context.say(f"Cleared: {was}" if was else "Assignment is empty")
    return 0


def _assignment_attach(context: Context) -> int:
    by = context.speaker()
    core = connect_synced(context)
    message = posting.find(core, context.args.words[0])
    # To whom it was written; who writes to a role or to himself takes it himself.
    heirs = [agent.id for agent in agent_registry.agents(core) if agent.id in message.to]
    heir = context.args.text("--to") or (heirs[0] if len(heirs) == 1 else by)
    found = assignment.assign(core, heir, f"mail:{message.id}", by=by, replace=True)
    context.answer([found.plain()]) if context.json else context.say(
        f"Attached: {found.line} for {found.agent}"
    )
    return 0


def _dispatch(context: Context) -> int:
    order, factory, *words = context.args.words
    core = connect_synced(context)
    by = context.speaker()
    configured = run_config.load_runs(core.root)
    home = at_home(core, by)
    found = assignment.dispatch_to(core, by, order, factory, slots=configured.slots, home=home)
    runs_there = workers.running_worker(core, found.agent) is not None
    wanted = bool(words or configured.worker) and not context.args.has("--no-spawn")
    started = worker.spawned(context, core, found.agent, words) if wanted and not runs_there else None
    if context.json:
        context.answer([{**found.plain(), **({"run": started.run.run} if started else {})}])
    else:
        more = f" ({started.run.run}, process {started.run.pid})" if started else ""
        context.say(f"Dispatched: {found.ref} to {found.agent}{more}")
    return 0


def _handoff(context: Context) -> int:
    to = context.args.words[0] if context.args.words else ""
    by = context.speaker()
    subject = context.args.text("--subject").removeprefix("🤝").strip().removeprefix("HANDOFF:").strip()
    core = connect_synced(context)
    at_home(core, by)
    message = assignment.handoff(
        core, body(context.args), to=to, subject=subject, by=by, key=context.args.text("--key")
    )
    if context.json:
        context.answer({"id": message.id, "assignment": f"mail:{message.id}", "agent": message.to[0]})
    else:
        context.say(f"Handed off: {message.id}; it waits for {message.to[0]} as mail:{message.id}")
    return 0


def _factories(context: Context) -> int:
    found = sorted(
        {
            agent.id.partition("/")[0]
            for agent in agent_registry.agents(connect_synced(context))
            if "/" in agent.id
        }
    )
    context.answer(found) if context.json else context.say("\n".join(found) or "No factories")
    return 0


def _status(context: Context) -> int:
    bus: Bus = bus_of(context)
    counted: dict[str, int] = {"open": 0, "assigned": 0, "in_progress": 0, "closed": 0}
    for card in bus.tasks():
        counted[VERMAS.statuses.word(card.task.state)] += 1
    found = {
        "agents": len(bus.agents()),
        "work_orders": counted,
        "ready": len(orders(bus.session, ready=True)),
        "assignments": len(assignment.everyone(bus.session)),
        "waiting": len(bus.waiting().waits),
    }
    if context.json:
        context.answer(found)
        return 0
    context.say(f"agents:       {found['agents']}")
    context.say("work orders:  " + ", ".join(f"{count} {word}" for word, count in counted.items()))
    context.say(f"ready:        {found['ready']}")
    context.say(f"assignments:  {found['assignments']}")
    context.say(f"waiting:      {found['waiting']}")
    return 0


_BODY = worker.BODY
_SUBJECT = Option("--subject", "TEXT", short="-s", help="subject line")
_LIST = (Option("--unread", help="only unread mail"),)
_ROWS = (
    Subcommand("co", "prime", "Show what to do now", prime_command.run),
    Subcommand(
        "co",
        "send",
        "Send mail",
        _send,
        words="ADDR…",
        least=1,
        most=-1,
        options=(
            _SUBJECT,
            _BODY,
            Option("--type", "TYPE", help=", ".join(TYPES)),
            Option("--priority", "P", help="urgent, normal or low"),
            Option("--wo", "WO", help="the work order it is about"),
            Option("--reply-to", "ID", help="message that it replies to"),
            Option("--allow-unknown", help="exit 0 even if a recipient is unknown"),
            KEY,
        ),
    ),
    Subcommand("co", "inbox", "List your mail: urgent first, then oldest first", _inbox, options=_LIST),
    Subcommand("co", "mail list", "The same as inbox", _inbox, options=_LIST),
    Subcommand("co", "read", "Read mail", _read, words="ID…", least=1, most=-1),
    Subcommand(
        "co",
        "archive",
        "Archive mail; if it was your assignment, that is cleared",
        _archive,
        words="ID…",
        least=1,
        most=-1,
    ),
    Subcommand(
        "co",
        "resend",
        "Send undelivered mail again, to other recipients",
        _resend,
        words="ID ADDR…",
        least=2,
        most=-1,
        options=(KEY,),
    ),
    Subcommand(
        "co",
        "assignment",
        "Show your assignment, or that of AGENT",
        _assignment,
        words="[AGENT]",
        most=1,
    ),
    Subcommand(
        "co",
        "assignment set",
        "Assign work_order:ID, mail:ID or process:ID to an agent",
        _assignment_set,
        words="AGENT TYPE:ID",
        least=2,
        most=2,
        options=(Option("--replace", help="replace the assignment it has"), KEY),
    ),
    Subcommand(
        "co",
        "assignment clear",
        "Clear an agent's assignment",
        _assignment_clear,
        words="[AGENT]",
        most=1,
        options=(KEY,),
    ),
    Subcommand(
        "co",
        "assignment attach",
        "Assign mail to its recipient",
        _assignment_attach,
        words="MAIL",
        least=1,
        most=1,
        options=(Option("--to", "AGENT", help="assign it to this agent"),),
    ),
    Subcommand(
        "co",
        "dispatch",
        "Assign a work order to a free worker of a factory, and start its program",
        _dispatch,
        words="WO FACTORY [-- PROGRAM [WORD…]]",
        least=2,
        most=-1,
        options=(*worker.STARTING, Option("--no-spawn", help="start no program")),
    ),
    Subcommand(
        "co",
        "handoff",
        "Leave a message for your next session, or a successor",
        _handoff,
        words="[AGENT]",
        most=1,
        options=(_BODY, _SUBJECT, KEY),
    ),
    *worker.ROWS,
    Subcommand("co", "factories", "List the factories", _factories),
    Subcommand("co", "status", "Show a summary of the company", _status),
)
TABLE = {each.spec.name: each for each in _ROWS}
ABOUT = "Mail, assignments and dispatch of a company. AGENT_ID names the agent that acts."


def main() -> None:
    """Run the command of this process and end it."""
    hot_main(runner("co", ABOUT, TABLE))
