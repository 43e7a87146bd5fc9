"""palaver channel: the shared channel of a swarm, with the flags and the output of its script."""

import re

from palaver.bus.mail import send
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.cli.arguments import Args, Option, Spec
from palaver.cli.channel.script import init
from palaver.cli.channel.team_channel import mounted_team, said
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.dialects import specs
from palaver.log.clock import now
from palaver.model.dialect import Mount, Source
from palaver.model.errors import BadArguments
from palaver.model.event import text
from palaver.model.message import Message
from palaver.model.names import EVERYONE, name, short
from palaver.model.plain import dumps, loads
from palaver.model.task import TASK_ACTS
from palaver.sync.mount_names import MountNames, find_mentions
from palaver.sync.mounts.registration import add_resident
from palaver.views.tasks import board

TYPES = ("message", "decision", "task", "status", "request", "autonomy", "system")
_FILE = "channel.jsonl"
# What a line of the script has; what we write beside it is ours.
_KEYS = ("ts", "from", "to", "type", "reasoning", "content")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")


class ChannelSpec(Spec):
    """As its script has it: `--mine` may have a value, and `--to` several."""

    __slots__ = ()

    def parse(self, argv: list[str]) -> Args:
        """Put what may follow an option into a form that has one value each."""
        words: list[str] = []
        rest = list(argv)
        while rest:
            word = rest.pop(0)
            taken: list[str] = []
            while word in ("--mine", "--to") and rest and not rest[0].startswith("-"):
                taken.append(rest.pop(0))
                if word == "--mine":
                    break
            if word == "--mine" and not taken:
                words.append("--mine-own")
            else:
                words += [f"{word}={each}" for each in taken] or [word]
        return super().parse(words)


SPEC = ChannelSpec(
    "channel",
    "Read, write and create the channel of a swarm.",
    words="read | write | init",
    least=1,
    most=1,
    options=(
        Option("--team", "T", help="the team"),
        Option("--mine", "HANDLE", help="with read: only messages to HANDLE (without a value: to you)"),
        Option("--mine-own", help="the same as --mine without a value"),
        Option("--since", "TIME", help="with read: only later messages"),
        Option("--last", "N", help="with read: maximum number of messages (50)"),
        Option("--from", "NAME", help="with write: sender (default: you)"),
        Option("--to", "HANDLE", many=True, help="with write: recipients (default: everyone)"),
        Option("--type", "TYPE", help=f"with write: {', '.join(TYPES)}"),
        Option("--reasoning", "TEXT", help="with write: the reason for it"),
        Option("--content", "TEXT", help="with write: message body"),
        Option("--key", "KEY", help="with write: idempotency key: repeating it does nothing more"),
    ),
    text="""
A @mention in the content adds a recipient, who is expected to acknowledge it. What moves a task is judged as
any move is. The messages are on the bus: `palaver inbox` and `palaver board` show them too.
`init` makes the channel of a team in ~/.claude/teams, mounts it, and leaves scripts/channel.py beside
.palaver: a script that only calls this command, so that a swarm's own command lines run as they stand.
""",
    examples=(
        "palaver channel init --team t1",
        "palaver channel read --team t1 --mine --as qa",
        'palaver channel write --team t1 --from programmer --to @qa --reasoning done --content "Test it"',
    ),
)


def run(context: Context) -> int:
    """Read or write."""
    verb = context.args.words[0]
    if verb not in ("read", "write", "init"):
        raise SPEC.wrong(f"there is no {verb[:40]!r}", "say read, write or init")
    if not context.args.has("--team"):
        raise SPEC.wrong("--team is missing")
    if verb == "init":
        return init(context, connect_synced(context))
    return _read(context) if verb == "read" else _write(context)


# --- read ---


def _read(context: Context) -> int:
    args = context.args
    core = connect_synced(context)
    team = name(args.text("--team"))
    lines = [_line(message) for message in said(core, team)]
    mine = args.text("--mine") or (context.speaker() if args.has("--mine-own") else "")
    if mine:
        handles = {"@all", f"@{short(mine).lstrip('@')}", f"@{mine.lstrip('@')}"}
        lines = [line for line in lines if not line.get("to") or handles & set(_list(line["to"]))]
    if args.has("--since"):
        since = _time(args.text("--since"))
        lines = [line for line in lines if text(line, "ts").rstrip("Z") > since]
    lines = lines[-args.rows("--last", 50) :]
    if context.json:
        context.answer(lines)
        return 0
    for line in lines:
        to = ", ".join(_list(line.get("to"))) or "@all"
        context.say(
            f"[{safe(text(line, 'ts')[:19])}] {safe(text(line, 'from'))} → {safe(to)} ({text(line, 'type')})"
        )
        context.say(f"  REASONING: {safe(text(line, 'reasoning'))}")
        context.say(block(text(line, "content"), "  "))
    if not lines:
        context.say("No messages.")
    return 0


