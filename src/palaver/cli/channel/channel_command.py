"""palaver channel: the shared channel of a swarm, with the options and the output of its script."""

import re

from palaver.api import Bus
from palaver.bus.mail import send
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.cli.arguments import Args, Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.channel.script import init
from palaver.cli.channel.team_channel import mounted_team, team_messages
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.dialects import specs
from palaver.log.clock import now
from palaver.model.errors import BadArguments
from palaver.model.event import text, texts
from palaver.model.message import Message
from palaver.model.mounted_files import Mount, Source
from palaver.model.names import EVERYONE, name, short
from palaver.model.plain import dumps, loads
from palaver.model.task import TASK_ACTS
from palaver.sync.mount_names import MountNames, find_mentions
from palaver.sync.mounts.mount_operations import add_resident
from palaver.views.tasks import board

TYPES = ("message", "decision", "task", "status", "request", "autonomy", "system")
_FILE = "channel.jsonl"
# The fields of a line of the script; the other ones of our lines are not shown.
_KEYS = ("ts", "from", "to", "type", "reasoning", "content")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_READ = Binding(Bus.events, only=("limit",), names={"limit": "--last"}, note="with read: ")
_WRITE = Binding(Bus.send, only=("reasoning", "body"), names={"body": "--content"}, note="with write: ")
_KEY = Binding(Bus.send, only=("key",), note="with write and init: ")


class ChannelSpec(Spec):
    """As the script has it: `--mine` may have a value, and `--to` several."""

    __slots__ = ()

    def parse(self, argv: list[str]) -> Args:
        """Parse a command line in which each value has an option of its own."""
        words: list[str] = []
        rest = list(argv)
        while rest:
            word = rest.pop(0)
            values: list[str] = []
            while word in ("--mine", "--to") and rest and not rest[0].startswith("-"):
                values.append(rest.pop(0))
                if word == "--mine":
                    break
            if word == "--mine" and not values:
                words.append("--mine-own")
            else:
                words += [f"{word}={each}" for each in values] or [word]
        return super().parse(words)


SPEC = ChannelSpec(
    "channel",
    "Read, write and create the channel of a swarm.",
    words="read | write | init",
    options=(
        Option("--team", "T", help="the team"),
        Option("--mine", "HANDLE", help="with read: only messages to HANDLE (without a value: to you)"),
        Option("--mine-own", help="the same as --mine without a value"),
        Option("--since", "TIME", help="with read: only later messages"),
        *_READ.options,
        Option("--from", "NAME", help="with write: sender (default: you)"),
        Option("--to", "HANDLE", many=True, help="with write: recipients (default: everyone)"),
        Option("--type", "TYPE", help=f"with write: {', '.join(TYPES)}"),
        *_WRITE.options,
        *_KEY.options,
    ),
    text="""
A @mention in the content adds a recipient, who is expected to acknowledge it. A message that moves a task is
checked like any move. The messages are on the bus: `palaver inbox` and `palaver board` show them too.
`init` creates the channel of a team in ~/.claude/teams, mounts it, and writes scripts/channel.py beside
.palaver: a script that only calls this command, so that the command lines of a swarm work unchanged.
""",
    examples=(
        "palaver channel init --team t1",
        "palaver channel read --team t1 --mine --as qa",
        'palaver channel write --team t1 --from programmer --to @qa --reasoning done --content "Test it"',
    ),
)


def run(context: Context) -> int:
    """Read, write or create the channel."""
    [verb] = context.args.words
    verbs = {"read": _read, "write": _write, "init": init}
    if verb not in verbs:
        raise SPEC.wrong(f"unknown verb {verb[:40]!r}", "use read, write or init")
    SPEC.require(context.args, "--team")
    return verbs[verb](context)


# --- read ---


