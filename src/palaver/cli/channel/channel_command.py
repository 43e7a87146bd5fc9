"""palaver channel: the shared channel of a swarm, with the options and the output of its script."""

import re
from collections import deque
from collections.abc import Iterable
from itertools import chain

from palaver.api import Bus
from palaver.bus.mail import send
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.cli.arguments import Args, Option, Spec
from palaver.cli.binding import Binding
from palaver.cli.channel.script import init
from palaver.cli.channel.team_channel import FILE, find_team, team_lines
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import block, safe
from palaver.dialects import specs
from palaver.dialects.swarm.handles import resolve_alias
from palaver.log.clock import now
from palaver.model.clock_text import read_time
from palaver.model.errors import BadArguments, NotFound
from palaver.model.masking.masks import clip
from palaver.model.message import WRITTEN, Message
from palaver.model.mounted_files import Finding, Mount, Source
from palaver.model.names import name, short
from palaver.model.plain import dumps
from palaver.model.task import TASK_ACTS
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_operations import add_resident
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.tasks import board

TYPES = ("message", "decision", "task", "status", "request", "autonomy", "system")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
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
            elif word != "--to" or values:
                # Without handles a line is for everyone.
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
        Option("--allow-unknown", help="with write: exit with 0 even if a recipient is unknown"),
        *_KEY.options,
    ),
    text="""
`read` prints the lines of the file. `write` stores a line as it was typed, and says what is wrong with it. A
@mention in the content adds a recipient, who is expected to acknowledge it. A message that moves a task is
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
        raise SPEC.wrong(f"unknown verb {clip(verb, 40)!r}", "use read, write or init")
    SPEC.require(context.args, "--team")
    return verbs[verb](context)


# --- read ---


def _read(context: Context) -> int:
    args = context.args
    team = name(args.text("--team"))
    last, since = _READ.number(args, "limit", 50), _since(args.text("--since"))
    session = connect_synced(context)
    mounted = find_team(session, team)
    lines: Iterable[dict[str, object]] = team_lines(mounted)
    mine = args.text("--mine") or (context.speaker() if args.has("--mine-own") else "")
    if mine:
        _require_agent(session, mounted, mine)
        handles = {"all", mine.lstrip("@").lower(), resolve_alias(short(mine.lstrip("@").lower()))}
        lines = (line for line in lines if not handles.isdisjoint(_handles(line) or ["all"]))
    if since:
        lines = (line for line in lines if _time(_text(line, "ts")) > since)
    shown = deque(lines, maxlen=last)
    return context.show([*shown], map(_lines, shown), empty="No messages.")


def _require_agent(session: Session, mounted: MountPoint, handle: str) -> None:
    """Refuse a handle that nobody has in a team."""
    roster = session.view.roster()
    bare = resolve_alias(handle.lstrip("@").lower())
    if roster.meaning(MountNames(mounted, roster).address(bare)).kind == "none":
        close = roster.nearest(bare)
        way_out = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists the agents"
        raise NotFound(f"no agent {handle} in {mounted.name}", "", way_out)


def _lines(line: dict[str, object]) -> str:
    """Return a line of the channel as the script prints it."""
    to = line.get("to")
    named = ", ".join(map(str, to if isinstance(to, list) else [to])) if to else "@all"
    at, sender, kind = (safe(_text(line, key)) for key in ("ts", "from", "type"))
    return "\n".join(
        (
            f"[{at[:19]}] {sender} → {safe(named)} ({kind})",
            f"  REASONING: {safe(_text(line, 'reasoning'))}",
            block(_text(line, "content"), "  "),
        )
    )


def _text(line: dict[str, object], key: str) -> str:
    value = line.get(key)
    return "" if value is None else str(value)


def _handles(line: dict[str, object]) -> list[str]:
    """Return the agents that a line is for, without `@`; titles mean their handles."""
    to = line.get("to") or []
    bare = [str(each).removeprefix("@").lower() for each in (to if isinstance(to, list) else [to])]
    return [*map(resolve_alias, bare)]


def _since(given: str) -> str:
    """Return a time in the form in which it is compared with those of the lines."""
    found = _time(given)
    if given and not found:
        raise SPEC.wrong(f"{clip(given, 40)!r} is not a time", "use one as 2026-01-25T23:00:00Z")
    return found


def _time(written: str) -> str:
    """Return a time in UTC as a text that sorts by time; empty if there is none."""
    found = read_time(f"{written}T00:00" if _DATE.fullmatch(written) else written)
    second, _, fraction = found.text.rstrip("Z").partition(".") if found else ("", "", "")
    return f"{second}.{fraction:0<9}" if found else ""


# --- write ---


def _write(context: Context) -> int:
    args = context.args
    SPEC.require(args, "--reasoning", "--content")
    _WRITE.values(args)
    if args.text("--type", "message") not in TYPES:
        raise SPEC.wrong(f"no type {clip(args.text('--type'), 40)!r}", f"use one of {', '.join(TYPES)}")
    team = name(args.text("--team"))
    sender = name(args.text("--from")) if args.has("--from") else context.speaker()
    session = connect_synced(context)
    mounted = find_team(session, team)
    typed, odd = _typed_line(args, sender, mounted.mount)
    message = _routed(session, mounted, typed)
    key = args.text("--key")
    unknown: list[tuple[str, str, list[str]]] = []
    if message.task and message.act in TASK_ACTS and board.task(session.view.current(), message.task):
        stored = moves.post_move(session, message, key=key).message
    else:
        # A channel is a file: a line to an unknown name is recorded, and its author told.
        sent = send.send(session, message, key=key, allow_unknown=True)
        stored, unknown = sent.message, sent.unknown
    for written, why, nearest in [] if context.json else unknown:
        close = f"did you mean {' or '.join(nearest)}?" if nearest else "palaver agents lists the agents"
        context.note(f"{written} is no agent: {why}; the message is stored; {close} [unknown-recipient]")
    for finding in [] if context.json else odd:
        context.note(f"{finding.code} {finding.message}; {finding.fix}")
    answer = {
        "ts": stored.at,
        "id": stored.id,
        "unknown": [written for written, _, _ in unknown],
        "findings": [f"{finding.code} {finding.message}; {finding.fix}" for finding in odd],
    }
    context.show(answer, f"Message written: {stored.at}")
    return NotFound.exit if unknown and not args.has("--allow-unknown") else 0


def _routed(session: Session, mounted: MountPoint, message: Message) -> Message:
    """Return a message with the names of a team; its sender becomes a resident."""
    add_resident(session, mounted.name, MountNames(mounted, session.view.roster()).speaker(message.sender))
    route = MountNames(mounted, session.view.roster()).route(message, FILE)
    written = message.meta[WRITTEN]
    assert isinstance(written, dict), "made by _typed_line"
    meta = {**message.meta, WRITTEN: {"mount": mounted.name, **written}}
    if route.mentions:
        meta["mentions"] = [*route.mentions]
    return message.replace(sender=route.sender, to=[*route.to], meta=meta)


def _typed_line(args: Args, sender: str, mount: Mount) -> tuple[Message, list[Finding]]:
    """Return the message of a line with these fields, which keeps what was typed, and the findings."""
    content, swarm = args.text("--content"), specs()["swarm"]
    typed: dict[str, object] = {
        "to": [f"@{handle.lstrip('@')}" for handle in args.texts("--to")] or None,
        "type": args.text("--type", "message"),
    }
    line = {"ts": now(), "from": sender, "reasoning": args.text("--reasoning"), "content": content, **typed}
    source = Source(path=FILE, content=(dumps(line) + "\n").encode(), mount=mount)
    parsed = swarm.parse(source)
    found = next(iter(parsed.messages), None)
    if found is None:
        raise BadArguments("cannot write to the channel", parsed.findings[0].message, parsed.findings[0].fix)
    rules = (rule for rule in swarm.rules if not rule.needs_context)
    odd = [*parsed.findings, *chain.from_iterable(rule.check(source, parsed, {}) for rule in rules)]
    # Every keyword and tag precedes the text.
    typed["opening"] = content.removesuffix(found.body) if found.body else content
    return found.replace(at="", sender=sender, meta={**found.meta, WRITTEN: typed}), odd