def _line(message: Message) -> dict[str, object]:
    """Return a message as the line of the channel that it is."""
    dialect, mount = specs()["swarm"], Mount(dialect="swarm")
    line = loads(dialect.render(message, mount, _FILE).decode().rstrip("\n"))
    assert type(line) is dict, "a line of a channel is an object"
    return {key: line[key] for key in _KEYS if key in line}


def _time(given: str) -> str:
    """Return a time as it is compared with those of the lines."""
    if not _TIME.fullmatch(given):
        raise SPEC.wrong(f"{given[:40]!r} is no time", "use one as 2026-01-25T23:00:00Z")
    return given.rstrip("Z").replace(" ", "T")


def _list(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


# --- write ---


def _write(context: Context) -> int:
    args = context.args
    for option in ("--reasoning", "--content"):
        if not args.text(option).strip():
            raise SPEC.wrong(f"{option} is missing")
    if args.text("--type", "message") not in TYPES:
        raise SPEC.wrong(f"there is no type {args.text('--type')[:40]!r}", f"use one of {', '.join(TYPES)}")
    team = name(args.text("--team"))
    sender = name(args.text("--from")) if args.has("--from") else context.speaker()
    core = connect_synced(context)
    message = _message(context, sender)
    found = mounted_team(core, team)
    if found is None:
        message = _with_mentions(core, message.replace(meta={**message.meta, "team": team}))
    else:
        add_resident(core, found.name, MountNames(found, core.view.roster()).speaker(sender))
        # Who speaks to whom is said with the names of that team.
        names = MountNames(found, core.view.roster())
        route = names.route(message, _FILE)
        meta = {**message.meta, "mentions": [*route.mentions]} if route.mentions else message.meta
        message = message.replace(sender=route.sender, to=[*route.to], meta=meta)
    key = context.args.text("--key")
    if message.task and message.act in TASK_ACTS and board.task(core.view.current(), message.task):
        moved = moves.post_move(core, message, key=key)
        stored, unknown = moved.message, []
    else:
        sent = send.send(core, message, key=key)
        stored, unknown = sent.message, [written for written, _, _ in sent.unknown]
    if context.json:
        context.answer({"ts": stored.at, "id": stored.id, "unknown": unknown})
    else:
        context.say(f"Message written: {stored.at}")
        for written in unknown:
            context.note(f"nobody is called {written}; it is stored")
    return 0


def _message(context: Context, sender: str) -> Message:
    """Return what a line with these fields says."""
    args = context.args
    handles = [f"@{handle.lstrip('@')}" for handle in args.texts("--to")]
    line = {
        "ts": now(),
        "from": sender,
        "to": handles or None,
        "type": args.text("--type", "message"),
        "reasoning": args.text("--reasoning"),
        "content": args.text("--content"),
    }
    source = Source(path=_FILE, content=(dumps(line) + "\n").encode(), mount=Mount(dialect="swarm"))
    parsed = specs()["swarm"].parse(source)
    found = next(iter(parsed.messages), None)
    if found is None:
        raise BadArguments("cannot write to the channel", parsed.findings[0].message, parsed.findings[0].fix)
    return found.replace(at="", sender=sender)


def _with_mentions(core: Session, message: Message) -> Message:
    """Return a message with the agents that its text mentions: they get it, and are to acknowledge it."""
    core.view.current()
    roster = core.view.roster()
    meanings = map(roster.meaning, find_mentions(message.body))
    agents = list(dict.fromkeys(each.agents[0] for each in meanings if each.kind == "agent"))
    agents = [agent for agent in agents if agent != message.sender]
    if agents:
        message = message.replace(meta={**message.meta, "mentions": agents})
    if message.to == [EVERYONE]:
        return message
    known = [agent for written in message.to for agent in roster.meaning(written).agents]
    return message.replace(to=[*message.to, *(agent for agent in agents if agent not in known)])