def _read(context: Context) -> int:
    args = context.args
    team = name(args.text("--team"))
    last, since = _READ.number(args, "limit", 50), _time(args.text("--since"))
    lines = [_line(message) for message in team_messages(connect_synced(context), team)]
    mine = args.text("--mine") or (context.speaker() if args.has("--mine-own") else "")
    if mine:
        handles = {"@all", f"@{short(mine).lstrip('@')}", f"@{mine.lstrip('@')}"}
        lines = [line for line in lines if not line.get("to") or handles & set(texts(line, "to"))]
    lines = [line for line in lines if text(line, "ts").rstrip("Z") > since][-last:]
    return context.show(lines, map(_lines, lines), empty="No messages.")


def _lines(line: dict[str, object]) -> str:
    to = ", ".join(texts(line, "to")) or "@all"
    at, sender = safe(text(line, "ts")[:19]), safe(text(line, "from"))
    return "\n".join(
        (
            f"[{at}] {sender} → {safe(to)} ({text(line, 'type')})",
            f"  REASONING: {safe(text(line, 'reasoning'))}",
            block(text(line, "content"), "  "),
        )
    )


def _line(message: Message) -> dict[str, object]:
    """Return a message as a line of the channel."""
    dialect, mount = specs()["swarm"], Mount(dialect="swarm")
    line = loads(dialect.render(message, mount, _FILE).decode().rstrip("\n"))
    assert isinstance(line, dict), "a line of a channel is an object"
    return {key: line[key] for key in _KEYS if key in line}


def _time(given: str) -> str:
    """Return a time in the form in which it is compared with those of the lines."""
    if given and not _TIME.fullmatch(given):
        raise SPEC.wrong(f"{given[:40]!r} is not a time", "use one as 2026-01-25T23:00:00Z")
    return given.rstrip("Z").replace(" ", "T")


# --- write ---


def _write(context: Context) -> int:
    args = context.args
    SPEC.require(args, "--reasoning", "--content")
    _WRITE.values(args)
    if args.text("--type", "message") not in TYPES:
        raise SPEC.wrong(f"no type {args.text('--type')[:40]!r}", f"use one of {', '.join(TYPES)}")
    team = name(args.text("--team"))
    sender = name(args.text("--from")) if args.has("--from") else context.speaker()
    session = connect_synced(context)
    message = _message(args, sender)
    found = mounted_team(session, team)
    if found is None:
        message = _with_mentions(session, message.replace(meta={**message.meta, "team": team}))
    else:
        add_resident(session, found.name, MountNames(found, session.view.roster()).speaker(sender))
        # Sender and recipients have the names of that team.
        names = MountNames(found, session.view.roster())
        route = names.route(message, _FILE)
        meta = {**message.meta, "mentions": [*route.mentions]} if route.mentions else message.meta
        message = message.replace(sender=route.sender, to=[*route.to], meta=meta)
    key = args.text("--key")
    unknown: list[str] = []
    if message.task and message.act in TASK_ACTS and board.task(session.view.current(), message.task):
        stored = moves.post_move(session, message, key=key).message
    else:
        sent = send.send(session, message, key=key)
        stored, unknown = sent.message, [written for written, _, _ in sent.unknown]
    for written in [] if context.json else unknown:
        context.note(f"no agent is called {written}; the message is stored")
    return context.show(
        {"ts": stored.at, "id": stored.id, "unknown": unknown}, f"Message written: {stored.at}"
    )


def _message(args: Args, sender: str) -> Message:
    """Return the message of a line with these fields."""
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


def _with_mentions(session: Session, message: Message) -> Message:
    """Return a message with the agents that its text mentions: recipients that are to acknowledge it."""
    session.view.current()
    roster = session.view.roster()
    meanings = map(roster.meaning, find_mentions(message.body))
    agents = list(dict.fromkeys(each.agents[0] for each in meanings if each.kind == "agent"))
    agents = [agent for agent in agents if agent != message.sender]
    if agents:
        message = message.replace(meta={**message.meta, "mentions": agents})
    if message.to == [EVERYONE]:
        return message
    known = [agent for written in message.to for agent in roster.meaning(written).agents]
    return message.replace(to=[*message.to, *(agent for agent in agents if agent not in known)])
